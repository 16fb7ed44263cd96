package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/secret"
	"mcptea/internal/system"
	"mcptea/record"
	"mcptea/record/recordings"
	"mcptea/record/store"
	"mcptea/session/state"
)

// History returns the file of the frames that the user wrote in this and earlier sessions. It returns nil if
// nothing is kept or there is no state directory.
func (s *Session) History() *state.History { return s.history("composer.jsonl") }

// ArgumentHistory returns the file of the arguments sent from forms in this and earlier sessions. It returns
// nil in the same cases as History.
func (s *Session) ArgumentHistory() *state.History { return s.history("arguments-sent.jsonl") }

func (s *Session) history(name string) *state.History {
	dir, err := system.StateDir()
	if err != nil || s.cfg.Record == "off" {
		return nil
	}
	h := state.NewHistory(filepath.Join(dir, name))
	h.Redact = s.Redact
	return h
}

// recordingDir creates the directory of recordings that were given no name. A
// directory that the user has chosen may be shared.
func recordingDir(chosen string) (string, error) {
	if chosen != "" {
		return chosen, os.MkdirAll(chosen, 0o700)
	}
	state, err := system.StateDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(state, "recordings")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return dir, errors.Join(system.CheckOwner(state), system.CheckOwner(dir))
}

// createStore creates the store, which redacts the secrets, for a value of --record. If the default directory
// cannot be created, as in a read-only container, the session has no recording, and why is the reason.
func createStore(cfg *Config, secrets *secret.Values, h record.Header) (st *store.Store, why, err error) {
	o := store.Options{Limit: cfg.RecordLimit, Secrets: secrets}
	switch cfg.Record {
	case "off":
		st, err = store.Create(o, h)
		return st, nil, err
	case "":
	default:
		o.Path = cfg.Record
		st, err = store.Create(o, h)
		return st, nil, err
	}
	dir, why := recordingDir(cfg.RecordDir)
	if why == nil {
		o.Path = recordingPath(dir, label(cfg.Target))
		if st, why = store.Create(o, h); why == nil {
			prune(dir, recordings.DefaultLimits)
			return st, nil, nil
		}
	}
	o.Path = ""
	st, err = store.Create(o, h)
	return st, why, err
}

// NewRecordingPath returns an unused name for a recording of a target in a directory,
// which it creates; empty means the default one under [system.StateDir]. The name of the server
// replaces the target in the name of the file, unless it is empty. Old recordings are
// deleted there first, as always.
func NewRecordingPath(chosen string, target client.Target, server string) (string, error) {
	dir, err := recordingDir(chosen)
	if err != nil {
		return "", err
	}
	prune(dir, recordings.DefaultLimits)
	name := label(target)
	if server != "" {
		name = fileName(server)
	}
	return UnusedRecording(recordingPath(dir, name)), nil
}

// UnusedRecording returns a path, or, if there is a file, the path with a number that
// none has.
func UnusedRecording(path string) string {
	stem, suffix := strings.TrimSuffix(path, recordings.Suffix), recordings.Suffix
	if stem == path {
		suffix = filepath.Ext(path)
		stem = strings.TrimSuffix(path, suffix)
	}
	unused := path
	for n := 2; ; n++ {
		if _, err := os.Lstat(unused); err != nil {
			return unused
		}
		unused = fmt.Sprintf("%s-%d%s", stem, n, suffix)
	}
}

func recordingPath(dir, name string) string {
	name = fmt.Sprintf("%s-%s-%d", time.Now().Format("20060102-150405.000"), name, os.Getpid())
	return filepath.Join(dir, name+recordings.Suffix)
}

// label makes a short name for a file out of a target.
func label(t client.Target) string {
	text := t.ShownURL()
	if t.IsStdio() {
		shown := t.Shown(t.Argv)
		text = filepath.Base(shown[0])
		// The first plain argument is the script or the package. Masked arguments and possible secrets must not
		// appear in a file name.
		for _, arg := range shown[1:] {
			if !strings.HasPrefix(arg, "-") && !strings.ContainsAny(arg, "=•:") {
				text += "-" + filepath.Base(arg)
				break
			}
		}
	} else if _, rest, ok := strings.Cut(text, "://"); ok {
		text, _, _ = strings.Cut(rest, "?")
		if _, host, ok := strings.Cut(text, "@"); ok {
			text = host
		}
	}
	return fileName(text)
}

// fileName replaces the characters of a text that are not for the name of a file.
func fileName(text string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '-'
	}, text)
	return strings.Trim(clean[:min(len(clean), 40)], "-.")
}

// prune deletes the recordings of a directory beyond some limits. Errors are ignored.
func prune(dir string, l recordings.Limits) {
	list, _ := recordings.List(dir)
	for _, r := range l.Exceeding(list, time.Now()) {
		_ = recordings.Delete(r.Path)
	}
}

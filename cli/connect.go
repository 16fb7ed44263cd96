package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"
	"unicode/utf8"

	"mcptea/client"
	"mcptea/session"
	"mcptea/session/failure"
	"mcptea/ui/paint"
)

// prepare opens a session, recorded only with --record. The caller calls
// closeSession.
func (p *connection) prepare(t client.Target, lists ...client.ListKind) (*session.Session, error) {
	cfg, err := p.config(t, "off", lists...)
	if err != nil {
		return nil, err
	}
	cfg.Tool += " command line" // the source, in the list of recordings
	if cfg.Policies, err = p.policies(false); err != nil {
		return nil, err
	}
	if cfg.Authorization != nil && p.err.terminal {
		cfg.Authorization.OpenBrowser = p.browse
	}
	s, err := session.Open(cfg)
	if err != nil {
		hint := "Use another file, or omit --record."
		if errors.Is(err, syscall.EMFILE) {
			hint = "The limit of open files is reached; raise it, for example with ulimit -n 1024."
		}
		return nil, usage(hint, "cannot record the session: %v", err)
	}
	p.track(s)
	return s, nil
}

// connect opens a session, recorded only with --record, and connects. It prints why
// connecting failed. The caller calls closeSession.
func (p *connection) connect(t client.Target, lists ...client.ListKind) (*session.Session, error) {
	s, err := p.prepare(t, lists...)
	if err != nil {
		return nil, err
	}
	if err := s.Connect(p.ctx); err != nil {
		defer p.closeSession(s)
		if cause := context.Cause(p.ctx); cause != nil {
			return nil, cause
		}
		return nil, p.failure(s, err, ExitConnect)
	}
	if h := s.State().Handshake; h.Unknown != "" {
		fmt.Fprintf(p.err, "%s the server selected the unknown protocol version %q; continuing as %s\n", p.err.warn("warning:"), h.Unknown, h.Revision)
	}
	return s, nil
}

// track registers a session, so that a forced exit closes its recording.
func (p *connection) track(s *session.Session) {
	p.atExit.add(func() { _ = s.Store().Close() })
}

// closeSession closes a session and prints errors of its recording. After a signal
// the grace period of the server is shorter; a second signal ends it.
func (p *connection) closeSession(s *session.Session) {
	defer p.printWarnings()
	ctx, stop := context.WithTimeout(p.forceCtx, shutdownTimeout)
	defer stop()
	defer context.AfterFunc(p.ctx, func() {
		p.watchdog.extend(interruptedLimit)
		time.AfterFunc(interruptedTimeout, stop)
	})()
	s.Disconnect(ctx)
	if p.warnStray {
		p.printStrayText(s)
	}
	err := s.Close(ctx)
	notes := s.Notes()
	if rec, recorded := s.Recording(); recorded {
		notes = notesOf(rec.Path, notes)
	}
	for _, text := range notes {
		fmt.Fprintf(p.err, "%s %s\n", p.err.warn("note:"), p.err.safe(text))
	}
	if err != nil {
		fmt.Fprintf(p.err, "%s the recording is incomplete: %s\n", p.err.warn("warning:"), p.err.safe(err.Error()))
	}
}

// maxRecordedNote is how much of a note of a recording is printed, in bytes.
const maxRecordedNote = 300

// notesOf are the notes of a recording, each as the recording's and on one line: another
// program may have written them.
func notesOf(path string, notes []string) []string {
	out := make([]string, len(notes))
	for i, text := range notes {
		if len(text) > maxRecordedNote {
			end := maxRecordedNote
			for end > 0 && !utf8.RuneStart(text[end]) {
				end--
			}
			text = fmt.Sprintf("%s… (%s)", text[:end], paint.HumanSize(int64(len(text))))
		}
		out[i] = fmt.Sprintf("%s has this note: %s", paint.Sanitize(filepath.Base(path)), paint.Sanitize(text))
	}
	return out
}

// failure prints the explanation of an error of a session, and returns the error with
// the exit code.
func (p *connection) failure(s *session.Session, err error, code int) error {
	if isUnauthorized(err) {
		code = ExitAuth
	}
	return p.explained(failure.Explain(err, failure.FactsOf(s)), code)
}

// explained prints an explanation, and returns the error with the exit code.
func (p *connection) explained(e failure.Explanation, code int) error {
	fmt.Fprintf(p.err, "%s %s\n", p.err.bad("mcptea:"), e.Sentence)
	last := ""
	for _, l := range e.Lines() {
		label := l.Label
		if label == last {
			label = ""
		}
		last = l.Label
		text := l.Text
		if l.Foreign {
			text = paint.Sanitize(text)
		}
		fmt.Fprintf(p.err, "  %s %s\n", p.err.faint(fmt.Sprintf("%-9s", label)), text)
	}
	return silent(code)
}

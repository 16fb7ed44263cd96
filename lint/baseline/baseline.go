// Package baseline reads and writes the files that record what servers offered when the user accepted it, and
// compares later offers with them: from a check, a recording or a tap.
package baseline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/system"
	"mcptea/internal/words/phrase"
	"mcptea/offer/diff"
)

// File is the content of a baseline file.
type File struct {
	Version  int        `json:"v"`
	Servers  []Offer    `json:"servers"`
	Accepted []Accepted `json:"accepted"`
}

// An Offer holds the lists of a server in one protocol version.
type Offer struct {
	// Name and Target identify the server: serverInfo.name, and the command line or URL as in recordings. Files
	// of earlier versions of mcptea have neither.
	Name   string `json:"name,omitempty"`
	Target string `json:"target,omitempty"`

	Revision     string                       `json:"protocol_version"`
	Capabilities json.RawMessage              `json:"capabilities,omitempty"`
	Instructions json.RawMessage              `json:"instructions,omitempty"`
	Lists        map[string][]json.RawMessage `json:"lists"`
}

// An Accepted is a finding of a check that no longer counts as a failure.
type Accepted struct {
	Fingerprint string `json:"fingerprint"`
	Probe       string `json:"probe"`
	Revision    string `json:"protocol_version"`
	Message     string `json:"message"`
	Reason      string `json:"reason,omitempty"` // reason given by the user
}

const version = 1

// maxName bounds the shown characters of a server name.
const maxName = 100

// New returns a file without servers.
func New() *File { return &File{Version: version, Servers: []Offer{}, Accepted: []Accepted{}} }

// Parse reads a baseline file.
func Parse(text []byte) (*File, error) {
	f := &File{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, err
	}
	if f.Version != version {
		return nil, fmt.Errorf("it has version %d; this version of mcptea reads version %d", f.Version, version)
	}
	return f, nil
}

// MaxFile is the size of the largest file that is read, in bytes: with all lists of many servers it has a
// few megabytes.
const MaxFile = 64 << 20

// read reads a baseline file. A missing file is a file without servers.
func read(path string) (*File, error) {
	text, err := system.ReadText(path, MaxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return New(), nil
	case err != nil:
		return nil, err
	}
	file, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// Update reads a file, calls change, and writes the result. It locks out other processes, because another tap
// may be adding its server. If change returns nil, the file stays unchanged.
func Update(path string, change func(f *File) (*File, error)) error {
	if system.IsStream(path) {
		return replace(path, New(), change)
	}
	return system.WithLock(path, func() error {
		file, err := read(path)
		if err != nil {
			return err
		}
		return replace(path, file, change)
	})
}

func replace(path string, file *File, change func(f *File) (*File, error)) error {
	file, err := change(file)
	if file == nil || err != nil {
		return err
	}
	text, err := file.Text()
	if err != nil {
		return err
	}
	return system.WriteFileBytes(path, text)
}

// Text returns the content of the file.
func (f *File) Text() ([]byte, error) {
	text, err := jsonrpc.MarshalIndented(f, " ")
	return append(text, '\n'), err
}

// String names the server in a sentence.
func (o *Offer) String() string {
	name := "a server without a name"
	if o.Name != "" {
		name = phrase.Quote(o.Name, maxName)
	}
	if o.Target != "" {
		name += " (" + o.Target + ")"
	}
	return name
}

// isOf reports whether two offers are from the same server.
func (o *Offer) isOf(other *Offer) bool { return o.Name == other.Name && o.Target == other.Target }

// Find returns the entry of the file for the server and protocol version of an offer. If there is no entry, why is
// the reason, as a clause.
func (f *File) Find(of *Offer) (o *Offer, why string) {
	other := ""
	for i := range f.Servers {
		s := &f.Servers[i]
		switch {
		case !s.isOf(of):
		case s.Revision == of.Revision:
			return s, ""
		default:
			other = s.Revision
		}
	}
	switch {
	case other != "":
		return nil, fmt.Sprintf("it has %s in protocol version %s, and the session has %s", of, other, of.Revision)
	case len(f.Servers) == 0:
		return nil, "it has no server"
	}
	return nil, fmt.Sprintf("it does not have %s", of)
}

// renamed returns an entry of the same target for a server that the file does not have, or nil. The user chose the
// target, and the server its name and the protocol version: a server cannot become a new one by them. An entry of
// another version counts only if the lists differ.
func (f *File) renamed(now *Offer) *Offer {
	if now.Target == "" {
		return nil
	}
	var same *Offer
	for i := range f.Servers {
		s := &f.Servers[i]
		switch {
		case s.Target != now.Target:
		case s.Name == now.Name && s.Revision == now.Revision:
			return nil
		case s.Name != now.Name || len(s.listChanges(now)) > 0:
			same = s
		}
	}
	return same
}

// listChanges returns the changes of the lists that both offers have.
func (o *Offer) listChanges(now *Offer) []diff.Change {
	old, current := o.server(), now.server()
	current.Revision = old.Revision
	old.Capabilities, old.Instructions, current.Capabilities, current.Instructions = nil, nil, nil, nil
	for name := range old.Lists {
		if current.Lists[name] == nil {
			delete(old.Lists, name)
		}
	}
	for name := range current.Lists {
		if old.Lists[name] == nil {
			delete(current.Lists, name)
		}
	}
	return slices.DeleteFunc(diff.Servers(old, current), func(c diff.Change) bool { return c.Same })
}

// driftFrom says that an offer differs from an entry of the same target in the file of a path.
func (o *Offer) driftFrom(entry *Offer, path string) string {
	if o.Name != entry.Name {
		return fmt.Sprintf("%s has another name than in the baseline %s, %s; if that is intended, remove its entry there", o, path, phrase.Quote(entry.Name, maxName))
	}
	return fmt.Sprintf("%s offers something else in protocol version %s than in version %s of the baseline %s; if that is intended, remove the entry there", o, o.Revision, entry.Revision, path)
}

// Only returns the entry for a protocol version if the file is about a single server. It ignores the name,
// because the command line may differ from machine to machine. A nameless entry, written by an earlier version
// of mcptea, belongs to the server of the check.
func (f *File) Only(revision string) *Offer {
	of := func(mine func(*Offer) bool) *Offer {
		for i := range f.Servers {
			if o := &f.Servers[i]; o.Revision == revision && mine(o) {
				return o
			}
		}
		return nil
	}
	unnamed := Offer{}
	if o := of(unnamed.isOf); o != nil {
		return o
	}
	if slices.ContainsFunc(f.Servers, func(o Offer) bool { return !o.isOf(&f.Servers[0]) }) {
		return nil
	}
	return of(func(*Offer) bool { return true })
}

// Accept adds an offer to the file. It replaces the lists of an earlier offer of the same server and protocol
// version, and keeps lists that the new offer lacks.
func (f *File) Accept(now *Offer) {
	o, _ := f.Find(now)
	if o == nil {
		f.Servers = append(f.Servers, Offer{Name: now.Name, Target: now.Target, Revision: now.Revision, Lists: map[string][]json.RawMessage{}})
		o = &f.Servers[len(f.Servers)-1]
	}
	if now.Capabilities != nil {
		o.Capabilities, o.Instructions = now.Capabilities, now.Instructions
	}
	if o.Lists == nil {
		o.Lists = map[string][]json.RawMessage{}
	}
	for name, items := range now.Lists {
		o.Lists[name] = items
	}
}

// Changes returns the differences in meaning from an earlier offer. Differences only in spelling are left out.
func (o *Offer) Changes(now *Offer) []diff.Change {
	changes := diff.Servers(o.server(), now.server())
	return slices.DeleteFunc(changes, func(c diff.Change) bool { return c.Same })
}

// News describes the lists that an earlier offer lacks, with their lengths, such as "4 tools, 1 prompt", or
// returns "". The earlier offer may be nil.
func (o *Offer) News(earlier *Offer) string {
	var news []string
	for _, list := range revision.Lists {
		items, listed := o.Lists[list.Name]
		if listed && (earlier == nil || earlier.Lists[list.Name] == nil) {
			news = append(news, phrase.Count(len(items), list.Noun))
		}
	}
	return strings.Join(news, ", ")
}

func (o *Offer) server() diff.Server {
	s := diff.Server{Revision: o.Revision, Capabilities: o.Capabilities, Instructions: o.Instructions, Lists: map[string][][]byte{}}
	for name, items := range o.Lists {
		list := make([][]byte, len(items))
		for i, item := range items {
			list[i] = item
		}
		s.Lists[name] = list
	}
	return s
}

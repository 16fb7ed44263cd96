package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/target"
	"mcptea/client/hosts"
	"mcptea/session/question"
)

// hostEdit is an edit of the configuration of a host.
type hostEdit struct {
	p *edits
	wrapFlags
	wraps    bool
	onScreen bool   // the start screen asks the user, instead of the command
	id       string // HOST/SERVER
	// file is the file of the entry, or "" for any file. dir is the directory whose entries apply,
	// or "" for the current directory.
	file, dir string
	journal   hosts.Journal
	server    *hosts.Server
	machine   *hosts.Machine
}

// entriesNamed returns a line that asks about the entries whose name is a word or similar to it, or "".
func (e *hostEdit) entriesNamed(word string) string {
	c, _, err := target.Discover(e.p.Ctx)
	if err != nil {
		return ""
	}
	var editable []*hosts.Server
	for _, s := range c.Servers {
		if s.Scope != hosts.Catalog && s.Scope != hosts.Manifest {
			editable = append(editable, s)
		}
	}
	near := app.OneOf(target.EntriesLike(editable, word))
	if near == "" {
		return ""
	}
	return near + "\n"
}

// find finds the entry. If several entries have the name, it selects the entry that the host uses.
func (e *hostEdit) find() error {
	host, name, ok := strings.Cut(e.id, "/")
	if !ok || host == "" || name == "" {
		return app.Usage(e.entriesNamed(e.id)+"mcptea servers lists them.", "%q is not HOST/NAME", e.id)
	}
	if !slices.Contains(hosts.IDs(), host) {
		return unknownHost(host)
	}
	c, m, err := target.Discover(e.p.Ctx, host)
	if e.file != "" {
		c, m, err = target.DiscoverFrom(e.p.Ctx, e.dir, host)
	}
	if err != nil {
		return app.Failed("cannot read the configuration of %s: %v", hosts.HostName(host), err)
	}
	e.machine = m
	var names []string
	for _, s := range c.Servers {
		names = append(names, s.ID())
		if s.ID() == e.id && (e.file == "" || e.file == s.Source.File) && (e.server == nil || s.Effective || !e.server.Effective) {
			e.server = s
		}
	}
	if e.server != nil {
		return nil
	}
	hint := app.Suggest(e.id, names, "mcptea servers "+host+" lists them.")
	if backup := e.journal.Backup(e.id); backup != "" {
		hint += "\nThe file before it was wrapped: " + backup
	}
	for _, q := range c.Problems {
		if q.Severity == hosts.Error {
			hint = target.ProblemLine(m, &q) + "\n" + hint
		}
	}
	return app.Usage(e.p.Err.Safe(hint), "%s has no server %q", hosts.HostName(host), name)
}

func (e *hostEdit) wrap() (*hosts.Edit, error) {
	self, err := stableExecutable()
	if err != nil {
		return nil, app.Failed("cannot find the mcptea executable: %v", err)
	}
	if IsTemporary(self) {
		return nil, app.Usage("Install mcptea first: go install . in the clone. Nothing was written.", "go run deletes %s when this command exits, so the entry would stop working", self)
	}
	s := e.server
	isURL := s.Transport == hosts.HTTP || s.Transport == hosts.SSE
	switch {
	case !isURL && e.listen != "":
		return nil, app.Usage("Omit the flag.", "--listen is for servers with a URL, but %s has a command", e.id)
	case isURL && e.watch != "":
		return nil, app.Usage("Omit the flag.", "--watch is for servers with a command, but %s has a URL", e.id)
	}
	return s.Wrap(hosts.WrapOptions{Mcptea: self, Force: e.force, Watch: e.watch, Listen: e.listen})
}

// stableExecutable returns the absolute path of this executable. A link on PATH is preferred to
// its target, whose path may have a version.
func stableExecutable() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := filepath.EvalSymlinks(self)
	if err != nil {
		return "", err
	}
	if named, err := exec.LookPath(os.Args[0]); err == nil {
		if path, err := filepath.Abs(named); err == nil {
			if target, err := filepath.EvalSymlinks(path); err == nil && target == file {
				return path, nil
			}
		}
	}
	return self, nil
}

// IsTemporary reports the path of a program that go run has built, and removes.
func IsTemporary(path string) bool {
	dir := filepath.ToSlash(filepath.Dir(path))
	return strings.Contains(dir, "/go-build") && strings.HasSuffix(dir, "/exe")
}

// refused adds a hint to the reason of a refusal.
func (e *hostEdit) refused(err error) error {
	var r *hosts.RefusedError
	if !errors.As(err, &r) {
		return err
	}
	if r.Snippet != "" && e.onScreen {
		return app.Usage("mcptea servers "+r.Verb+" "+e.id+" prints the lines to put there by hand. Nothing was written.", "%v", err)
	}
	if r.Snippet != "" {
		e.p.Out.Line(e.p.Out.Safe(r.Snippet))
		return app.Usage("Replace the lines with the same keys by these lines. Nothing was written.", "%v", err)
	}
	hint := "mcptea servers " + e.server.Host + " lists the entries with their problems. Nothing was written."
	switch r.Reason {
	case "oauth":
		hint = "Omit --listen: mcptea signs in itself then. --force wraps it; the sign-in of the host may fail."
	case "F070":
		hint = "mcptea servers unwrap " + e.id + " restores the entry."
	case "not-wrapped":
		hint = "mcptea servers wrap " + e.id + " wraps it."
	}
	return app.Usage(hint, "%v", err)
}

// write shows the edit, asks, and writes it.
func (e *hostEdit) write(edit *hosts.Edit) error {
	p := e.p
	switch {
	case e.yes:
		e.print(edit)
	case !p.Interactive() || !p.Err.Terminal:
		e.print(edit)
		return app.Usage("Add --yes to write it.", "nothing was written: there is no terminal to ask on")
	default:
		c := e.question(edit)
		if c.IsLarge() {
			return app.Usage("Add --yes to write it.", "nothing was written: the change of %s is too long to be read and agreed to", edit.File)
		}
		if ok, err := p.Confirm("This changes the configuration of "+hosts.HostName(e.server.Host)+".", c); err != nil {
			return err
		} else if !ok {
			return app.Failed("nothing was written")
		}
	}
	if err := e.apply(edit); err != nil {
		return err
	}
	if e.wraps {
		fmt.Fprintf(p.Err, "Wrote %s. The original file: %s\nmcptea servers unwrap %s restores it. Do that before you remove mcptea: the entry starts it.\n", p.Err.Safe(edit.File), p.Err.Safe(e.journal.Backup(e.id)), p.Err.Safe(e.id))
		return nil
	}
	fmt.Fprintf(p.Err, "Wrote %s.\n", p.Err.Safe(edit.File))
	return nil
}

// question returns the change as a question.
func (e *hostEdit) question(edit *hosts.Edit) question.Text {
	facts, why := target.Marks(e.server)
	return question.Text{
		Facts: append(facts, question.Fact{Label: "file", Text: edit.File, Strong: true}), Notes: append(why, e.notes()...),
		Name: "change", Lines: diffLines(edit), Short: "Write", Subject: edit.File,
	}
}

func diffLines(edit *hosts.Edit) []string {
	return strings.Split(strings.TrimSuffix(edit.Diff(), "\n"), "\n")
}

// print prints the change without a question.
func (e *hostEdit) print(edit *hosts.Edit) {
	p := e.p
	p.Out.Line(p.Out.Strong(p.Out.Safe(edit.File)))
	for _, line := range diffLines(edit) {
		line = p.Out.Safe(line)
		switch line[:1] {
		case "+":
			line = p.Out.Good(line)
		case "-":
			line = p.Out.Bad(line)
		case "@":
			line = p.Out.Faint(line)
		}
		p.Out.Line(line)
	}
	for _, note := range e.notes() {
		p.Note(note)
	}
}

// apply writes the edit.
func (e *hostEdit) apply(edit *hosts.Edit) error {
	if err := e.journal.Apply(edit); err != nil {
		return app.Failed("cannot write %s: %v", edit.File, err)
	}
	return e.kept(edit)
}

// keptAfter bounds the time in which a running Claude Code may overwrite the file with its own
// copy. The copy also contains its state.
const keptAfter = time.Second

// kept fails if the host has written its own copy of the file.
func (e *hostEdit) kept(edit *hosts.Edit) error {
	if e.server.Host != "claude-code" || e.server.Scope != hosts.User && e.server.Scope != hosts.Local {
		return nil
	}
	select {
	case <-time.After(keptAfter):
	case <-e.p.Ctx.Done():
		return context.Cause(e.p.Ctx)
	}
	if edit.Kept() {
		return nil
	}
	return &app.Error{Code: app.ExitError, Text: fmt.Sprintf("%s has changed again: Claude Code writes it while it runs", edit.File), Hint: "Quit Claude Code, and repeat the command if the edit is gone."}
}

// shownArgv returns the command of a server with its arguments, secrets masked.
func shownArgv(s *hosts.Server) []string {
	l := s.Written.Redacted()
	return l.Argv()
}

// notes returns notes for the user before the edit is written.
func (e *hostEdit) notes() []string {
	s := e.server
	var notes []string
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if e.wraps {
		switch {
		case s.Transport == hosts.Stdio && e.watch != "":
			add("mcptea runs the command, and again after each save: %s", strings.Join(shownArgv(s), " "))
		case s.Transport != hosts.Stdio && e.listen == "":
			add("The host starts the tap, which connects to %s, and signs in there itself if the server asks for it.", s.Expanded.Redacted().URL)
		case s.Transport != hosts.Stdio:
			add("%s connects to the tap, which must be running: %s", hosts.HostName(s.Host), tapListen(e.id, e.listen, s.Expanded.URL))
			if len(s.Written.Headers) == 0 && s.HeadersHelper == "" && s.BearerEnv == "" {
				add("A sign-in of %s at the server may fail, because the URL differs.", hosts.HostName(s.Host))
			}
		}
		if e.machine.Tracked(s.Source.File) {
			add("The file is under version control: others get the path of mcptea too.")
		}
		if strings.Contains(e.id, "claude-code/") && s.Scope == hosts.Project {
			add("Claude Code uses an entry of the local scope instead of this one: claude mcp add --scope local.")
		}
	}
	switch s.Host {
	case "vscode":
		add("VS Code asks again whether you trust the server.")
	default:
		add("Restart %s, or let it reload its configuration.", hosts.HostName(s.Host))
	}
	return notes
}

package inspector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/client/hosts"
	"mcptea/internal/shell"
	"mcptea/internal/system/sourcefile"
	"mcptea/session/question"
	"mcptea/ui"
	"mcptea/ui/dialog"
	"mcptea/ui/pane/start"
)

// StartOn shows the start screen with the command that runs the file or project that the first argument names,
// with the other arguments after it.
func (p *Inspector) StartOn(words []string) error {
	return p.startScreen("", target.SourceLine(words), words)
}

// startLine returns the text that a command line puts on the start screen. It is the command for
// the file or the project that the first word names, or a file with several servers. For any other
// command line, which failed with err, it returns "".
func (p *Inspector) startLine(cmd *cobra.Command, args, rest []string, err error) string {
	switch {
	case cmd.ArgsLenAtDash() >= 0:
		return ""
	case err != nil && len(args) == 1:
		if c, _ := target.ServersIn(args[0]); c != nil && len(c.Servers) > 1 {
			line, _ := shell.Bash.Join(shell.Literals(args[0]))
			return line
		}
		return ""
	case err != nil || len(rest) == 0:
		return ""
	}
	return cmp.Or(target.RecordingLine(rest), target.SourceLine(rest))
}

// startScreen shows the list of entries to open, with one selected, and opens the user's choice. The text field
// contains line, which comes from words of the command line. If something cannot be opened, the screen shows
// the error and keeps the line.
func (p *Inspector) startScreen(entry, line string, words []string) error {
	if err := CheckKeys(p.Settings); err != nil {
		return err
	}
	listed := p.listedServers()
	groups := p.groups(listed)
	dir, err := os.Getwd()
	if err != nil {
		return app.Failed("cannot find the working directory: %v", err)
	}
	shown := dir
	if m, err := hosts.LocalMachine(dir); err == nil {
		shown = target.ShortPath(m, dir)
	}
	args, field := withoutWords(p.Args, words), start.Line{Text: line}
	for {
		screen := p.ScreenOptions()
		screen.Another = nil // the start screen is already open
		chosen, err := ui.Start(p.Ctx, screen, ui.StartOptions{
			Dir: shown, Meaning: func(text string) []start.Entry { return p.meaning(listed, text) },
			Groups: groups, OfTaps: groupsOfTaps, Selected: entry, Line: field,
			Inputs: func(e *start.Entry) []start.Input { return p.inputs(listed.named(e.Key, e.Args)) },
		})
		switch {
		case context.Cause(p.Ctx) != nil:
			return context.Cause(p.Ctx)
		case err != nil || chosen == nil:
			return err
		}
		p.Args = args
		mistake, err := p.openChosen(chosen, listed)
		if mistake == nil {
			return err
		}
		if err := p.returnTo(dir); err != nil {
			return err
		}
		field = chosen.Line
		field.Mistake, field.At = p.sentences(mistake), placeOf(mistake.Word, field.Text)
	}
}

// openChosen opens the user's choice. mistake is the reason why it could not be opened, before anything was
// shown or printed.
func (p *Inspector) openChosen(chosen *ui.Chosen, listed *listedServers) (mistake *app.Error, err error) {
	if chosen.Dir != "" {
		if err := p.enter(chosen.Dir); err != nil {
			return nil, app.Failed("cannot use the directory of the target: %v", err)
		}
	}
	if len(chosen.Args) > 0 && chosen.Args[0] == "open" {
		p.called = chosen.Name // such as the name of a tap
	}
	p.Shown, p.Given, p.Agreed = listed.named(chosen.Key, chosen.Args), chosen.Inputs, chosen.Agreed
	p.TakeError = func(e *app.Error) bool {
		if p.shown || p.Out.Wrote || context.Cause(p.Ctx) != nil {
			return false
		}
		mistake = e
		return true
	}
	defer func() { p.TakeError = nil }()
	err = p.runArguments(chosen.Args)
	if e := (*app.Error)(nil); mistake == nil && errors.As(err, &e) && e.Text != "" {
		p.TakeError(e) // error of the flags themselves
	}
	if mistake != nil {
		p.Code, p.called = app.ExitOK, ""
	}
	return mistake, err
}

// returnTo restores the directory of the start screen.
func (p *Inspector) returnTo(dir string) error {
	if p.hosted {
		p.leave()
		p.dir, p.leaves = "", nil
		return nil
	}
	if err := os.Chdir(dir); err != nil {
		return app.Failed("cannot return to the working directory: %v", err)
	}
	return nil
}

// sentences returns an error and its hint as stderr would show them.
func (p *Inspector) sentences(e *app.Error) []string {
	lines := strings.Split(p.Secrets.Redact(strings.TrimSpace(e.Text)), "\n")
	lines[0] = dialog.Sentence(errors.New(lines[0]))
	if e.Hint != "" {
		lines = append(lines, strings.Split(p.Secrets.Redact(e.Hint), "\n")...)
	}
	return lines
}

// placeOf returns the position of a word, or of a flag's value, in a line, or the end of the line if it is not
// found.
func placeOf(word, line string) int {
	const around = " \t\"'="
	isEdge := func(at int) bool { return at < 0 || at >= len(line) || strings.IndexByte(around, line[at]) >= 0 }
	for from := 0; word != "" && from < len(line); {
		i := strings.Index(line[from:], word)
		if i < 0 {
			break
		}
		if at := from + i; isEdge(at-1) && isEdge(at+len(word)) {
			return at
		}
		from += i + 1
	}
	return len(line)
}

// withoutWords returns the arguments of a command line without the last ones that are some words.
func withoutWords(args, words []string) []string {
	left := slices.Clone(args)
	for i := len(left) - 1; i >= 0 && len(words) > 0; i-- {
		if left[i] == words[len(words)-1] {
			left, words = slices.Delete(left, i, i+1), words[:len(words)-1]
		}
	}
	return left
}

// inputs returns the values that a configured server needs from the user, or nil if there is no server.
func (p *Inspector) inputs(s *hosts.Server) (list []start.Input) {
	if s == nil {
		return nil
	}
	for _, in := range p.MissingInputs(s) {
		one := start.Input{ID: in.ID, Text: target.AboutInput(in), Default: in.Default, Secret: in.IsPrivate()}
		for _, c := range in.Choices {
			one.Choices = append(one.Choices, start.Fact{Label: c.Label, Text: c.Value})
		}
		list = append(list, one)
	}
	return list
}

// groupsOfTaps holds the indices of the groups with the active taps and with their recordings.
var groupsOfTaps = []int{1, 3}

// groups returns functions that read the entries that can be opened.
func (p *Inspector) groups(listed *listedServers) []func(context.Context) start.Group {
	return []func(context.Context) start.Group{
		bounded("Configured servers", listed.group),
		bounded("Active taps", p.tapsGroup), bounded("Recent", func(ctx context.Context) start.Group { return p.recentGroup(ctx, listed) }), bounded("Recordings", p.recordingsGroup), demoGroup,
	}
}

// runArguments runs the program with arguments that follow the flags of its command
// line.
func (p *Inspector) runArguments(args []string) error {
	p.Args = append(slices.Clone(p.Args), args...)
	p.Flags, p.Launch = settings.Flags{}, ""
	if err := p.Execute(p.Args); err != nil {
		return app.AsUsage(err)
	}
	if p.Code != app.ExitOK {
		return app.Silent(p.Code) // the error was reported
	}
	return nil
}

// meaning returns the entries that a line typed on the start screen may open: the servers of a pasted text, or
// one entry.
func (p *Inspector) meaning(listed *listedServers, text string) []start.Entry {
	if text == "" {
		return nil
	}
	c, m, err := p.Pasted(text)
	switch {
	case err != nil:
		return []start.Entry{*refused(&start.Entry{Key: "typed", Name: "pasted", Launch: text}, dialog.Sentence(err))}
	case c != nil:
		return listed.pasted(p.Ctx, c, m, text)
	}
	if found := listed.inFile(p.Ctx, text); len(found) > 1 {
		return found
	}
	return []start.Entry{*p.typed(text)}
}

// typed returns the entry for a typed line: a URL, with or without its scheme; flags; a command; or any of
// these after the word mcptea.
func (p *Inspector) typed(text string) *start.Entry {
	e := &start.Entry{Key: "typed", Name: "typed", Launch: text}
	words, err := shell.Split(text, p.Env.Lookup)
	if err != nil {
		return refused(e, "The line cannot be read: "+err.Error()+".")
	}
	switch first := words[0]; {
	case first == "mcptea" && serves(words):
		e.Name, e.Args, e.Verb = "start", append([]string{"--", itself()}, words[1:]...), "start it and connect"
		shows(e, "command", text)
	case first == "mcptea" && p.hosted && !(len(words) > 1 && opens(words[1])):
		return refused(e, "Beside a session, only a line that opens a session works: a target without the word mcptea, mcptea open, or mcptea demo.")
	case first == "mcptea":
		e.Args, e.Verb = words[1:], "run it"
		shows(e, "run", text)
	case strings.HasPrefix(first, "-"):
		e.Args, e.Verb = words, "connect"
		shows(e, "flags", text)
	case target.IsURL(first) || target.AsURL(first) != "":
		if address := target.AsURL(first); !target.IsURL(first) {
			words[0] = address
		}
		if len(words) > 1 && !strings.HasPrefix(words[1], "-") {
			return refused(e, fmt.Sprintf("%q follows the URL. Only flags may follow it, such as -H.", words[1]))
		}
		e.Name, e.Args, e.Verb = "connect", words, "connect"
		shows(e, "URL", strings.Replace(text, first, words[0], 1)) // values of variables are not shown
	default:
		if _, err := exec.LookPath(first); err != nil && !errors.Is(err, exec.ErrDot) {
			if opens(first) {
				e = p.typed("mcptea " + text)
				e.First = len(words) == 1
				return e
			}
			e.First = means(words)
			if c, found := target.Source(first); found {
				return sourceEntry(e, c, words)
			}
			return refused(e, fmt.Sprintf("%q is neither a URL nor a command: %v.", first, errors.Unwrap(err)))
		}
		e.Name, e.Args, e.Verb = "start", append([]string{"--"}, words...), "start it and connect"
		shows(e, "command", text)
		e.First = means(words)
	}
	return e
}

// sourceEntry makes an entry run a file of source code or a project, with the words after it as arguments.
func sourceEntry(e *start.Entry, c sourcefile.Command, words []string) *start.Entry {
	e.First = true
	if len(c.Argv) == 0 {
		return refused(e, fmt.Sprintf("%q is %s. %s", words[0], c.What, c.Lacks))
	}
	argv := slices.Concat(c.Argv, words[1:])
	line, err := shell.Bash.Join(shell.Literals(argv...))
	if err != nil {
		return refused(e, dialog.Sentence(err))
	}
	e.Name, e.Args, e.Verb = "start", append([]string{"--"}, argv...), "start it and connect"
	shows(e, "command", line)
	if c.Lacks != "" {
		e.Problems = append(e.Problems, start.Problem{Mark: start.MarkWarning, Text: c.Lacks})
	}
	return e
}

// shows sets the text that the user must see before a line is opened. Without a paste, the user has typed it.
func shows(e *start.Entry, label, text string) {
	e.Facts = []start.Fact{{Label: label, Text: text}}
	e.Ask = typedQuestion(label, text)
}

// typedQuestion returns the question about a line that the user has typed, now or before.
func typedQuestion(label, text string) *start.Ask {
	ask := &start.Ask{Own: true}
	ask.Title, ask.Yes, ask.No = "Open this?", "open", "cancel"
	ask.Text = question.Text{Name: label, Line: label, Typed: true, Lines: []string{text}, Short: "Open", Subject: text}
	return ask
}

// means reports whether a line is a word that cannot name a server of a project: a command of mcptea, or a
// file.
func means(words []string) bool {
	return len(words) == 1 && (opens(strings.ToLower(words[0])) || isFile(words[0]))
}

// isFile reports whether a word is a file, or can only be a file.
func isFile(word string) bool {
	if info, err := os.Stat(word); err == nil && !info.IsDir() {
		return true
	}
	return slices.Contains([]string{".jsonl", ".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml", ".gz", ".har", ".txtar", ".log"}, strings.ToLower(filepath.Ext(word)))
}

// opens reports whether a word is a command that opens a session.
func opens(word string) bool { return word == "open" || word == "demo" }

// serves reports whether a command line of mcptea runs a server on its stdin and stdout: then it is a target,
// and has no terminal.
func serves(words []string) bool {
	if len(words) < 2 {
		return false
	}
	switch words[1] {
	case "mcp", "mock":
		return !slices.ContainsFunc(words[2:], func(word string) bool { return strings.HasPrefix(word, "--listen") })
	case "demo":
		return slices.Contains(words[2:], "--serve")
	}
	return false
}

// itself returns the word that starts mcptea: its name where PATH has it, else the file of this program.
func itself() string {
	if _, err := exec.LookPath("mcptea"); err == nil {
		return "mcptea"
	}
	if path, err := os.Executable(); err == nil {
		return path
	}
	return "mcptea"
}

// refused returns an entry that cannot be opened.
func refused(e *start.Entry, why string) *start.Entry {
	e.Mark, e.Note = start.MarkError, "not a target"
	e.Problems = append(e.Problems, start.Problem{Mark: start.MarkError, Text: why})
	return e
}

func demoGroup(context.Context) start.Group {
	const demoText = "built-in server: every feature of every protocol version, no setup"
	return start.Group{Title: "Demo", Kind: "demo", Entries: []start.Entry{{
		Key: "demo", Name: "demo", Launch: demoText, Verb: "start it and connect", Args: []string{"demo"},
		Facts:   []start.Fact{{Label: "command", Text: "mcptea demo"}, {Label: "", Text: demoText}},
		Command: "mcptea demo",
	}}}
}

// readTimeout bounds the reading of a part of the start screen: a file system may not
// respond.
const readTimeout = 3 * time.Second

// bounded returns a function that reads a part of the start screen within readTimeout.
func bounded(title string, read func(context.Context) start.Group) func(context.Context) start.Group {
	return func(ctx context.Context) start.Group {
		done := make(chan start.Group, 1)
		go func() { done <- read(ctx) }()
		late := time.NewTimer(readTimeout)
		defer late.Stop()
		select {
		case g := <-done:
			return g
		case <-ctx.Done():
		case <-late.C:
		}
		return start.Group{Title: title, Entries: []start.Entry{{
			Key: "late", Mark: start.MarkWarning, Name: "not read", Launch: fmt.Sprintf("The files were not read within %s.", readTimeout),
		}}}
	}
}

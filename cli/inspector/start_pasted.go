package inspector

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/client/hosts"
	"mcptea/internal/shell"
	"mcptea/ui/dialog"
	"mcptea/ui/pane/start"
)

// maxPastedServers bounds how many servers of a pasted text are listed. For more, the user should make a file.
const maxPastedServers = 100

// maxTexts bounds the texts that are remembered with their servers: a typed text is parsed after each letter,
// and in any order. For a dropped text the question is asked again.
const maxTexts = 64

// pasted returns the servers in a pasted text. Before one is opened, the user is asked about the command that
// it starts.
func (l *listedServers) pasted(ctx context.Context, c *hosts.Configuration, m *hosts.Machine, text string) (entries []start.Entry) {
	typed := map[string]*hosts.Server{}
	for i, s := range c.Servers[:min(len(c.Servers), maxPastedServers)] {
		e := serverEntry(m, s)
		e.Key, e.Where, e.Place, e.File, e.Line, e.Command = fmt.Sprintf("pasted %d %s", i, s.Name), "pasted", "", "", 0, ""
		if e.Note != "" && e.Mark == start.MarkNone {
			e.Note = ""
		}
		if err := settings.TakeEnvFile(ctx, s); err != nil {
			e.Args, e.Problems = nil, append(e.Problems, start.Problem{Mark: start.MarkError, Text: dialog.Sentence(err)})
		}
		if e.Args != nil {
			e.Args = []string{text}
			e.Ask = consentTo(s, s.Name, l.sent(s))
			e.Ask.Window = true // its whole text was written by others
		}
		typed[e.Key] = s
		entries = append(entries, e)
	}
	if len(entries) == 0 {
		e := start.Entry{Key: "typed", Name: "pasted", Launch: text}
		why := "It has no servers."
		if len(c.Problems) > 0 {
			why = fmt.Sprintf("Line %d: %s", c.Problems[0].Line, c.Problems[0].Message)
		}
		entries = append(entries, *refused(&e, why))
	}
	l.remember(text, typed)
	return entries
}

// remember keeps the servers of a text, by the keys of their entries.
func (l *listedServers) remember(text string, found map[string]*hosts.Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.typed == nil || len(l.typed) >= maxTexts {
		l.typed = map[string]map[string]*hosts.Server{}
	}
	l.typed[text] = found
}

// inFile returns the servers of the file that a typed line names, if it has several.
func (l *listedServers) inFile(ctx context.Context, line string) (entries []start.Entry) {
	words, err := shell.Split(line, os.LookupEnv)
	if err != nil || len(words) != 1 {
		return nil
	}
	c, m := target.ServersIn(words[0])
	if c == nil || len(c.Servers) < 2 { // a file with only one server is opened by its name
		return nil
	}
	for _, s := range c.Servers[:min(len(c.Servers), maxPastedServers)] {
		e := serverEntry(m, s)
		e.Where, e.First = filepath.Base(words[0]), true
		if e.Args != nil {
			name := words[0] + "#" + target.NameIn(s)
			e.Args = []string{name}
			l.ask(ctx, s, &e, name)
			l.remember(name, map[string]*hosts.Server{e.Key: s})
		}
		entries = append(entries, e)
	}
	return entries
}

// consentTo returns the question about an entry. Values that the list masks, and credentials of the user that
// are sent, are shown only in a window.
func consentTo(s *hosts.Server, name string, sent []string) *start.Ask {
	heading, text := target.ConsentTo(s, name, sent)
	ask := &start.Ask{Consent: dialog.Consent{Text: text, Title: "Start this command?", Yes: "start", No: "cancel", Warnings: []string{heading}}, Window: target.Hides(s) || len(sent) > 0}
	if s.Transport != hosts.Stdio {
		ask.Title, ask.Yes = "Connect to this URL?", "connect"
	}
	return ask
}

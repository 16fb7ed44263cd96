package target

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"mcptea/cli/app"
	"mcptea/client/hosts"
	"mcptea/internal/system/userdir"
	"mcptea/session/question/consent"
	"mcptea/session/state"
)

// agreeTo asks whether to use an entry of a file of the project, once for each file and content, or
// one that was pasted, each time. The user has agreed to what the start screen has shown.
func (p *Target) agreeTo(s *hosts.Server, name string) error {
	if s.Pasted && p.Shown == nil && !p.Flags.Yes {
		return p.askAbout(s, name)
	}
	if !s.InProject() {
		return nil
	}
	hash, agreed := agreement(s), agreements()
	if agreed != nil && agreed.Has(hash) {
		return nil
	}
	if p.Shown == nil && !p.Flags.Yes {
		if err := p.askAbout(s, name); err != nil {
			return err
		}
	}
	if agreed != nil && !p.Flags.Yes {
		if err := agreed.Add(hash); err != nil { // it is asked again then
			fmt.Fprintf(p.Err, "%s %s\n", p.Err.Warn("warning:"), p.Err.Safe(err.Error()))
		}
	}
	return nil
}

// ConsentTo is the question whether to use an entry: what it starts, with each argument.
func ConsentTo(s *hosts.Server, name string) (heading string, c consent.Text) {
	shown := s.Written.Redacted()
	c = consent.Text{
		Facts: []consent.Fact{{Label: "entry", Text: name, Strong: true}, {Label: "file", Text: fmt.Sprintf("%s:%d", s.Source.File, s.Source.Line)}},
		Short: "Start", Subject: name, Blanks: true,
	}
	heading = "This server is in a file of the project."
	if s.Pasted {
		heading = "This server was pasted."
		c.Facts = c.Facts[:1]
	}
	if s.Transport == hosts.Stdio {
		heading += " It would run with your rights."
		c.Name, c.Lines = "command, a line for each argument", shown.Argv()
		if shown.Dir != "" {
			c.Facts = append(c.Facts, consent.Fact{Label: "directory", Text: shown.Dir})
		}
	} else {
		c.Short, c.Name, c.Lines = "Connect to", "URL", []string{shown.URL}
	}
	for _, list := range []struct {
		label  string
		fields []hosts.Field
	}{{"env", shown.Env}, {"header", shown.Headers}} {
		for _, f := range list.fields {
			c.Facts = append(c.Facts, consent.Fact{Label: list.label, Text: f.Name + "=" + f.Value})
		}
	}
	return heading, c
}

// askAbout shows on the terminal what an entry starts, and asks.
func (p *Target) askAbout(s *hosts.Server, name string) error {
	heading, c := ConsentTo(s, name)
	switch {
	case !p.canAsk() && s.Pasted:
		return app.Usage("Look at it, and add --yes to use it; on a terminal mcptea asks.", "the pasted entry %s %s %s, and you have not agreed to it", name, starts(s), p.Err.Safe(s.Written.Redacted().String()))
	case !p.canAsk():
		return app.Usage("Look at the entry, and add --yes to use it; on a terminal mcptea asks, once.", "%s is an entry of %s, a file of the project, and you have not agreed to it; it %s %s", name, s.Source.File, starts(s), p.Err.Safe(s.Written.Redacted().String()))
	case c.IsLarge():
		return app.Usage("", "%s is an entry of %s that is too long to be read and agreed to", name, s.Source.File)
	}
	agreed, err := p.answered(p.Err.Ask(heading, c))
	if err == nil && !agreed {
		err = app.Failed("%s was not started", name)
	}
	return err
}

// starts is what an entry does with its command or its URL.
func starts(s *hosts.Server) string {
	if s.Transport == hosts.Stdio {
		return "starts"
	}
	return "connects to"
}

// canAsk reports whether the user can be asked: what is printed on stdout may go elsewhere.
func (p *Target) canAsk() bool { return p.Err.Terminal && p.InTerminal() }

// answered reads the answer to a question.
func (p *Target) answered(q *app.Question) (agreed bool, err error) {
	defer q.End()
	for {
		line, err := p.ReadLine()
		if cause := context.Cause(p.Ctx); cause != nil {
			return false, cause
		}
		answer := strings.ToLower(strings.TrimSpace(line))
		switch {
		case err != nil && (err != io.EOF || answer == ""), answer == "n", answer == "no":
			return false, nil
		case q.Left() > 0:
			q.Page()
		default:
			return answer == "y" || answer == "yes", nil
		}
	}
}

// agreement identifies an entry by its file and what is written there.
func agreement(s *hosts.Server) string {
	text, _ := json.Marshal(struct { // strings alone
		File, Name     string
		Transport      hosts.Transport
		Launch         hosts.Launch
		Forward        []string
		HeaderEnv      []hosts.Field
		Bearer, Helper string
		Image          string
	}{s.Source.File, s.Name, s.Transport, s.Written, s.EnvForward, s.HeaderEnv, s.BearerEnv, s.HeadersHelper, s.Image})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// agreements is the file of the entries that the user has agreed to; nil without a state
// directory.
func agreements() *state.Agreed {
	dir, err := userdir.State()
	if err != nil {
		return nil
	}
	return state.NewAgreed(filepath.Join(dir, "agreed-servers"))
}

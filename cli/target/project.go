package target

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/client/hosts"
	"mcptea/internal/system/userdir"
	"mcptea/session/question/consent"
	"mcptea/session/state"
)

// agreeTo asks whether to use an entry of a file of the project, once for each file and content, or
// one that was pasted, each time. The user has agreed to what the start screen has shown.
func (p *Target) agreeTo(s *hosts.Server, name string) error {
	if !s.Pasted && !s.InProject() {
		return nil
	}
	if err := settings.TakeEnvFile(p.Ctx, s); err != nil {
		return err
	}
	if p.Shown != nil && !slices.Equal(p.Shown.FileEnv, s.FileEnv) {
		return app.Usage("Start mcptea again to see what it starts now.", "the env file of %s has changed since it was shown", name)
	}
	if s.Pasted {
		if p.Shown == nil && !p.Flags.Yes {
			return p.askAbout(s, name)
		}
		return nil
	}
	hash, agreed := agreement(s, p.Sent(s)), agreements()
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

// IsAgreed reports whether the user has agreed to an entry of a project as it is now, with its env
// file and the credentials that are sent, see [settings.Settings.Sent].
func IsAgreed(s *hosts.Server, sent []string) bool {
	agreed := agreements()
	return agreed != nil && agreed.Has(agreement(s, sent))
}

// ConsentTo is the question whether to use an entry: what it starts, with each argument, and which
// credentials of the user are sent, see [settings.Settings.Sent]. What could run is not masked, whatever it looks like. The env file of the entry has been read, see
// [settings.TakeEnvFile].
func ConsentTo(s *hosts.Server, name string, sent []string) (heading string, c consent.Text) {
	masked := s.Written.Redacted()
	c = consent.Text{
		Facts: []consent.Fact{{Label: "entry", Text: name, Strong: true}, {Label: "file", Text: fmt.Sprintf("%s:%d", s.Source.File, s.Source.Line)}},
		Short: "Start", Subject: name, Blanks: true,
	}
	heading = "This server is in a file of the project."
	if s.Pasted {
		heading = "This server was pasted."
		c.Facts = c.Facts[:1]
	}
	fact := func(label, text string) { c.Facts = append(c.Facts, consent.Fact{Label: label, Text: text}) }
	if s.Transport == hosts.Stdio {
		heading += " It would run with your rights."
		c.Name, c.Lines = "command, a line for each argument", s.Written.Argv()
		if s.Written.Dir != "" {
			fact("directory", s.Written.Dir)
		}
	} else {
		c.Short, c.Name, c.Lines = "Connect to", "URL", []string{masked.URL}
	}
	for i, f := range s.Written.Env {
		switch {
		case f.Unset:
			fact("env", f.Name+" is not set")
		default:
			fact("env", f.Name+"="+shownValue(f.Value, masked.Env[i].Value))
		}
	}
	if s.Written.EnvFile != "" {
		fact("env file", s.Written.EnvFile)
		masked := hosts.Launch{Env: s.FileEnv}.Redacted()
		for i, f := range s.FileEnv {
			fact("env", f.Name+"="+shownValue(f.Value, masked.Env[i].Value))
		}
	}
	for _, f := range masked.Headers {
		fact("header", f.Name+": "+f.Value)
	}
	for _, f := range s.HeaderEnv {
		fact("header", f.Name+": $"+f.Value)
	}
	if s.BearerEnv != "" {
		fact("header", "Authorization: Bearer $"+s.BearerEnv)
	}
	for _, text := range sent {
		fact("sends", text)
	}
	return heading, c
}

// Hides reports whether the list of the start screen does not show all that an entry starts with: some of
// it looks like a secret, is in another file, or is a value of the environment or a credential that is sent.
func Hides(s *hosts.Server, sent []string) bool {
	masked := s.Written.Redacted()
	if len(sent) > 0 || s.Written.EnvFile != "" || s.BearerEnv != "" || len(s.HeaderEnv) > 0 || !slices.Equal(masked.Argv(), s.Written.Argv()) {
		return true
	}
	for i, f := range s.Written.Env {
		if shownValue(f.Value, masked.Env[i].Value) != masked.Env[i].Value {
			return true
		}
	}
	return false
}

// shownValue is the value of a variable in a question. It is masked only where it can be nothing but a
// value: a URL, or a word that names no path. Of the rest a shell runs what an argument says.
func shownValue(value, masked string) string {
	if u, err := url.Parse(value); err == nil && u.Scheme != "" && u.Host != "" && !strings.ContainsAny(value, " \t\n$`'\"\\;|<>(){}") {
		return masked
	}
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+/=_.~:@%-", r)
	}
	if strings.ContainsFunc(value, func(r rune) bool { return !plain(r) }) || strings.ContainsAny(value[:min(len(value), 1)], "/.~-") || strings.Contains(value, "..") {
		return value
	}
	return masked
}

// askAbout shows on the terminal what an entry starts, and asks.
func (p *Target) askAbout(s *hosts.Server, name string) error {
	heading, c := ConsentTo(s, name, p.Sent(s))
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

// agreement identifies an entry by its file and what is written there, and what of the user is sent.
func agreement(s *hosts.Server, sent []string) string {
	text, _ := json.Marshal(struct { // strings alone
		File, Name     string
		Transport      hosts.Transport
		Launch         hosts.Launch
		Forward        []string
		HeaderEnv      []hosts.Field
		Bearer, Helper string
		Image          string
		FileEnv        []hosts.Field `json:",omitempty"`
		Sent           []string      `json:",omitempty"`
	}{s.Source.File, s.Name, s.Transport, s.Written, s.EnvForward, s.HeaderEnv, s.BearerEnv, s.HeadersHelper, s.Image, s.FileEnv, sent})
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

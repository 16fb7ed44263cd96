package target

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/client/hosts"
	"mcptea/internal/system"
	"mcptea/session/question"
	"mcptea/session/state"
)

// agreeTo asks the user to consent to an entry of a project file, once for each file and content, or to a
// pasted entry, each time. If the start screen showed the entry, the user has consented already.
func (p *Target) agreeTo(s *hosts.Server, name string) error {
	if s.Host == settings.OwnHost {
		return nil
	}
	if err := settings.TakeEnvFile(p.Ctx, s); err != nil {
		return err
	}
	_, c := ConsentTo(s, name, p.Sent(s))
	agreed := agreements()
	switch {
	case p.Agreed.To(c):
	case !s.Pasted && agreed != nil && agreed.Has(c.Of):
		return nil
	case p.Shown != nil:
		return changed(name)
	case !s.Pasted && !s.InProject():
		return nil // the user has named it
	case p.Flags.Yes:
		return nil
	default:
		if err := p.askAbout(s, name); err != nil {
			return err
		}
	}
	if !s.Pasted {
		p.Remember(s)
	}
	return nil
}

// changed returns the error for an entry that has changed since the start screen showed it.
func changed(name string) error {
	return app.Usage("It was not started. Open it again after reading what it starts now.", "the entry %s has changed since it was shown", name)
}

// Remember records that the user has consented to an entry in its current form, with its env file and the
// credentials that are sent, see [settings.Settings.Sent]. If that fails, the user is asked again next time.
func (p *Target) Remember(s *hosts.Server) {
	if agreed := agreements(); agreed != nil {
		if err := agreed.Add(agreement(s, p.Sent(s))); err != nil {
			p.Warning(err.Error())
		}
	}
}

// IsAgreed reports whether the user has consented to an entry in its current form, see [Target.Remember].
func IsAgreed(s *hosts.Server, sent []string) bool {
	agreed := agreements()
	return agreed != nil && agreed.Has(agreement(s, sent))
}

// ConsentTo returns the question whether to use an entry. It shows what the entry starts, with each argument,
// and which credentials of the user are sent, see [settings.Settings.Sent]. Nothing that could run is masked,
// even if it looks like a secret. Variables that make programs run other code come first, and are marked. The
// env file of the entry has been read, see [settings.TakeEnvFile].
func ConsentTo(s *hosts.Server, name string, sent []string) (heading string, c question.Text) {
	masked := s.Written.Redacted()
	c = question.Text{Short: "Start", Subject: name, Blanks: true, Line: question.CommandLine, Of: agreement(s, sent)}
	heading = "This server is in " + hosts.HostName(s.Host) + "'s configuration."
	switch {
	case s.Pasted:
		heading = "This server was pasted."
	case s.InProject():
		heading = "This server is in a file of the project."
	}
	fact := func(label, text string) { c.Facts = append(c.Facts, question.Fact{Label: label, Text: text}) }
	variables := shownVariables(s)
	c.Notes = mark(&c, variables)
	c.Facts = append(c.Facts, question.Fact{Label: "entry", Text: name, Strong: true, Aside: true})
	if !s.Pasted {
		c.Facts = append(c.Facts, question.Fact{Label: "file", Text: fmt.Sprintf("%s:%d", s.Source.File, s.Source.Line), Aside: true})
	}
	if s.Transport == hosts.Stdio {
		heading += " It would run with your rights."
		c.Name, c.Lines = "command, a line for each argument", s.Written.Argv()
		if s.Written.Dir != "" {
			fact("directory", s.Written.Dir)
		}
	} else {
		c.Short, c.Name, c.Line, c.Lines = "Connect to", "URL", "URL", []string{masked.URL}
	}
	if s.Written.EnvFile != "" {
		fact("env file", s.Written.EnvFile)
	}
	for _, v := range variables {
		if !v.runs {
			fact("env", v.text)
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

// variable is an environment variable of an entry, as a question shows it.
type variable struct {
	text string
	runs bool   // the variable makes programs run other code
	why  string // a sentence about that
}

// shownVariables returns the variables of an entry and of its env file.
func shownVariables(s *hosts.Server) (all []variable) {
	add := func(fields []hosts.Field) {
		masked := hosts.Launch{Env: fields}.Redacted().Env
		for i, f := range fields {
			v := variable{}
			var always bool
			v.why, always, v.runs = hosts.RunsCode(f.Name)
			switch {
			case f.Unset:
				v.text = f.Name + " is not set"
			case always:
				v.text = f.Name + "=" + f.Value
			default:
				v.text = f.Name + "=" + shownValue(f.Value, masked[i].Value)
			}
			all = append(all, v)
		}
	}
	add(s.Written.Env)
	add(s.FileEnv)
	return all
}

// Marks returns the variables of an entry that make programs run other code, as facts of a question, and why.
func Marks(s *hosts.Server) (facts []question.Fact, notes []string) {
	var c question.Text
	notes = mark(&c, shownVariables(s))
	return c.Facts, notes
}

// maxReasons bounds the reasons in a question: each takes a row.
const maxReasons = 3

// mark puts the variables that make programs run other code in front of a question, and returns why.
func mark(c *question.Text, variables []variable) (notes []string) {
	for _, v := range variables {
		if !v.runs {
			continue
		}
		c.Facts = append(c.Facts, question.Fact{Label: "runs code", Text: v.text, Strong: true, Marked: true})
		if !slices.Contains(notes, v.why) && len(notes) < maxReasons {
			notes = append(notes, v.why)
		}
	}
	return notes
}

// Hides reports whether a list that masks secrets does not show everything that an entry could run, because a
// part of it looks like a secret.
func Hides(s *hosts.Server) bool {
	masked := s.Written.Redacted()
	if !slices.Equal(masked.Argv(), s.Written.Argv()) {
		return true
	}
	for i, f := range s.Written.Env {
		if shownValue(f.Value, masked.Env[i].Value) != masked.Env[i].Value {
			return true
		}
	}
	return false
}

// shownValue returns the value of a variable for a question. It is masked only if it can only be a value: a
// URL, or a word that is not a path. A shell may run the text of any other value.
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

// askAbout shows on the terminal what an entry starts, and asks the user.
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
	agreed, err := p.Confirm(heading, c)
	if err == nil && !agreed {
		err = app.Failed("%s was not started", name)
	}
	return err
}

// starts returns what an entry does: it starts a command, or connects to a URL.
func starts(s *hosts.Server) string {
	if s.Transport == hosts.Stdio {
		return "starts"
	}
	return "connects to"
}

// canAsk reports whether the user can be asked. stderr must be a terminal, since stdout may be redirected.
func (p *Target) canAsk() bool { return p.Err.Terminal && p.InTerminal() }

// agreement identifies an entry by its file, its content, and the user's data that is sent.
func agreement(s *hosts.Server, sent []string) string {
	text, _ := json.Marshal(struct { // contains only strings
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

// agreements returns the file of the entries that the user has consented to, or nil if there is no state
// directory.
func agreements() *state.Agreed {
	dir, err := system.StateDir()
	if err != nil {
		return nil
	}
	return state.NewAgreed(filepath.Join(dir, "agreed-servers"))
}

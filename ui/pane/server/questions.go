package server

import (
	"errors"
	"net/url"

	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/display"
	"mcptea/session/explain/remedy"
	"mcptea/session/question"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
)

// askFor asks for the values of variables or headers, one by one, and connects with them.
func (p *Pane) askFor(run remedy.Run, list []remedy.Remedy) {
	m, hidden := list[0], list[0].IsSecret()
	text := "It is set for the server, in this run only, and is not stored."
	switch {
	case m.Flag == "header":
		text = "It is sent to this server, in this run only, and is not stored."
	case m.Flag == "env" && p.program.Keep != nil:
		text = "It is set for the server in this run. The page Server can write it into the entry of the configuration then."
	case m.Flag == "client-id":
		text = "It is the id of a client that is registered at the authorization server. A client with a secret needs MCPTEA_CLIENT_SECRET in the environment of mcptea."
	case m.Flag == "scope":
		text = "They are requested instead of the scopes that the server names; separate them with spaces."
	}
	if hidden {
		text += " What is typed is not shown."
	}
	verb := "connect"
	if len(list) > 1 {
		verb = "next"
	}
	dialog.Prompt{
		Title: m.Name, Verb: verb, Secret: hidden, Text: text,
		Accept: func(value string) (func(), error) {
			if value == "" {
				return nil, errors.New("type or paste a value")
			}
			whole := m.Setting(value)
			set := run.With
			if hidden {
				set = func(flag, whole string) (remedy.Run, error) { return run.Hidden(flag, value, whole) }
			}
			next, err := set(m.Flag, whole)
			if err != nil {
				return nil, err
			}
			if len(list) > 1 {
				return func() { p.askFor(next, list[1:]) }, nil
			}
			return func() { p.connect(question.Typed(), next, nil) }, nil
		},
	}.Open(p.app)
}

// editLink lets the user change the flags, and the command or the URL, in one line. If an unchanged proposal
// was not completely visible in the line, the user must confirm it.
func (p *Pane) editLink(text string, proposed bool) {
	title, hint := "Command", "-e NAME=VALUE, --cwd DIR and --protocol VERSION go before the command; $NAME is the value of a variable."
	if !p.run.Link.Target.IsStdio() {
		title, hint = "URL", `-H "NAME: VALUE", --transport, --protocol and --cacert FILE go before the URL; $NAME is the value of a variable.`
	}
	if now, err := p.run.Text(); proposed && err == nil && now != text && isShown(now) {
		hint = "Proposed in place of " + now + ". " + hint
	}
	dialog.Prompt{
		Title: title, Verb: "connect", Text: hint, Value: text, Paths: true, PathsIn: p.run.Link.Target.Dir,
		Accept: func(line string) (func(), error) {
			next, err := p.run.Parse(line)
			if err != nil {
				return nil, err
			}
			if proposed && line == text && !isShown(line) {
				return func() { p.askAboutLine(next, line) }, nil
			}
			return func() { p.connect(question.Typed(), next, nil) }, nil
		},
	}.Open(p.app)
}

// isShown reports whether a field in a window of 80 columns shows a line completely and unchanged.
func isShown(line string) bool {
	const narrowest = 60 // characters
	return len(line) <= narrowest && display.CleanASCII(line)
}

// askAboutLine asks whether to connect with a line that was proposed.
func (p *Pane) askAboutLine(next remedy.Run, line string) {
	name := paint.If(next.Link.Target.IsStdio(), "command", "URL")
	dialog.Consent{
		Text:  question.Text{Facts: []question.Fact{{Label: "instead of", Text: p.target.String()}}, Name: name, Lines: []string{line}, Blanks: true},
		Title: "Connect with this " + name + "?", Yes: "connect", No: "do not connect", After: "nothing is sent",
		Agree: func(agreed question.Agreement) { p.connect(agreed, next, nil) },
	}.Open(p.app)
}

// agreeTo asks whether to trust a certificate, to connect to a URL that the server has named, or to
// continue past a violation.
func (p *Pane) agreeTo(m remedy.Remedy) {
	switch m.Flag {
	case "url":
		dialog.Consent{
			Text: question.Text{
				Facts: []question.Fact{{Label: "named by", Text: p.target.String()}, {Label: "not sent", Text: "headers, tokens and certificates that were given for the server before"}},
				Name:  "URL", Lines: []string{m.Value}, Blanks: true,
			},
			Title: "Connect to this URL?", Yes: "connect", No: "do not connect", After: "nothing is sent",
			Agree: func(agreed question.Agreement) {
				next, err := p.run.Elsewhere(m.Value)
				p.connect(agreed, next, err)
			},
		}.Open(p.app)
	case "lenient":
		dialog.Consent{
			Text: question.Text{
				Facts: []question.Fact{{Label: "server", Text: p.target.String(), Strong: true}},
				Name:  "violation", Lines: []string{p.violation()},
			},
			Title: "Continue past this violation?", Yes: "continue", No: "do not continue", After: "nothing is sent",
			Warnings: []string{"A client must stop here. mcptea then continues in this run wherever a client must stop, as with --lenient, and reports each place. A token goes to the origin of the server only."},
			Agree:    func(agreed question.Agreement) { p.set(m, agreed) },
		}.Open(p.app)
	default:
		p.trustCertificate(m)
	}
}

// violation returns a description of the server's behavior that a client must reject.
func (p *Pane) violation() string {
	if refused, ok := errors.AsType[*transport.AuthorizationError](p.st.Err); ok {
		return refused.Err.Error()
	}
	return p.why.Sentence
}

// trustCertificate asks whether to trust the certificate that the server has presented.
func (p *Pane) trustCertificate(m remedy.Remedy) {
	u, err := url.Parse(p.target.URL)
	failed, ok := mcphttp.TLSFailureOf(p.st.Err)
	if err != nil || !ok || failed.TLS == nil || len(failed.TLS.Chain) == 0 {
		return
	}
	c := failed.TLS.Chain[0]
	dialog.Consent{
		Text: question.Text{
			Facts: []question.Fact{
				{Label: "server", Text: p.target.Redact(mcphttp.AddressOf(u)), Strong: true},
				{Label: "subject", Text: c.Subject},
				{Label: "issuer", Text: c.Issuer},
				{Label: "valid", Text: c.NotBefore.Format("2006-01-02") + " to " + c.NotAfter.Format("2006-01-02")},
				{Label: "refused", Text: p.why.Cause()},
			},
			Name: "SHA-256 of the certificate", Lines: []string{c.SHA256},
		},
		Title: "Trust this certificate?", Yes: "trust it for this run", No: "do not trust it", After: "nothing is sent",
		Warnings: []string{"Compare it with the one on the server: the owner of its key can read and change everything that is sent. It is trusted for this host and port only, and not stored."},
		Agree:    func(agreed question.Agreement) { p.set(m, agreed) },
	}.Open(p.app)
}

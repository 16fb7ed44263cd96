package server

import (
	"errors"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/session/question"
	"mcptea/ui/dialog"
)

// askToken asks for an access token, and connects with it.
func (p *Pane) askToken() {
	dialog.Prompt{
		Title: "Access token", Verb: "connect", Secret: true,
		Text: phrase.Signs("Sent as Authorization: Bearer … to this server. It is kept in memory only, while mcptea runs."),
		Accept: func(text string) (func(), error) {
			token := tokenOf(text)
			switch {
			case token == "":
				return nil, errors.New("type or paste a token")
			case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
				return nil, errors.New("a token has only printable ASCII characters and no spaces")
			}
			next, err := p.run.Hidden("token", token, token)
			return func() { p.connect(question.Typed(), next, err) }, err
		},
	}.Open(p.app)
}

// copyCommand copies the command that connects so.
func (p *Pane) copyCommand() {
	p.app.CopyCommand(p.run.Command())
	if p.run.InRun() {
		p.app.Say("Copied. The certificate is trusted in this run only: the command needs --cacert FILE.")
	}
}

// isRecorded reports whether the page is about a recording.
func (p *Pane) isRecorded() bool {
	if p.s == nil {
		return false
	}
	_, recorded := p.s.Recording()
	return recorded
}

// tokenOf returns the token in a text. From a complete header, it takes the token.
func tokenOf(text string) string {
	if rest, found := strings.CutPrefix(text, "Authorization:"); found {
		text = strings.TrimSpace(rest)
	}
	if scheme, rest, found := strings.Cut(text, " "); found && strings.EqualFold(scheme, "Bearer") {
		text = strings.TrimSpace(rest)
	}
	return text
}

package server

import (
	"errors"
	"strings"

	"mcptea/internal/words/phrase"
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
			return func() { p.connectWith(token) }, nil
		},
	}.Open(p.app)
}

// connectWith connects with an access token; empty for one from the authorization server.
func (p *Pane) connectWith(token string) {
	p.app.Online("Connect", func() {
		p.s.SetToken(token)
		p.program.Restart()
	})
}

// tokenOf is the token of a text: a header that was copied whole is meant for its token.
func tokenOf(text string) string {
	if rest, found := strings.CutPrefix(text, "Authorization:"); found {
		text = strings.TrimSpace(rest)
	}
	if scheme, rest, found := strings.Cut(text, " "); found && strings.EqualFold(scheme, "Bearer") {
		text = strings.TrimSpace(rest)
	}
	return text
}

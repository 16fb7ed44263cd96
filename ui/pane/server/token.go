package server

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/widget/input"
)

// Typing reports whether an access token is being typed.
func (p *Pane) Typing() bool { return p.typingToken }

// Type takes a key of the token.
func (p *Pane) Type(k tea.KeyPressMsg) (action.Action, bool) {
	cmd, ok := command.Lookup(command.TokenText, k.String())
	if !ok || cmd.Context != command.TokenText {
		return nil, p.token.Key(k)
	}
	token := strings.TrimSpace(p.token.Value())
	p.stopToken()
	if cmd.ID != command.SendToken || token == "" {
		return nil, true
	}
	// A header that was copied whole is meant for its token.
	if rest, found := strings.CutPrefix(token, "Authorization:"); found {
		token = strings.TrimSpace(rest)
	}
	if scheme, rest, found := strings.Cut(token, " "); found && strings.EqualFold(scheme, "Bearer") {
		token = strings.TrimSpace(rest)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return action.Flash{Text: "a token has only printable ASCII characters and no spaces", Wrong: true}, true
	}
	return action.SetToken{Token: token}, true
}

// Paste takes a pasted token.
func (p *Pane) Paste(text string) {
	if p.typingToken {
		p.token.Insert(strings.TrimSpace(text))
	}
}

// Cursor is where the token is typed.
func (p *Pane) Cursor() (x, y int, ok bool) {
	row := p.tokenLine - p.top
	return 1 + p.margin + p.tokenX + p.tokenAt, 1 + row, p.typingToken && row >= 0 && row < p.height
}

func (p *Pane) startToken() {
	p.token = input.Input{}
	p.token.SetSecret()
	p.typingToken, p.top = true, 0
}

func (p *Pane) stopToken() { p.token, p.typingToken = input.Input{}, false }

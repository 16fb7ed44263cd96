package server

import (
	"fmt"
	"slices"
	"time"

	"mcptea/client/oauth"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// authorizing reports whether an authorization is running.
func (p *Pane) authorizing() bool {
	return slices.ContainsFunc(p.st.Authorization, func(st oauth.Step) bool { return st.State == oauth.Running })
}

// unauthorized reports whether the newest authorization has failed.
func (p *Pane) unauthorized() bool {
	n := len(p.st.Authorization)
	failed := false
	for _, st := range p.st.Authorization {
		failed = st.State == oauth.Failed || failed && st.State == oauth.Waiting
	}
	return n > 0 && failed
}

// authorization adds the steps of an authorization, and the page on which the user gives
// consent.
func (p *Pane) authorization(d *doc.Doc) {
	steps := p.st.Authorization
	if len(steps) == 0 {
		return
	}
	remark := paint.If(steps[0].Flow > 1, "repeated on this connection", "")
	heading(d, "authorization", remark)
	if at, ok := p.st.Consent(); ok {
		p.page(d, at)
	}
	whole := func(st oauth.Step) bool { // otherwise the sentence above states it
		return st.State == oauth.Failed && p.st.Phase != session.Failed
	}
	lines := slices.Clone(steps)
	for i, st := range steps {
		if whole(st) {
			lines[i].Detail = ""
		}
	}
	names, w := columns(lines)
	margin := d.Margin
	if d.Margin = names + 5; d.W < 2*d.Margin {
		d.Margin = 5
	}
	for i, st := range steps {
		p.step(d, lines[i], names, w)
		if whole(st) {
			fact(d, "", d.Pal.Error, st.Detail)
		}
		for _, text := range st.Remarks {
			fact(d, "", d.Pal.Warn, text)
		}
	}
	d.Margin = margin
}

// page adds the page to open. Its host is highlighted, so that the user sees whose page it is.
func (p *Pane) page(d *doc.Doc, at oauth.Step) {
	whole := at.URL
	if p.reporting {
		whole = at.MaskedURL() // a report is for others
	}
	left := phrase.Took(max(0, at.Deadline.Sub(p.now)).Round(time.Second))
	text := "Open this page on this machine within " + left + " and give your consent:"
	if at.Opened {
		text = "This page was opened in your browser. Give your consent within " + left + ":"
	}
	if p.isRecorded() { // the tap has printed the page, and a recording does not contain the whole address
		text = "The server asks for authorization, and the tap waits for the page:"
	}
	d.Text(d.Pal.WarnBold, text, doc.All)
	page := failure.PageOf(whole)
	if why := p.refusal(); why != "" {
		d.FactText("why", d.Pal.Text, why, maxFactRows)
	}
	if page.Scope != "" {
		d.FactText("scope", d.Pal.Strong, page.Scope, maxFactRows)
	}
	fact(d, "host", d.Pal.Strong, page.Host)
	for _, warning := range page.Warnings {
		d.Text(d.Pal.Error, d.Pal.WarnMark+" "+warning, doc.All)
	}
	d.Blank()
	if more := d.Address("url", page.Raw, page.From, page.To, maxAddressRows); more > 0 {
		d.Text(d.Pal.Warn, fmt.Sprintf("  %s and %s more characters; %s copies all of it", d.Pal.Ellipsis, phrase.Digits(more), p.app.Key("copy")), doc.All)
	}
	d.Blank()
	offered := []doc.Key{{ID: "open", Label: "open page"}, {ID: "copy", Label: "copy URL"}, {ID: "authorize.cancel", Label: "cancel"}}
	if p.isRecorded() { // the tap waits, and not this inspector
		offered = offered[:2]
	}
	d.Keys(1, offered...)
	if !p.reporting && !p.isRecorded() {
		d.Text(d.Pal.Muted, "If your browser is on another machine, paste the address of the page that it ends on.", doc.All)
	}
	d.Blank()
}

// refusal describes a rejection by the server after it had accepted a token. For the first token, the steps
// describe it.
func (p *Pane) refusal() string {
	for _, st := range p.st.Authorization {
		if st.Flow > 1 && st.Name == oauth.StepChallenge {
			return st.Detail
		}
	}
	return ""
}

// The most rows of an address and of the facts above it: a server decides on their lengths.
const (
	maxAddressRows = 8
	maxFactRows    = 3
)

// tokenFact adds the line about a token that the server has accepted.
func (p *Pane) tokenFact(d *doc.Doc) {
	var last oauth.Step
	for _, st := range p.st.Authorization {
		if st.State == oauth.Done {
			last = st
		}
	}
	if last.Name == "" || p.unauthorized() {
		return
	}
	fact(d, "token", d.Pal.Text, last.Detail+", since "+last.Start.Add(last.Took).Format(time.TimeOnly))
	for _, st := range p.st.Authorization {
		for _, text := range st.Remarks {
			fact(d, "", d.Pal.Warn, text)
		}
	}
}

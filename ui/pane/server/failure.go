package server

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"

	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/stderr"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// failure adds why there is no connection, in reading order: the cause, the advice, and the
// evidence. The evidence shrinks first. For spare see [Pane.evidence].
func (p *Pane) failure(d *doc.Doc, spare int) {
	if p.tokenRequired() {
		p.tokenCause(d)
	} else {
		d.Text(d.Pal.ErrorBold, p.sentence(), doc.All).Give(10, 4)
		d.Text(d.Pal.Text, p.why.Cause(), doc.All).Give(10, 3)
	}
	p.compared(d)
	d.Gap()
	p.advice(d)
	d.Gap()
	p.evidence(d, spare)
	d.Fit(d.H)
}

// tokenCause adds that the server requires an access token, and why there is no token.
func (p *Pane) tokenCause(d *doc.Doc) {
	state := "requires an access token; none is set"
	if credential := p.run.Credential(); credential != "" {
		state = "does not accept " + credential
	}
	d.Text(d.Pal.ErrorBold, "HTTP 401 Unauthorized: the server "+state+".", 2)
	if refused, ok := errors.AsType[*transport.AuthorizationError](p.st.Err); ok {
		d.Text(d.Pal.Text, "Authorization failed: "+refused.Err.Error()+".", doc.All).Give(10, 2)
	}
}

// sentence describes what happened. A server may exit while nothing is pending.
func (p *Pane) sentence() string {
	if p.st.Phase != session.Ended || p.st.Process.Exited.IsZero() || p.st.Err != nil {
		return p.why.Sentence
	}
	return failure.Exit(p.st.Process)
}

// advice adds the advice. Each remedy has an arrow and a row. Remedies with a key are first.
func (p *Pane) advice(d *doc.Doc) {
	keyed := []failure.Action{failure.ActionVariable, failure.ActionHeader} // what the keys below do, or the page shows
	if p.reporting {
		keyed = nil
	} else {
		p.actions(d)
	}
	if p.tokenRequired() && !p.reporting {
		keyed = append(keyed, failure.ActionToken, failure.ActionLook)
	}
	if p.source.File != "" && !p.reporting {
		keyed = append(keyed, failure.ActionFix)
	}
	for _, r := range p.why.Remedies() {
		if !slices.Contains(keyed, r.Action) {
			remedyRow(d, r.Text)
		}
	}
	if p.reporting {
		return
	}
	if at := p.toOpen(); at.File != "" {
		p.sourceKey(d, at)
	}
	if p.isRecorded() && p.back == 0 && p.failed() {
		remedyKey(d, "reconnect", d.Pal.TextBold, p.first(), "")
	}
	if p.program.Watching() {
		remedyRow(d, "Save a file to start the server again.")
	}
	if p.st.Phase == session.Ended && p.back == 0 {
		remedyKey(d, paint.If(len(p.todo) > 0, "again", "reconnect"), d.Pal.Text, "restart the server", "")
	}
	if p.tokenRequired() && p.given.Target.Header.Get("Authorization") != "" {
		remedyRow(d, "Start mcptea without these credentials to authorize in the browser, if the server offers OAuth.")
	}
	p.others(d)
}

// actions adds what keys do about the failure, the first one with enter.
func (p *Pane) actions(d *doc.Doc) {
	if !p.repairs() && len(p.todo) > 0 {
		return
	}
	if p.waiting.Busy() {
		p.waits(d)
	}
	if p.finding.Busy() {
		d.Sign(paint.Span{Style: d.Pal.Warn, Text: paint.Spinner(d.Pal, p.spin) + " "}, d.Pal.Warn, p.findingText(), 3)
	}
	for i, t := range p.todo {
		if t.id == "experiment" && p.finding.Busy() {
			continue
		}
		if p.waiting.Busy() && (i == 0 || t.id == "watch") {
			continue // enter already tries again now, and watch already waits
		}
		remedyKey(d, paint.If(i == 0, "reconnect", t.id), d.Pal.TextBold, t.label, t.note)
	}
	if p.tokenRequired() {
		d.Row(paint.Span{Style: d.Pal.Muted, Text: "  next time  "}, paint.Span{Style: d.Pal.Text, Text: phrase.Signs("MCPTEA_TOKEN=… mcptea ") + p.target.ShownURL()})
	}
}

// waits adds what the step is waiting for, for how long, and when the wait ends.
func (p *Pane) waits(d *doc.Doc) {
	at := "the port"
	if u, err := url.Parse(p.target.URL); err == nil && u.Host != "" {
		at = p.target.Redact(mcphttp.AddressOf(u))
	}
	text := "waiting for " + at + ", " + phrase.Digits(int(max(p.now.Sub(p.since), 0).Seconds())) + " s: connects when it accepts connections"
	d.Sign(paint.Span{Style: d.Pal.Warn, Text: paint.Spinner(d.Pal, p.spin) + " "}, d.Pal.Warn, text, 3)
	d.Keys(1, doc.Key{ID: "wait.stop", Label: "stop waiting"}, doc.Key{ID: "reconnect", Label: "try again"})
}

// others adds what can be done about any failure.
func (p *Pane) others(d *doc.Doc) {
	switch {
	case p.waiting.Busy() && p.back == 0: // said above
		return
	case p.back > 0:
		d.Keys(1, doc.Key{ID: "attempt.next", Label: "later attempt"}, doc.Key{ID: "attempt.previous", Label: "earlier attempt"})
		return
	case !p.repairs():
		return
	}
	list := []doc.Key{{ID: "link.edit", Label: p.editLabel()}}
	if p.target.IsStdio() {
		list = append(list, doc.Key{ID: "shell", Label: "run in a shell"})
	}
	if p.whyNotFind() == "" {
		list = append(list, doc.Key{ID: "experiment", Label: labelFind})
	}
	if p.refused() || p.target.IsStdio() && !p.program.Watching() {
		list = append(list, doc.Key{ID: "watch", Label: paint.If(p.refused(), "wait for the port", "watch the files")})
	}
	if len(p.todo) > 0 {
		list = append(list, doc.Key{ID: "again", Label: "try again"})
	}
	if len(p.earlier) > 0 {
		list = append(list, doc.Key{ID: "attempt.previous", Label: "earlier attempt"})
	}
	list = slices.DeleteFunc(list, func(k doc.Key) bool { return slices.ContainsFunc(p.todo, func(t todo) bool { return t.id == k.ID }) })
	d.Keys(2, list...).Give(9, 1)
}

// remedyRow adds a thing to do, wrapped.
func remedyRow(d *doc.Doc, text string) {
	d.Sign(paint.Span{Style: d.Pal.OK, Text: d.Pal.ArrowOut + " "}, d.Pal.Text, text, 3)
}

// remedyKey adds an action of a command, with its key, and a note after it if there is room.
func remedyKey(d *doc.Doc, id string, st paint.Style, text, note string) {
	remedyRowOf(d, id, note, func(r *paint.Row) { r.Put(st, text) })
}

// sourceKey offers to open a file, see [Pane.toOpen]. Its place is a link, unless a recording names the file,
// because then the user is asked first.
func (p *Pane) sourceKey(d *doc.Doc, at stderr.Source) {
	text := fmt.Sprintf("open %s:%d in your editor", filepath.Base(at.File), at.Line)
	remedyRowOf(d, "source.open", "", func(r *paint.Row) {
		if at.Ran != "" {
			r.Put(d.Pal.Text, text)
			return
		}
		r.LinkPlace(d.Pal.Text, text, at.File, at.Line)
	})
}

// remedyRowOf adds a remedy with its key and the text that put writes.
func remedyRowOf(d *doc.Doc, id, note string, put func(r *paint.Row)) {
	d.Lines(1, func(r *paint.Row, _ int) {
		key := d.Names.Name(id)
		y := d.Next()
		d.Click(0, y, d.W, 1, func(int, int) { d.Names.Run(id) })
		r.Put(d.Pal.OK, d.Pal.ArrowOut+" ")
		r.Put(d.Pal.AccentBold, key+" ")
		put(r)
		if note != "" && r.Left() > display.Width(note)+3 {
			r.Put(d.Pal.Muted, "  "+note)
		}
	})
}

// tokenRequired reports whether the server has refused the connection for want of
// an access token that it accepts.
func (p *Pane) tokenRequired() bool {
	status, ok := errors.AsType[*transport.StatusError](p.st.Err)
	return ok && p.st.Phase == session.Failed && !p.target.IsStdio() && status.Status == http.StatusUnauthorized && !p.why.OtherThanLogin()
}

package server

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// failure adds why there is no connection, in the order in which it is read: the cause,
// what to do, and the evidence, which gives way first.
func (p *Pane) failure(d *doc.Doc) {
	if p.tokenRequired() {
		p.tokenCause(d)
	} else {
		d.Text(d.Pal.ErrorBold, p.sentence(), doc.All).Give(10, 4)
		d.Text(d.Pal.Text, p.why.Cause(), doc.All).Give(10, 3)
	}
	d.Gap()
	p.remedies(d)
	d.Gap()
	p.evidence(d)
	d.Fit(d.H)
}

// tokenCause says that the server requires an access token, and why there is
// none.
func (p *Pane) tokenCause(d *doc.Doc) {
	state := paint.If(p.target.Header.Get("Authorization") != "", "it does not accept the one that was sent", "none is set")
	d.Text(d.Pal.ErrorBold, "HTTP 401 Unauthorized: the server requires an access token; "+state+".", 2)
	if refused, ok := errors.AsType[*transport.AuthorizationError](p.st.Err); ok {
		d.Text(d.Pal.Text, "Authorization failed: "+refused.Err.Error()+".", doc.All).Give(10, 2)
	}
}

// sentence says what happened. A server may exit while nothing is pending.
func (p *Pane) sentence() string {
	if p.st.Phase != session.Ended || p.st.Process.Exited.IsZero() || p.st.Err != nil {
		return p.why.Sentence
	}
	return failure.Exit(p.st.Process)
}

// remedies adds what to do, a row with an arrow each.
func (p *Pane) remedies(d *doc.Doc) {
	var keyed []failure.Action // what the keys below do, or the page shows
	if p.tokenRequired() && !p.reporting {
		p.tokenRemedies(d)
		keyed = append(keyed, failure.ActionToken, failure.ActionLook)
	}
	if p.source != "" && !p.reporting {
		keyed = append(keyed, failure.ActionFix)
	}
	for _, r := range p.why.Remedies() {
		if !slices.Contains(keyed, r.Action) {
			remedy(d, r.Text)
		}
	}
	if p.reporting {
		return
	}
	if p.source != "" {
		remedyKey(d, "source.open", d.Pal.Text, fmt.Sprintf("open %s:%d in your editor", filepath.Base(p.source), p.sourceLine), "")
	}
	if p.program.Watching {
		remedy(d, "Save a file to start the server again.")
	}
	if p.st.Phase == session.Ended {
		remedyKey(d, "reconnect", d.Pal.Text, "restart the server", "")
	}
}

// tokenRemedies are those of a server that requires an access token.
func (p *Pane) tokenRemedies(d *doc.Doc) {
	remedyKey(d, "token", d.Pal.TextBold, "paste a token and connect again", phrase.Signs("sent as Authorization: Bearer …"))
	if p.authorizes {
		remedyKey(d, "authorize", d.Pal.TextBold, "authorize in the browser", "OAuth")
	}
	d.Row(paint.Span{Style: d.Pal.Muted, Text: "  next time  "}, paint.Span{Style: d.Pal.Text, Text: phrase.Signs("MCPTEA_TOKEN=… mcptea ") + secret.URL(p.target.URL)})
}

// remedy adds a thing to do, wrapped.
func remedy(d *doc.Doc, text string) {
	d.Sign(paint.Span{Style: d.Pal.OK, Text: d.Pal.ArrowOut + " "}, d.Pal.Text, text, 3)
}

// remedyKey adds a thing that a command does, with its key, and a note at the right where
// there is room.
func remedyKey(d *doc.Doc, id string, st paint.Style, text, note string) {
	d.Lines(1, func(r *paint.Row, _ int) {
		key := d.Names.Name(id)
		if used := 2 + display.Width(key+text+note); note != "" && used+6 <= d.W {
			r.Right(paint.Span{Style: d.Pal.Muted, Text: note + " "})
		}
		y := d.Next()
		d.Click(0, y, d.W, 1, func(int, int) { d.Names.Run(id) })
		r.Put(d.Pal.OK, d.Pal.ArrowOut+" ")
		r.Put(d.Pal.AccentBold, key+" ")
		r.Put(st, text)
	})
}

// tokenRequired reports whether the server has refused the connection for want of
// an access token that it accepts.
func (p *Pane) tokenRequired() bool {
	status, ok := errors.AsType[*transport.StatusError](p.st.Err)
	return ok && p.st.Phase == session.Failed && !p.target.IsStdio() && status.Status == http.StatusUnauthorized
}

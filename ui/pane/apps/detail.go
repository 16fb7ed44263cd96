package apps

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/session/apps"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// Name returns the name of an app. It is untrusted text.
func Name(st *apps.State) string {
	return strings.TrimSpace(cmp.Or(st.Name, st.Tool) + " " + st.Version)
}

func (p *Pane) note(pal *paint.Palette) []paint.Span {
	if len(p.states) == 0 {
		return nil
	}
	return []paint.Span{p.phase(p.state(), pal)}
}

// phase describes the phase of an app.
func (p *Pane) phase(st *apps.State, pal *paint.Palette) paint.Span {
	switch st.Phase {
	case apps.Ready:
		return paint.Span{Style: pal.OK, Text: pal.Dot + " initialized in " + phrase.Took(st.Initialized.Sub(st.Connected))}
	case apps.Closed:
		return paint.Span{Style: pal.Muted, Text: "closed"}
	case apps.Loading:
		return paint.Span{Style: pal.Warn, Text: "loading for " + phrase.Took(p.now.Sub(st.Connected).Truncate(time.Second))}
	}
	return paint.Span{Style: pal.Warn, Text: "waits for the browser, " + phrase.Countdown(st.Expires.Sub(p.now))}
}

func (p *Pane) empty(d *doc.Doc) {
	d.Text(d.Pal.Muted, notOpen+" "+d.Names.Name("app.open")+" on a tool that has one opens it in the browser, and so does mcptea app TOOL TARGET.", 3)
}

// sign marks an app that is open.
func (p *Pane) sign(r *row, pal *paint.Palette) paint.Span {
	if r.label != "" || r.heading != "" || p.states[r.of].Phase == apps.Closed {
		return paint.Span{Text: " "}
	}
	return paint.Span{Style: pal.Asked, Text: pal.Dot}
}

func (p *Pane) label(r *row, pal *paint.Palette) []paint.Span {
	if r.label == "" && r.heading == "" {
		return []paint.Span{{Style: pal.TextBold, Text: Name(&p.states[r.of])}}
	}
	if r.heading != "" {
		return []paint.Span{{Style: pal.Muted, Text: r.heading}}
	}
	return []paint.Span{{Style: pal.Text, Text: "  " + r.label}}
}

func (p *Pane) value(r *row, pal *paint.Palette) []paint.Span {
	st := &p.states[r.of]
	switch {
	case r.heading != "":
		return nil
	case r.value != nil:
		return []paint.Span{{Style: pal.Value, Text: r.value(st)}}
	}
	return []paint.Span{{Style: pal.Muted, Text: "of the tool "}, {Style: pal.Value, Text: st.Tool}}
}

// detail shows the app of a row, below the effect of the row.
func (p *Pane) detail(c *app.Canvas, r *row) {
	pal, st := c.Pal, &p.states[r.of]
	s := doc.On(c.Box([]paint.Span{{Style: pal.TextBold, Text: pal.Label(Name(st), max(10, c.W-30))}, {Style: pal.Muted, Text: " " + pal.Label(st.Document.URI, max(10, c.W-40))}}, nil, false))
	s.Margin = 12
	if r.help != "" {
		s.Text(pal.Muted, r.help, 3)
		s.Gap()
	}
	p.facts(s, st)
	p.policy(s, st)
	s.Paint()
}

func (p *Pane) facts(s *doc.Doc, st *apps.State) {
	pal := s.Pal
	s.Fact("tool", paint.Span{Style: pal.Value, Text: st.Tool})
	if st.Phase == apps.Waiting {
		s.Address("page", st.URL, 0, len(st.URL), 4)
		s.Keys(1, doc.Key{ID: "copy", Label: "copy URL"}, doc.Key{ID: "open", Label: "open the page"})
	}
	s.Fact("state", p.phase(st, pal))
	if st.Phase == apps.Closed {
		s.FactText("", pal.Text, st.Why, 2)
		if st.TeardownError != nil {
			s.FactText("teardown", pal.Warn, st.TeardownError.Error(), 2)
		}
	}
	if n := len(st.Questions); n > 0 {
		s.Fact("asks", paint.Span{Style: pal.Warn, Text: phrase.Count(n, "question") + " for you"})
	}
	reported := "  none reported yet"
	if st.Reported != (apps.Size{}) {
		reported = phrase.Signs(fmt.Sprintf("  reported %d × %d", st.Reported.Width, st.Reported.Height))
	}
	s.Fact("size", paint.Span{Style: pal.Text, Text: phrase.Signs(fmt.Sprintf("%d × %d", st.Shown.Width, st.Shown.Height))},
		paint.Span{Style: pal.Muted, Text: reported})
	if st.SizeLoop {
		s.FactText("", pal.Warn, "The app keeps changing its size; its reports are ignored.", 2)
	}
	s.FactText("displays", pal.Text, strings.Join(st.Modes, ", "), 1)
	s.Fact("messages", paint.Span{Style: pal.Text, Text: fmt.Sprintf("%s from the app, %s to it, %s of a tool", phrase.Digits(st.In), phrase.Digits(st.Out), phrase.Count(st.Calls, "call"))})
	for _, bad := range []struct {
		n    int
		text string
	}{{st.Errors, "logged errors"}, {st.Violations, "blocked by the policy"}, {st.Lost, "messages dropped: there were too many"}} {
		if bad.n > 0 {
			s.Fact("", paint.Span{Style: pal.Warn, Text: phrase.Digits(bad.n) + " " + bad.text})
		}
	}
	s.FactText("context", pal.Text, string(st.Context[:min(len(st.Context), 1000)]), 3)
}

// policy shows the origins and permissions of the app.
func (p *Pane) policy(s *doc.Doc, st *apps.State) {
	pal := s.Pal
	s.Gap()
	s.Rule(paint.Span{Style: pal.TextBold, Text: "policy"})
	if csp := st.Document.CSP; csp == nil {
		s.Text(pal.Muted, "The server declares no csp: only what is in the document is loaded.", 2)
	} else {
		for _, line := range csp.Origins() {
			s.Text(pal.Text, line, 3)
		}
	}
	s.FactText("permissions", pal.Text, strings.Join(st.Document.Permissions, ", "), 2)
}

package server

import (
	"fmt"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/session"
	"mcptea/session/failure"
	"mcptea/ui/paint"
)

// consent is the step that waits for the consent of the user, if one does.
func (p *Pane) consent() (oauth.Step, bool) {
	for _, st := range p.st.Authorization {
		if st.Name == oauth.StepConsent && st.State == oauth.Running && st.URL != "" {
			return st, true
		}
	}
	return oauth.Step{}, false
}

// authorizing reports whether an authorization is running.
func (p *Pane) authorizing() bool {
	for _, st := range p.st.Authorization {
		if st.State == oauth.Running {
			return true
		}
	}
	return false
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

// authorization writes the steps of an authorization, and the page on which the
// user gives consent.
func (p *Pane) authorization(s *sheet) {
	steps := p.st.Authorization
	if len(steps) == 0 {
		return
	}
	remark := ""
	if steps[0].Flow > 1 {
		remark = "repeated on this connection"
	}
	s.heading("authorization", remark)
	if at, ok := p.consent(); ok {
		p.page(s, at)
	}
	names := 0
	for _, st := range steps {
		names = max(names, paint.Width(st.Name))
	}
	for _, st := range steps {
		line := client.Step{
			Name: st.Name, Detail: st.Detail, State: st.State,
			Start: st.Start, Took: st.Took, Deadline: st.Deadline,
		}
		whole := st.State == oauth.Failed && p.st.Phase != session.Failed // or the sentence above says it
		if whole {
			line.Detail = ""
		}
		s.line(func(r *paint.Row) { p.step(r, s.pal, line, names, min(s.w, checklistWidth)) })
		if whole {
			s.indented(names+5, s.pal.Error, st.Detail)
		}
		for _, text := range st.Remarks {
			s.indented(names+5, s.pal.Warn, text)
		}
	}
}

// page writes which page to open. The host is highlighted, so that the user sees
// whose page it is.
func (p *Pane) page(s *sheet, at oauth.Step) {
	whole := at.URL
	if s.quiet {
		whole = at.MaskedURL() // a report is for others
	}
	left := paint.HumanDuration(max(0, at.Deadline.Sub(p.now)).Round(time.Second))
	text := "Open this page on this machine within " + left + " and give your consent:"
	if at.Opened {
		text = "This page was opened in your browser. Give your consent within " + left + ":"
	}
	s.text(s.pal.WarnBold, text)
	page := failure.PageOf(whole)
	if page.Host != "" {
		s.fact("host", s.pal.Strong, page.Host)
	}
	for _, warning := range page.Warnings {
		s.text(s.pal.Error, s.pal.WarnMark+" "+warning)
	}
	s.blank()
	p.address(s, page)
	s.blank()
	s.keys(hint{"authorize.open", "open page"}, hint{"authorize.copy", "copy URL"}, hint{"authorize.cancel", "cancel"})
	if !s.quiet {
		s.text(s.pal.Muted, "If your browser is on another machine, paste the address at which it ends up.")
	}
	s.blank()
}

// maxAddressRows bounds the rows of an address: a server decides on its length.
const maxAddressRows = 8

// address writes a URL over as many rows as it takes, not at blanks, its host
// standing out.
func (p *Pane) address(s *sheet, page failure.Page) {
	before := []rune(paint.Sanitize(page.Raw[:page.From]))
	host := []rune(paint.Sanitize(page.Raw[page.From:page.To]))
	runes := slices.Concat(before, host, []rune(paint.Sanitize(page.Raw[page.To:])))
	from, to := len(before), len(before)+len(host)
	width := max(1, s.w-2)
	rows := (len(runes) + width - 1) / width
	shown := rows
	if rows > maxAddressRows {
		shown = maxAddressRows - 1
	}
	s.many(shown, func(r *paint.Row, i int) {
		r.Gap(2)
		first, end := i*width, min((i+1)*width, len(runes))
		for _, part := range []struct {
			st   paint.Style
			a, b int
		}{{s.pal.Muted, 0, from}, {s.pal.AccentBold, from, to}, {s.pal.Text, to, len(runes)}} {
			a, b := max(part.a, first), min(part.b, end)
			if a < b {
				r.Put(part.st, string(runes[a:b]))
			}
		}
	})
	if shown < rows {
		s.text(s.pal.Warn, fmt.Sprintf("  … and %s more characters; %s copies all of it", paint.HumanCount(len(runes)-shown*width), s.key("authorize.copy")))
	}
}

// tokenFact is the line about a token that the server has taken.
func (p *Pane) tokenFact(s *sheet) {
	var last oauth.Step
	for _, st := range p.st.Authorization {
		if st.State == oauth.Done {
			last = st
		}
	}
	if last.Name == "" || p.unauthorized() {
		return
	}
	s.fact("token", s.pal.Text, last.Detail+", since "+last.Start.Add(last.Took).Format(time.TimeOnly))
	for _, st := range p.st.Authorization {
		for _, text := range st.Remarks {
			s.fact("", s.pal.Warn, text)
		}
	}
}

package server

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/session"
	"mcptea/session/failure"
	"mcptea/ui/paint"
)

// failure writes why there is no connection, in the order in which it is read:
// the cause, what to do, the evidence, and the steps in one row. All of it fits
// into the room of the sheet, if that is at all possible: the evidence gives way
// first.
func (p *Pane) failure(s *sheet) {
	cause, remedies := s.column(s.w), s.column(s.w)
	p.cause(cause)
	p.remedies(remedies)
	parts := p.evidence()
	wanted, steps := 0, 0
	for _, e := range parts {
		wanted += len(e.rows(s, len(e.lines)))
	}
	if p.st.Phase == session.Failed {
		steps = 1
	}
	left := s.room - cause.lines - remedies.lines - steps
	if p.unfolded && steps > 0 {
		// The cause stays in sight beside the steps where that is possible.
		below := s.column(s.w)
		p.details(below)
		left = max(left-below.lines, leastEvidence)
	}
	if s.quiet {
		left = wanted + 2 // blank rows before the remedies and the evidence
	}
	gaps := min(max(0, left-min(wanted, leastEvidence)), len(gapOrder))
	gap := func(at gapPlace) {
		for _, place := range gapOrder[:gaps] {
			if place == at {
				s.blank()
			}
		}
	}
	gap(gapTop)
	s.add(cause)
	gap(gapRemedies)
	s.add(remedies)
	if len(parts) > 0 {
		gap(gapEvidence)
	}
	for _, row := range fitted(s, parts, max(1, left-gaps)) {
		s.line(row)
	}
	if steps > 0 {
		gap(gapSteps)
		p.steps(s)
	}
}

// leastEvidence is how many rows of evidence come before blank rows.
const leastEvidence = 5

// gapPlace is a blank row of a failure.
type gapPlace uint8

const (
	gapTop gapPlace = iota
	gapRemedies
	gapEvidence
	gapSteps
)

// gapOrder lists the blank rows, those first that matter most.
var gapOrder = []gapPlace{gapRemedies, gapEvidence, gapTop, gapSteps}

func (p *Pane) cause(s *sheet) {
	if p.tokenRequired() {
		p.tokenCause(s)
		return
	}
	s.most(s.pal.ErrorBold, p.sentence(), 4)
	if p.why.Cause != "" {
		s.most(s.pal.Text, p.why.Cause, 3)
	}
}

// tokenCause says that the server requires an access token, and why there is
// none.
func (p *Pane) tokenCause(s *sheet) {
	state := "none is set"
	if p.target.Header.Get("Authorization") != "" {
		state = "it does not accept the one that was sent"
	}
	s.most(s.pal.ErrorBold, "HTTP 401 Unauthorized: the server requires an access token; "+state+".", 2)
	var refused *transport.AuthorizationError
	if errors.As(p.st.Err, &refused) {
		s.most(s.pal.Text, "Authorization failed: "+refused.Err.Error()+".", 2)
	}
}

// sentence says what happened. A server may exit while nothing is pending.
func (p *Pane) sentence() string {
	if p.st.Phase != session.Ended || p.st.Process.Exited.IsZero() || p.st.Err != nil {
		return p.why.Sentence
	}
	return failure.Exit(p.st.Process)
}

// remedies writes what to do, a row with an arrow each.
func (p *Pane) remedies(s *sheet) {
	try := p.why.Try
	if p.tokenRequired() && !s.quiet {
		p.tokenRemedies(s)
		if strings.Contains(try, "MCPTEA_TOKEN") || strings.HasPrefix(try, "See ") {
			try = ""
		}
	}
	if p.source != "" && strings.HasPrefix(try, "Fix the error shown on stderr") && !s.quiet {
		try = "" // the place says more
	}
	for i, text := range strings.Split(try, "; or ") {
		if i > 0 {
			text = "or " + text
		}
		s.remedy("", text)
	}
	if p.source != "" && !s.quiet {
		s.remedy("source.open", fmt.Sprintf("open %s:%d in your editor", paint.Sanitize(filepath.Base(p.source)), p.sourceLine))
	}
	if p.program.Watching && !s.quiet {
		s.remedy("", "Save a file to start the server again.")
	}
	if p.st.Phase == session.Ended && !s.quiet {
		s.remedy("reconnect", "restart the server")
	}
}

// tokenRemedies are those of a server that requires an access token.
func (p *Pane) tokenRemedies(s *sheet) {
	s.remedyNote("token", "paste a token and connect again", "sent as Authorization: Bearer …")
	if p.authorizes {
		s.remedyNote("authorize", "authorize in the browser", "OAuth")
	}
	s.line(func(r *paint.Row) {
		r.To(2)
		r.Put(s.pal.Muted, "next time  ")
		r.Put(s.pal.Text, "MCPTEA_TOKEN=… mcptea "+secret.URL(p.target.URL))
	})
}

// remedy writes one thing to do, wrapped, with the key of a command.
func (s *sheet) remedy(id, text string) { s.remedyNote(id, text, "") }

// remedyNote writes one thing to do, with a note at the right where there is room.
func (s *sheet) remedyNote(id, text, note string) {
	if text == "" {
		return
	}
	key := ""
	if id != "" {
		key = s.key(id) + " "
	}
	st := s.pal.Text
	if note != "" {
		st = s.pal.TextBold
	}
	lines := s.pal.WrapMost(text, max(1, s.w-2-paint.Width(key)), 3)
	s.many(len(lines), func(r *paint.Row, i int) {
		if i == 0 {
			if len(lines) == 1 && note != "" && 2+paint.Width(key+text+note)+3 <= s.w {
				r.Right(paint.Span{Style: s.pal.Muted, Text: note})
			}
			r.Put(s.pal.OK, s.pal.ArrowOut+" ")
			r.Put(s.pal.AccentBold, key)
		}
		r.To(2 + paint.Width(key))
		r.Put(st, lines[i])
	})
}

// tokenRequired reports whether the server has refused the connection for want of
// an access token that it accepts.
func (p *Pane) tokenRequired() bool {
	var status *transport.StatusError
	return p.st.Phase == session.Failed && !p.target.IsStdio() && errors.As(p.st.Err, &status) && status.Status == http.StatusUnauthorized
}

// evidence lists what there is to see, in the order of its weight.
func (p *Pane) evidence() []part {
	var response, stdout part
	var server []evidenceLine // headers about the server, which say little
	facts := part{facts: true}
	if request, status := failure.Refused(p.st.Err); status != "" {
		response = part{name: "response", remark: "to " + request, right: p.took(request), lines: []evidenceLine{{kind: wrongLine, text: status}}}
	}
	stdout.name = "stdout"
	told := make(map[string]bool)
	for _, l := range p.why.Evidence {
		exited := l.Label == "process" && strings.Contains(p.why.Sentence, "server process") // it says so
		if told[l.Label+l.Text] || exited {
			continue
		}
		told[l.Label+l.Text] = true
		switch l.Label {
		case "stderr":
		case "stdout":
			stdout.lines = append(stdout.lines, evidenceLine{text: l.Text})
		case "header":
			name, value, _ := strings.Cut(l.Text, ":")
			line := evidenceLine{kind: headerLine, label: name + ":", text: strings.TrimSpace(value)}
			if name == "Server" || name == "Via" {
				server = append(server, line)
				continue
			}
			response.lines = append(response.lines, line)
		case "body":
			for _, text := range strings.Split(l.Text, "\n") {
				response.lines = append(response.lines, evidenceLine{text: text})
			}
		case "http":
			if response.name == "" {
				facts.lines = append(facts.lines, evidenceLine{label: l.Label, text: l.Text})
			}
		default:
			facts.lines = append(facts.lines, evidenceLine{label: l.Label, text: l.Text})
		}
	}
	response.lines = append(response.lines, server...)
	var parts []part
	order := []part{response, stdout, p.stderrPart(), facts}
	if p.stderr.Total == 0 {
		order[2], order[3] = order[3], order[2]
	}
	for _, e := range order {
		if e.name == "" && len(e.lines) == 0 || e.name == "stdout" && len(e.lines) == 0 {
			continue
		}
		parts = append(parts, e)
	}
	return parts
}

// took is how long the response took, if that is known.
func (p *Pane) took(request string) string {
	if x := p.exchange; x.Status != 0 && x.Method+" "+x.URL == request {
		return paint.HumanDuration(x.FirstByte)
	}
	return ""
}

// stderrPart is what the server has written to stderr.
func (p *Pane) stderrPart() part {
	if p.st.Process.PID == 0 && p.stderr.Total == 0 {
		return part{} // there is no process that could have written
	}
	if p.stderr.Total == 0 {
		return part{name: "stderr", remark: "nothing was written to it"}
	}
	texts := slices.DeleteFunc(slices.Clone(p.stderr.Last(failure.StderrKept)), func(line string) bool { return strings.TrimSpace(line) == "" })
	e := part{name: "stderr", tab: "tab.logs", total: p.stderr.Total, choose: func(n int) []string { return failure.Choice(texts, n) }}
	e.lines = make([]evidenceLine, min(len(texts), stderrFailed))
	return e
}

package server

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/stderr"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// group is evidence of one kind under a heading: lines of stderr, a response, or single
// facts.
type group struct {
	name, remark, right string // without a name the lines are facts
	tab                 string // tab with all lines, or "" if they are all here
	total               int    // lines in all, where not all of them are kept
	lines               []evidenceLine
	at                  stderr.Source // place that a line names and links to, or the zero Source
	of                  *fitting      // chooses the most informative lines; nil for the first ones
	most                int           // maximum number of rows, or 0
}

// A fitting chooses lines of stderr. It caches the wrapped lines until the lines or the width change, because
// wrapping is too slow to repeat at each painting and for each number of lines that is tried.
type fitting struct {
	of     stderrOf
	choose func(n int) []string // returns the n most informative lines
	width  int
	read   map[string]fitted // results by the text of a line
}

// fitted is a line in rows of a width.
type fitted struct {
	rows  []string
	wrong bool
}

// line returns a stderr line wrapped into rows of a width. The fitting owns it.
func (f *fitting) line(text string, width int) fitted {
	if f.width != width || f.read == nil {
		f.width, f.read = width, map[string]fitted{}
	}
	l, known := f.read[text]
	if !known {
		l = fitted{wrap(strings.TrimRight(text, " \t\r\n"), width), stderr.FormOf(text) == stderr.Error}
		f.read[text] = l
	}
	return l
}

func wrap(text string, width int) []string { return display.WrapMost(text, width, wrapEvidence) }

// stderrOf is which lines of stderr there are.
type stderrOf struct{ total, pid, count int }

// evidenceLine is a line of evidence. It may be untrusted.
type evidenceLine struct {
	label, text string
	wrong       bool // it stands out
}

const (
	// wrapEvidence is the maximum number of rows per line.
	wrapEvidence = 3
	// leastEvidence is the number of rows of each group that come before empty rows, and fewestEvidence the minimum:
	// a heading and a line.
	leastEvidence, fewestEvidence = 5, 2
	// minRoomy is the height from which a page has room for lines that repeat the sentence. A lower
	// page displays them if minSpare rows are left.
	minRoomy, minSpare = 22, 3
	// minQuoted is the length from which a line is left out if the sentence quotes it, in bytes.
	minQuoted = 8
	// fewLines is the maximum number of lines of stderr that are shown even if they are not errors.
	fewLines = 2

	stderrFailed = 200 // lines shown of a server that did not start, if there is room
	stderrShown  = 8
)

// evidence adds what there is to see, in the order of its weight. spare is the number of rows that a low page has
// for lines of stderr that the sentence repeats.
func (p *Pane) evidence(d *doc.Doc, spare int) {
	stdout, chain, facts := group{name: "stdout"}, group{name: "presented", remark: "by the server"}, group{}
	var response group
	var server []evidenceLine // headers about the server, which are less informative
	if request, status := failure.Refused(p.st.Err); status != "" {
		response = group{name: "response", remark: "to " + request}
		if !strings.Contains(p.sentence(), strings.TrimPrefix(status, "HTTP ")) {
			response.lines = []evidenceLine{{text: status, wrong: true}}
		}
		if x := p.exchange; x.Status != 0 && x.Method+" "+x.URL == request && strings.HasPrefix(status, fmt.Sprintf("HTTP %d", x.Status)) {
			response.right = phrase.Took(x.FirstByte)
		}
	}
	shown := make(map[failure.Line]bool)
	for _, l := range p.why.Evidence {
		if shown[l] || l.Kind == failure.KindProcess && p.why.Exited {
			continue
		}
		shown[l] = true
		switch l.Kind {
		case failure.KindStderr:
		case failure.KindStdout:
			stdout.lines = append(stdout.lines, evidenceLine{text: l.Text})
		case failure.KindPresented:
			chain.lines = append(chain.lines, evidenceLine{text: l.Text})
		case failure.KindHeader:
			name, value, _ := strings.Cut(l.Text, ":")
			line := evidenceLine{label: name + ":", text: strings.TrimSpace(value)}
			if name == "Server" || name == "Via" {
				server = append(server, line)
				continue
			}
			response.lines = append(response.lines, line)
		case failure.KindBody:
			if p.repeatsBody(l.Text) {
				continue
			}
			for text := range strings.SplitSeq(l.Text, "\n") {
				response.lines = append(response.lines, evidenceLine{text: text})
			}
		case failure.KindHTTP:
			if response.name != "" {
				continue
			}
			fallthrough
		default:
			facts.lines = append(facts.lines, evidenceLine{label: string(l.Kind), text: l.Text})
		}
	}
	if len(response.lines) == 0 && !p.saysWhy() {
		response.lines = server
	}
	low := d.H < minRoomy
	written := p.stderrPart(paint.If(low && spare >= minSpare, spare, stderrFailed), low && spare < minSpare)
	if low && spare >= minSpare {
		written.most = spare
	}
	order := []group{response, chain, stdout, written, facts}
	if p.stderr.Total == 0 {
		order[3], order[4] = order[4], order[3]
	}
	for _, e := range order {
		if len(e.lines) > 0 || e.name == "stderr" {
			e.add(d)
		}
	}
}

// stderrPart returns what the server has written to stderr.
func (p *Pane) stderrPart(most int, brief bool) group {
	if p.stderr.Total == 0 {
		if p.st.Process.PID == 0 {
			return group{} // there is no process that could have written
		}
		return group{name: "stderr", remark: p.noStderr()}
	}
	texts, quoted := p.unquoted(p.stderr.Last(), brief)
	if quoted && p.stderr.Total == 1 {
		return group{}
	}
	fits := &p.fits[paint.If(brief, 1, 0)]
	if of := (stderrOf{p.stderr.Total, p.st.Process.PID, len(texts)}); fits.choose == nil || fits.of != of {
		*fits = fitting{of: of, choose: failure.Chooser(texts)}
	}
	e := group{name: "stderr", tab: "tab.logs", total: p.stderr.Total, of: fits}
	if p.source.Ran == "" {
		e.at = p.source
	}
	e.lines = make([]evidenceLine, min(len(texts), most))
	return e
}

// noStderr describes stderr without lines. The process of an earlier start may have written lines, which are in Logs.
func (p *Pane) noStderr() string {
	if p.st.Phase != session.Connecting {
		return "nothing was written to it"
	}
	text := "process " + strconv.Itoa(p.st.Process.PID) + " has written nothing yet"
	if n := p.st.Stderr; n > 0 {
		text += "; Logs has " + phrase.Count(n, "earlier line")
	}
	return text
}

// unquoted returns the lines that are not blank. If the sentence repeats one of them and brief is set, it
// returns the other lines if they are few, or only the errors: the tab and the report have all lines.
func (p *Pane) unquoted(lines []string, brief bool) (left []string, quoted bool) {
	left = slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.TrimSpace(line) == "" })
	sentence := p.sentence()
	repeats := func(line string) bool {
		line = strings.TrimSpace(line)
		return len(line) >= minQuoted && strings.Contains(sentence, line)
	}
	if p.reporting || !p.failed() || !slices.ContainsFunc(left, repeats) {
		return left, false
	}
	few := len(left) <= fewLines
	if !few && !brief {
		return left, true
	}
	return slices.DeleteFunc(left, func(line string) bool { return repeats(line) || !few && !isError(line) }), true
}

// isError reports whether a line is an error by its form, and not just a heading of one.
func isError(line string) bool {
	return stderr.FormOf(line) == stderr.Error && !strings.HasSuffix(strings.TrimSpace(line), ":")
}

// repeatsBody reports whether the sentence has the message of a response, and the body little else.
func (p *Pane) repeatsBody(body string) bool {
	const little = 100 // bytes
	refused, ok := errors.AsType[*transport.StatusError](p.st.Err)
	return ok && !p.reporting && p.saysWhy() && len(body) <= len(failure.Said(refused))+little
}

// saysWhy reports whether the sentence has the message of the response. The page of a login has other words.
func (p *Pane) saysWhy() bool {
	if _, login := errors.AsType[*transport.AuthorizationError](p.st.Err); login && !p.why.OtherThanLogin() {
		return false
	}
	refused, ok := errors.AsType[*transport.StatusError](p.st.Err)
	return ok && failure.Said(refused) != "" && strings.Contains(p.sentence(), strconv.Quote(failure.Said(refused)))
}

// stderrTail adds the newest lines of a running server. Lines of an ended server are part of the evidence.
func (p *Pane) stderrTail(d *doc.Doc) {
	if e := p.stderrPart(stderrShown, false); e.name != "" && p.st.Phase != session.Ended {
		if d.Wants() > 0 {
			d.Blank()
		}
		e.add(d)
	}
}

// add adds a group. If space is short, it has fewer lines.
func (e group) add(d *doc.Doc) {
	rows := e.rows(d, len(e.lines))
	for n := min(len(e.lines), e.most) - 1; e.most > 0 && len(rows) > e.most && n >= 0; n-- { // each line has a row
		rows, e.lines = e.rows(d, n), e.lines[:n]
	}
	d.Add(len(rows), func(n int) {
		for shown := min(len(e.lines), n) - 1; len(rows) > n && shown >= 0; shown-- { // each has a row
			rows = e.rows(d, shown)
		}
		d.Write(len(rows), func(r *paint.Row, i int) { rows[i](r) })
	}).Give(10, leastEvidence).Give(8, fewestEvidence)
}

// rows paints n lines of a group under its heading.
func (e group) rows(d *doc.Doc, n int) (rows []func(r *paint.Row)) {
	pal, lines := d.Pal, e.lines[:n]
	if e.of != nil {
		lines = nil
		for _, text := range e.of.choose(n) {
			lines = append(lines, evidenceLine{text: text})
		}
	}
	add := func(write func(r *paint.Row)) { rows = append(rows, write) }
	if e.name != "" {
		add(func(r *paint.Row) { e.heading(r, d, len(lines)) })
	}
	last := ""
	for _, l := range lines {
		st, label, margin := pal.Text, l.label, 0
		switch {
		case e.name == "":
			margin = d.Margin
			if label == last {
				label = ""
			}
			last = l.label
		case label != "":
			label += " "
			l.text = label + l.text
		}
		shown := e.fit(l, max(1, d.W-2-max(margin, 2)))
		if shown.wrong {
			st = pal.Error
		}
		for i, text := range shown.rows {
			add(func(r *paint.Row) {
				switch {
				case e.name != "":
					r.Put(pal.Border, pal.Lines.Left+" ")
					if i == 0 && strings.HasPrefix(text, label) {
						r.Put(pal.Value, label)
						text = text[len(label):]
					}
				case i == 0:
					r.Put(pal.Muted, label)
				}
				r.To(1 + margin)
				r.LinkPlace(st, text, e.at.File, e.at.Line)
			})
		}
	}
	return rows
}

// fit returns a line wrapped into rows of a width.
func (e group) fit(l evidenceLine, width int) fitted {
	if e.of != nil {
		return e.of.line(l.text, width)
	}
	return fitted{wrap(l.text, width), l.wrong}
}

// heading writes the name of a group, how much of it is shown, and where the rest is.
func (e group) heading(r *paint.Row, d *doc.Doc, shown int) {
	pal := d.Pal
	right := []paint.Span{{Style: pal.Muted, Text: e.right}}
	remark := e.remark
	switch {
	case e.total > shown:
		remark = phrase.Count(e.total, "line")
		if shown > 0 {
			remark = fmt.Sprintf("%d of %s lines", shown, phrase.Digits(e.total))
		}
		right = []paint.Span{{Style: pal.AccentBold, Text: d.Names.Name(e.tab)}, {Style: pal.Muted, Text: " all lines"}}
	case e.total == 1:
		remark = "one line"
	case e.total > 0:
		remark = fmt.Sprintf("%d lines", e.total)
	}
	if right[0].Text != "" {
		r.Right(append(right, paint.Span{Text: " "})...)
	}
	r.Put(pal.TextBold, e.name)
	r.Put(pal.Muted, "  "+remark)
}

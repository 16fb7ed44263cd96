// Package branches is the pane of a session that goes on from a recording: the requests
// that were sent again, what differs, and the branches before this one.
package branches

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/session/record/store"
	"mcptea/session/runs/branch"
	"mcptea/session/runs/replay"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	uidiff "mcptea/ui/diff"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
)

// Pane is the list of the requests and the selected one.
type Pane struct {
	page.Page[*row, string]
	app    app.App
	branch *branch.Branch
	path   func() string   // of the recording of the session
	again  func(until int) // starts a new branch before a frame; 0 after all of them

	rows  []*row
	sent  map[int32]*row // the requests by the rows of the frames that were sent again
	state branch.State
	// allowed are the tools whose calls are sent without a question.
	allowed []string
	now     time.Time
	shown   *row
	lines   []uidiff.Line
	scroll  doc.Scroll
}

// row is a request of the recording, or a branch, which follows the request that it goes on
// from.
type row struct {
	branch.Result
	made    *branch.Made
	current bool // the branch of the session
	rest    bool // a request that was not sent: the branch is live before the first one
	next    bool // the first of those
	more    int  // requests that are not listed
	last    bool // the last branch at its place
}

// isBranch reports a branch in place of a request.
func (r *row) isBranch() bool { return r.made != nil }

const notBranched = "This session does not go on from a recording."

// New returns the pane of a branch; b is nil for another session.
func New(a app.App, b *branch.Branch, path func() string, again func(until int)) *Pane {
	p := &Pane{app: a, branch: b, path: path, again: again}
	p.Init(page.Spec[*row, string]{
		Noun: "request", Title: p.title, Note: p.note, Empty: p.empty, Sign: p.sign,
		Len: func() int { return len(p.rows) },
		At:  func(i int) *row { return p.rows[i] },
		Key: key,
		Columns: []page.Column[*row]{
			{Name: "recorded", Width: 8, Right: true, Cell: frame},
			{Name: "what", Width: 30, Cell: p.what},
			{Name: "arguments", Cell: p.arguments},
			{Name: "ms", Width: 6, Right: true, From: 40, Cell: took},
		},
		Detail: func(r *row) app.Pane { return app.Still(func(c *app.Canvas) { p.detail(c, r) }) },
		Wide:   p.wide,
		Layout: page.Layout{Beside: 100, Percent: 46, Min: 42, Height: 60, Texts: true},
	})
	branched := func() string { return keys.Reason(b == nil, notBranched) }
	request := func(r *row) string {
		return keys.Reason(r.isBranch() || r.Frame == 0, "This is not a request of the recording.")
	}
	sent := func(r *row) string {
		return keys.Reason(r.isBranch() || r.Request == store.None, "It was not sent again.")
	}
	p.Name, p.Own = "branch", []keys.Command{
		p.Do(keys.Command{ID: "branch.here", Keys: keys.On("enter"), Label: "branch here", Help: "Connect again and send the frames before this request; a new branch", Words: "continue fork go on", Footer: 10}, func(r *row) { p.again(r.Frame) }, request),
		{ID: "again", Verb: keys.Again, Label: "branch again", Help: "Connect again and go on from the same frame; a new branch", Words: "continue repeat restart", Footer: 11, Run: func() { p.again(b.Until) }, Off: branched},
		p.Do(keys.Command{ID: "edit", Verb: keys.Edit, Label: "edit and send", Help: "Open the recorded request in the composer", Words: "compose arguments send", Footer: 12}, p.edit, request),
		{ID: "diff", Verb: keys.Diff, Label: "compare", Help: "Compare this branch with the selected one, or with the one before", Words: "difference branches", Footer: 13, Run: p.compare, Off: func() string {
			if b == nil {
				return notBranched
			}
			return keys.Reason(len(b.Earlier) == 0 || p.path() == "", "There is no earlier branch: "+a.Key("again")+" starts another one.")
		}},
		{ID: "match.next", Verb: keys.NextMatch, Label: "next change", Help: "Go to the next request whose response differs", Footer: 14, Run: func() { p.next(1) }, Off: branched},
		{ID: "match.previous", Verb: keys.PrevMatch, Label: "previous change", Help: "Go to the previous request whose response differs", Run: func() { p.next(-1) }, Off: branched},
		p.Do(keys.Command{ID: "frame", Keys: keys.On("f4"), Label: "frame", Help: "Show the frame of the new response", Words: "wire", Footer: 15}, func(r *row) { a.ShowFrame(max(r.Request, r.Response)) }, sent),
	}
	return p
}

func key(r *row) string {
	if r.made != nil {
		return r.made.Name
	}
	return fmt.Sprintf("#%d %s", r.Frame, r.Method)
}

// Present reports whether the session is a branch.
func (p *Pane) Present() bool { return p.branch != nil }

// Badge is the number of responses that differ.
func (p *Pane) Badge() string {
	if n := p.state.Counts.Different + p.state.Counts.Failed; n > 0 {
		return paint.HumanCount(n)
	}
	return ""
}

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) (busy bool) {
	if p.branch == nil {
		return false
	}
	p.now = t.Now
	p.allowed = p.branch.AllowedTools()
	st := p.branch.State()
	if len(st.Results) != len(p.state.Results) || st.Phase != p.state.Phase || p.rows == nil {
		live := st.Phase == branch.Live && p.state.Phase != branch.Live
		p.state, p.shown = st, nil
		p.list()
		p.Changed()
		if live && len(p.branch.Rest) > 0 {
			p.Select(key(&row{Result: branch.Result{Result: p.branch.Rest[0]}}))
		}
	}
	return p.Page.Refresh(t) || st.Phase == branch.Sending
}

// list lists the requests by their frames, and each branch below the request before which it
// goes on.
func (p *Pane) list() {
	p.rows = p.rows[:0]
	p.sent = map[int32]*row{}
	for i := range p.state.Results {
		r := &row{Result: p.state.Results[i]}
		p.rows = append(p.rows, r)
		p.sent[r.Request], p.sent[r.Response] = r, r
	}
	delete(p.sent, store.None)
	slices.SortStableFunc(p.rows, func(a, b *row) int { return a.Frame - b.Frame })
	unsent := branch.Result{Request: store.None, Response: store.None}
	for i, r := range p.branch.Rest {
		unsent.Result = r
		p.rows = append(p.rows, &row{Result: unsent, rest: true, next: i == 0})
	}
	if n := p.branch.More; n > 0 {
		p.rows = append(p.rows, &row{rest: true, more: n})
	}
	var made []*row
	for i := range p.branch.Earlier {
		made = append(made, &row{made: &p.branch.Earlier[i]})
	}
	this := p.branch.Made()
	made = append(made, &row{made: &this, current: true})
	below := map[*row][]*row{}
	for _, m := range made {
		r := p.requestBefore(m.made.Until)
		if of := below[r]; len(of) > 0 {
			of[len(of)-1].last = false
		}
		m.last = true
		below[r] = append(below[r], m)
	}
	requests := p.rows
	p.rows = below[nil]
	for _, r := range requests {
		p.rows = append(append(p.rows, r), below[r]...)
	}
}

// requestBefore is the request that a branch stands below: the last one up to the frame that
// it goes on before, nil before all of them.
func (p *Pane) requestBefore(until int) (last *row) {
	for _, r := range p.rows {
		if until > 0 && r.Frame > until {
			break
		}
		last = r
	}
	return last
}

// Motion implements [app.Pane]: pages scroll the difference.
func (p *Pane) Motion(m keys.Motion) bool {
	switch m {
	case keys.PageDown, keys.PageUp, keys.HalfDown, keys.HalfUp:
		return keys.Scroll(&p.scroll, m)
	}
	return p.Page.Motion(m)
}

// next selects the next request whose response differs; after the last one the first.
func (p *Pane) next(step int) {
	selected, _ := p.Selected()
	at, n := slices.Index(p.rows, selected), len(p.rows)
	for k := 1; k < n; k++ {
		if r := p.rows[((at+k*step)%n+n)%n]; !r.isBranch() && !r.rest && (r.State == replay.Different || r.State == replay.Failed) {
			p.Select(key(r))
			return
		}
	}
	p.app.Say("There is no other difference.")
}

// edit opens the recorded request in the composer.
func (p *Pane) edit(r *row) {
	number := r.Frame
	p.app.Go(func(context.Context) func() {
		body, err := p.branch.Frame(number)
		return func() {
			if err != nil {
				p.app.Fail(dialog.Sentence(err))
				return
			}
			request := client.ParseRequest(body)
			p.app.Compose(request.Method, string(request.Params))
		}
	})
}

// compare compares the session with the selected branch, or with the newest one before.
func (p *Pane) compare() {
	other := &p.branch.Earlier[len(p.branch.Earlier)-1]
	if r, ok := p.Selected(); ok && r.isBranch() && !r.current {
		other = r.made
	}
	paths := [2]string{other.Path, p.path()}
	names := [2]string{"branch " + other.Name, "branch " + p.branch.Name}
	uidiff.Open(p.app, uidiff.Comparing, uidiff.Recordings(paths, names))
}

func (p *Pane) title() []paint.Span {
	if p.branch == nil {
		return []paint.Span{{Text: "Branch"}}
	}
	return []paint.Span{{Text: "Branch " + p.branch.Name + "  "}, {Text: p.branch.Origin()}}
}

func (p *Pane) note(pal *paint.Palette) []paint.Span {
	switch p.state.Phase {
	case branch.Waiting:
		return nil
	case branch.Live:
		return []paint.Span{{Style: pal.OK, Text: pal.Dot + " live"}, {Style: pal.Muted, Text: "  " + p.state.Counts.Counts()}}
	case branch.Failed:
		return []paint.Span{{Style: pal.Error, Text: pal.FailMark + " ended"}}
	}
	return []paint.Span{{Style: pal.Warn, Text: "sending again"}}
}

func (p *Pane) empty(d *doc.Doc, _ bool) {
	if p.branch == nil {
		d.Text(d.Pal.Muted, notBranched+" mcptea open FILE --continue TARGET starts one that does, and so does "+d.Names.Name("restart")+" in an opened recording.", 3)
		return
	}
	d.Text(d.Pal.Muted, p.state.Sentence(), 3)
}

// sign says what has become of a request.
func (p *Pane) sign(r *row, pal *paint.Palette) paint.Span {
	switch {
	case r.current || r.next:
		return paint.Span{Style: pal.OK, Text: pal.Dot}
	case r.isBranch(), r.rest:
		return paint.Span{Text: " "}
	}
	return outcome(r.State, pal)
}

// outcome is the sign of a state.
func outcome(s replay.State, pal *paint.Palette) paint.Span {
	switch s {
	case replay.Equal:
		return paint.Span{Style: pal.OK, Text: "="}
	case replay.Different:
		return paint.Span{Style: pal.Warn, Text: "~"}
	case replay.Failed:
		return paint.Span{Style: pal.Error, Text: pal.FailMark}
	}
	return paint.Span{Style: pal.Muted, Text: pal.Absent}
}

// Remark is what the list of frames says of a request that was sent again, its number in the
// recording, and of its response, whether that is the recorded one; nothing of the others.
func (p *Pane) Remark(pal *paint.Palette, at int32) []paint.Span {
	r, ok := p.sent[at]
	if !ok {
		return nil
	}
	as := paint.Span{Style: pal.Muted, Text: fmt.Sprintf("was #%d", r.Frame)}
	if at == r.Request {
		return []paint.Span{as}
	}
	return []paint.Span{outcome(r.State, pal)}
}

func frame(r *row, pal *paint.Palette) []paint.Span {
	if r.Frame == 0 {
		return nil
	}
	return []paint.Span{{Style: pal.Muted, Text: fmt.Sprintf("#%d", r.Frame)}}
}

func (p *Pane) what(r *row, pal *paint.Palette) []paint.Span {
	if r.isBranch() {
		return p.whatBranch(r, pal)
	}
	if r.more > 0 {
		return []paint.Span{{Style: pal.Muted, Text: paint.HumanCount(r.more) + " more requests"}}
	}
	name := paint.If(r.rest, pal.Muted, pal.Text)
	if r.Method == "tools/call" && r.Subject != "" { // most are: the name is what tells them apart
		return []paint.Span{{Style: name, Text: r.Subject}}
	}
	return []paint.Span{{Style: name, Text: r.Method + " "}, {Style: pal.Value, Text: r.Subject}}
}

// arguments are those of a call, after where the branch is live or why it was not compared.
func (p *Pane) arguments(r *row, pal *paint.Palette) (spans []paint.Span) {
	switch {
	case r.next && p.state.Phase == branch.Live:
		spans = append(spans, paint.Span{Style: pal.OK, Text: "live from here  "})
	case r.Note != "":
		spans = append(spans, paint.Span{Style: pal.Warn, Text: r.Note + "  "})
	}
	if r.Arguments == "" {
		return spans
	}
	return append(spans, paint.Span{Style: pal.Muted, Text: r.Arguments})
}

// whatBranch is the line of a branch.
func (p *Pane) whatBranch(r *row, pal *paint.Palette) []paint.Span {
	line, said := pal.Child, paint.Span{Style: pal.Muted, Text: r.made.Counts}
	if r.last {
		line = pal.Last
	}
	switch {
	case r.current:
		said.Text = p.state.Counts.Counts()
	case r.made.Counts == "":
		said.Text = "earlier"
	}
	spans := []paint.Span{
		{Style: pal.Muted, Text: line + " "},
		{Style: pal.AccentBold, Text: r.made.Name + " "},
		{Style: pal.Muted, Text: paint.HumanDate(r.made.Begun, p.now) + "  "},
	}
	if r.current && len(p.allowed) > 0 {
		spans = append(spans, paint.Span{Style: pal.Warn, Text: "allowed " + strings.Join(p.allowed, ", ") + "  "})
	}
	return append(spans, said)
}

func took(r *row, pal *paint.Palette) []paint.Span {
	if r.isBranch() || r.Took == 0 {
		return nil
	}
	return []paint.Span{{Style: pal.Muted, Text: paint.Milliseconds(time.Duration(r.Took))}}
}

// detail shows what differs in the selected request.
func (p *Pane) detail(c *app.Canvas, r *row) {
	pal := c.Pal
	title := r.Method + " " + r.Subject
	if r.isBranch() {
		title = "Branch " + r.made.Name
	}
	s := doc.On(c.Box([]paint.Span{{Style: pal.TextBold, Text: pal.Label(title, max(10, c.W-30))}}, nil, false))
	if p.shown != r {
		p.shown, p.lines = r, uidiff.Lines(r.Rows)
		p.scroll.Row(uidiff.Start(p.lines))
	}
	p.said(s, r)
	if p.state.Phase == branch.Failed {
		s.Text(pal.Error, p.state.Sentence(), 3)
	}
	uidiff.Rest(s, &p.scroll, p.lines)
	s.Paint()
}

// wide is how many cells the detail of a row wants: for its differences, whose lines have two
// numbers and a sign before them.
func (p *Pane) wide(r *row) (cells int) {
	const before = 14
	for i := range r.Rows {
		cells = max(cells, before+max(len(r.Rows[i].Old), len(r.Rows[i].New)))
	}
	return cells
}

// said is what is said of a row above its differences.
func (p *Pane) said(s *doc.Doc, r *row) {
	pal := s.Pal
	switch {
	case r.current:
		s.Text(pal.Text, "The branch of this session. "+s.Names.Name("again")+" starts another one at the same frame.", 2)
		if len(p.allowed) > 0 {
			s.Text(pal.Warn, "Sent without a question: all calls of "+strings.Join(p.allowed, ", ")+".", 3)
		}
	case r.isBranch():
		text := "A branch before this one"
		if r.made.Counts != "" {
			text += ": " + r.made.Counts
		}
		if r.made.Path != "" {
			text += ". It is recorded in " + filepath.Base(r.made.Path)
		}
		s.Text(pal.Text, text+".", 3)
		s.Text(pal.Muted, s.Names.Name("diff")+" compares it with this branch.", 2)
	case r.more > 0:
		s.Text(pal.Muted, "The recording has more requests than are listed. --until FRAME goes on before one of them.", 2)
	case r.rest:
		text := "This request was not sent again."
		if r.next && p.state.Phase == branch.Live {
			text = "This request was not sent again: the session is live from here."
		}
		s.Text(pal.Text, text, 2)
		s.Text(pal.Muted, s.Names.Name("edit")+" opens it in the composer, to send it with other arguments. "+s.Names.Name("branch.here")+" starts a new branch that goes on before it.", 3)
	case r.State == replay.Equal:
		s.Text(pal.OK, "The response is that of the recording.", 1)
	case r.Note != "":
		s.Text(pal.Text, pal.Label(r.Note, 400), 3)
	}
}

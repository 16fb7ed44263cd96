// Package branches implements the pane of a session that continues a recording: the requests that were sent
// again, the differences, and the earlier branches.
package branches

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/session/runs/branch"
	"mcptea/session/runs/replay"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	uidiff "mcptea/ui/diff"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// Pane is the list of the requests and the selected one.
type Pane struct {
	page.Page[*row, string]
	app    app.App
	branch *branch.Branch
	path   func() string   // returns the path of the session's recording
	again  func(until int) // starts a new branch before a frame, or with 0 after all of them

	rows  []*row
	sent  map[int32]*row // the requests by the rows of the frames that were sent again
	state branch.State
	// allowed holds the tools whose calls are sent without a question.
	allowed []string
	now     time.Time
	shown   *row
	lines   []uidiff.Line
	scroll  doc.Scroll
}

// A row is a request of the recording, or a branch, which follows the request that it continues from.
type row struct {
	branch.Result
	made    *branch.Made
	current bool // the branch of the session
	rest    bool // a request that was not sent: the branch is live before the first one
	next    bool // first request that is not sent
	more    int  // requests that are not listed
	last    bool // last branch at this place
}

// isBranch reports whether the row is a branch.
func (r *row) isBranch() bool { return r.made != nil }

const notBranched = "This session does not continue a recording."

// New returns the pane of a branch; b is nil for another session.
func New(a app.App, b *branch.Branch, path func() string, again func(until int)) *Pane {
	p := &Pane{app: a, branch: b, path: path, again: again}
	p.Init(page.Spec[*row, string]{
		Noun: "request", Title: p.title, Note: p.note, Empty: p.empty, Sign: p.sign,
		Len: func() int { return len(p.rows) },
		At:  func(i int) *row { return p.rows[i] },
		Key: key,
		Columns: []widget.Column[*row]{
			{Name: "recorded", Width: 8, Right: true, Cell: frame},
			{Name: "what", Width: 30, Cell: p.what},
			{Name: "arguments", Cell: p.arguments},
			{Name: "ms", Width: 6, Right: true, From: 40, Cell: took},
		},
		Detail: func(r *row) app.Pane { return app.Still(func(c *app.Canvas) { p.detail(c, r) }) },
		Layout: page.Layout{Beside: 100, Height: 60, Texts: true},
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
		{ID: "again", Verb: keys.Again, Label: "branch again", Help: "Connect again and continue from the same frame; a new branch", Words: "continue repeat restart", Footer: 11, Run: func() { p.again(b.Until) }, Off: branched},
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

// Badge returns the number of responses that differ.
func (p *Pane) Badge() string {
	return phrase.Badge(p.state.Counts.Different + p.state.Counts.Failed)
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

// list lists the requests by their frames. Each branch is below the request before which it
// continues.
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

// requestBefore returns the request that a branch is shown under: the last one up to the frame that it
// continues before, or nil.
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
	if !p.Seek(step, func(r *row) bool {
		return !r.isBranch() && !r.rest && (r.State == replay.Different || r.State == replay.Failed)
	}) {
		p.app.Say("There are no other differences.")
	}
}

// edit opens the recorded request in the composer.
func (p *Pane) edit(r *row) {
	number := r.Frame
	dialog.Try(p.app, func(context.Context) ([]byte, error) { return p.branch.Frame(number) }, func(body []byte) {
		request := client.ParseRequest(body)
		p.app.Compose(request.Method, string(request.Params))
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

func (p *Pane) empty(d *doc.Doc) {
	if p.branch == nil {
		d.Text(d.Pal.Muted, notBranched+" mcptea open FILE --continue TARGET starts one that does, and so does "+d.Names.Name("restart")+" in an opened recording.", 3)
		return
	}
	d.Text(d.Pal.Muted, p.state.Sentence(), 3)
}

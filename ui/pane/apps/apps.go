// Package apps implements the pane of the apps that are open in the browser: each app's host settings, and the
// messages that can be sent to it on purpose.
package apps

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mcptea/internal/words/display"
	"mcptea/session/apps"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// A Pane is the list of the apps with the host settings and the messages that can be sent.
type Pane struct {
	page.Page[*row, string]
	app app.App
	s   *session.Session
	Host

	apps    []*apps.App // apps in the order opened
	states  []apps.State
	rows    []*row
	current int // the app that the settings are of
	now     time.Time
}

// Host contains the functions of the program that the pane uses.
type Host struct {
	Dark     func() bool       // the theme is dark, which an app begins with
	Filter   func(text string) // shows the frames that match in Traffic
	OpenLink func(ctx context.Context, url string) error
	Save     func(name string, data []byte) (path string, err error) // writes a file that an app offers
}

// row is an app, a setting of its host, or something that can be sent to it.
type row struct {
	of      int // the app
	key     string
	heading string // replaces the rest
	label   string
	value   func(st *apps.State) string
	help    string
	do      func(a *apps.App, st *apps.State) error
}

// New returns the pane without an app.
func New(a app.App, s *session.Session, h Host) *Pane {
	p := &Pane{app: a, s: s, Host: h}
	p.Init(page.Spec[*row, string]{
		Noun: "app", Title: func() []paint.Span { return []paint.Span{{Text: "Apps"}} }, Note: p.note, Empty: p.empty, Sign: p.sign,
		Len: func() int { return len(p.rows) },
		At:  func(i int) *row { return p.rows[i] },
		Key: func(r *row) string { return r.key },
		Columns: []widget.Column[*row]{
			{Width: 22, Cell: p.label},
			{Cell: p.value},
		},
		Heading: func(r *row) bool { return r.heading != "" },
		Detail:  func(r *row) app.Pane { return app.Still(func(c *app.Canvas) { p.detail(c, r) }) },
		Open:    func(r *row) { p.do(r) },
		Layout:  page.Layout{Beside: 100, Height: 60, Texts: true},
	})
	one := func() string { return keys.Reason(len(p.apps) == 0, notOpen) }
	p.Name, p.Own = "apps", []keys.Command{
		p.Do(keys.Command{ID: "app.do", Keys: keys.On("enter"), Label: "change or send", Help: "Change the setting of the host, or send the message to the app", Words: "theme size locale display tool-result cancel", Footer: 10}, p.do, func(r *row) string {
			return keys.Reason(r.do == nil, "Select a setting, or a message to send.")
		}),
		{ID: "again", Verb: keys.Again, Label: "load again", Help: "Open the app again, with the same call and result", Words: "reload browser load", Footer: 12, Run: p.again, Off: one},
		{ID: "open", Verb: keys.Open, Label: "open the page", Help: "Open the page of the app in the browser", Words: "url", Footer: 13, Run: func() { p.app.OpenPage(p.state().URL) }, Off: p.opened},
		{ID: "app.close", Verb: keys.End, Label: "close", Help: "Shut the app down, and close its page", Words: "teardown stop", Footer: 14, Run: p.end, Off: one},
		{ID: "copy", Verb: keys.Copy, Label: "copy URL", Help: "Copy the URL of the page of the app", Words: "clipboard address", Footer: 15, Run: func() { p.app.Copy(p.state().URL, nil, "URL of the app") }, Off: p.opened},
		{ID: "frame", Keys: keys.On("f4"), Label: "frames", Help: "Show the messages of the app in Traffic", Words: "wire messages traffic filter", Footer: 16, Run: func() { p.Filter(fmt.Sprintf("conn:%d", p.state().Conn)) }, Off: one},
	}
	return p
}

const notOpen = "No app is open."

// opened returns why the page cannot be opened: a URL works once.
func (p *Pane) opened() string {
	switch {
	case len(p.apps) == 0:
		return notOpen
	case p.state().Phase != apps.Waiting:
		return "The page was opened already; " + p.app.Key("again") + " opens the app again."
	}
	return ""
}

// Open opens the app of a tool in the browser. call is the call of the tool if it was already made. If nil,
// Open calls the tool with the raw arguments.
func (p *Pane) Open(tool string, arguments []byte, call *session.Call) {
	p.app.Say("reading the app of " + display.Sanitize(tool))
	o := apps.Options{Call: call, OpenLink: p.OpenLink, Save: p.Save}
	if o.Theme = "dark"; !p.Dark() {
		o.Theme = "light"
	}
	dialog.Try(p.app, func(ctx context.Context) (*apps.App, error) { return apps.Open(ctx, p.s, tool, arguments, o) }, func(a *apps.App) {
		p.apps = append(p.apps, a)
		p.current = len(p.apps) - 1
		p.updateStates()
		p.Select(p.rows[0].key)
		p.app.ShowTab("tab.apps")
		p.app.OpenPage(a.URL())
	})
}

// again opens the current app again.
func (p *Pane) again() {
	a := p.apps[p.current]
	tool, arguments, call := a.Call()
	p.Open(tool, arguments, call)
}

// end closes the current app.
func (p *Pane) end() {
	a := p.apps[p.current]
	p.app.Go(func(ctx context.Context) func() {
		a.Close(ctx)
		return func() { p.app.Say("The app is closed.") }
	})
}

// Close closes all apps, and waits for their responses to that for a second at most.
func (p *Pane) Close(ctx context.Context) {
	var all sync.WaitGroup
	for _, a := range p.apps {
		all.Go(func() { a.Close(ctx) })
	}
	all.Wait()
}

// state returns the state of the current app.
func (p *Pane) state() *apps.State { return &p.states[p.current] }

// Present reports whether an app was opened.
func (p *Pane) Present() bool { return len(p.apps) > 0 }

// Badge returns the number of open apps.
func (p *Pane) Badge() string {
	n := 0
	for i := range p.states {
		if p.states[i].Phase != apps.Closed {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) (busy bool) {
	p.now = t.Now
	if r, ok := p.Selected(); ok && r.of != p.current {
		p.current = r.of
		p.list()
	}
	p.updateStates()
	waits := len(p.states) > 0 && p.state().Phase < apps.Ready
	return p.Page.Refresh(t) || waits
}

// updateStates updates the states of the apps.
func (p *Pane) updateStates() {
	known := len(p.states)
	p.states = p.states[:0]
	for _, a := range p.apps {
		p.states = append(p.states, a.State())
	}
	if len(p.states) != known {
		p.list()
	}
}

// list lists the apps, the newest first, and the rows of the current one below it.
func (p *Pane) list() {
	p.rows = p.rows[:0]
	for i := range slices.Backward(p.apps) {
		p.rows = append(p.rows, &row{of: i, key: fmt.Sprint("app ", i)})
		if i == p.current {
			p.rows = append(p.rows, controls(i)...)
		}
	}
	p.Changed()
}

// do changes a setting, or sends something.
func (p *Pane) do(r *row) {
	if r.do == nil {
		return
	}
	if err := r.do(p.apps[r.of], &p.states[r.of]); err != nil {
		p.app.Fail(dialog.Sentence(err))
		return
	}
	if strings.HasPrefix(r.key, "send ") {
		p.app.Say(r.label + " was sent to the app.")
	}
}

// Question returns the first question of the first app that has one, with the index of the app and its state.
// The state is nil if there is no question.
func (p *Pane) Question() (of int, q apps.Question, st *apps.State) {
	for i := range p.states {
		if waiting := p.states[i].Questions; len(waiting) > 0 {
			return i, waiting[0], &p.states[i]
		}
	}
	return 0, q, nil
}

// Decide decides a question of an app.
func (p *Pane) Decide(of, id int, agreed bool) { p.apps[of].Decide(id, agreed) }

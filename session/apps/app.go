package apps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/signal"
	"mcptea/offer"
	"mcptea/offer/declared"
	"mcptea/offer/invoke"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/apps/hostpage"
	"mcptea/session/question"
	"mcptea/session/session"
)

// Options configures an app. With the zero value, the user is asked about everything, and the app can neither
// open links nor save files.
type Options struct {
	// Call is the call of the tool if it was made already, and may be running; nil calls the
	// tool.
	Call *session.Call
	Host
	// Loose has the policy of the document permit what cannot be declared, as some hosts do; see
	// [declared.CSP.Policy].
	Loose bool
	// HoldResult keeps the result of the call back until [App.Send] sends it.
	HoldResult bool
	// Allowed lists tools that the app may call without a question, whatever their annotations are.
	Allowed []string
	// Unattended refuses everything that needs the user's consent, because there is no user.
	Unattended bool
	// OpenLink opens a web page; nil declares no support of links.
	OpenLink func(ctx context.Context, url string) error
	// Save writes a file that the app offers, and returns its path; nil declares no support of
	// downloads. The name has no path in it.
	Save func(name string, data []byte) (path string, err error)
	// Bare declares no capabilities of the host.
	Bare bool
}

// A Phase is the state of an app.
type Phase uint8

// The values of [Phase].
const (
	Waiting Phase = iota // waits for the browser to open the page
	Loading              // the page is there, ui/initialize is not
	Ready                // initialized
	Closed
)

var phaseNames = [...]string{"waiting for the browser", "loading", "initialized", "closed"}

// String names the phase.
func (p Phase) String() string { return phaseNames[p] }

// State is a snapshot of an app. Texts of the app are untrusted.
type State struct {
	Phase    Phase
	URL      string    // URL of the host page; it can be opened once
	Expires  time.Time // the URL
	Ports    []string  // ports of the host page and of the sandbox; a browser elsewhere needs both
	Tool     string
	Document declared.Document
	Name     string // name that the app gives itself; "" before ui/initialize
	Version  string
	Conn     uint16 // number of its connection in the record
	CallID   jsonrpc.ID

	Connected   time.Time // time at which the page was opened, or zero
	Initialized time.Time // zero before
	Why         string    // why the app was closed
	// TornDown is the time at which the wait for the response to ui/resource-teardown ended, or
	// zero. TeardownError is the error of the wait or of the response.
	TornDown      time.Time
	TeardownError error

	Host
	Modes     []string // display modes that the app declares; nil if it declares none
	Reported  Size     // size reported with ui/notifications/size-changed
	Shown     Size     // size of the frame
	SizeLoop  bool     // the app changes its size without end; its reports are ignored
	Held      bool     // the result is kept back
	Outcome   bool     // the call of the tool has one: a result, or why it failed
	Questions []Question
	Context   []byte // params of the newest ui/update-model-context, or nil

	In, Out    int      // messages from and to the app
	Calls      int      // tools/call of the app
	Refused    []string // tools with a call that was refused because the user cannot be asked, without duplicates; always empty for a bare host
	Errors     int      // log messages of the app with level error or above
	Lost       int      // messages of the app that were dropped because there were too many
	Violations int      // reports that the policy has blocked something
}

// enter enters a phase. A closed app stays closed, whatever its page still sends.
func (st *State) enter(p Phase) {
	if st.Phase != Closed {
		st.Phase = p
	}
}

// App is an app that is open. Its methods may be called from any goroutine.
type App struct {
	s       *session.Session
	o       Options
	tool    offer.Item
	args    []byte
	doc     declared.Document
	call    *session.Call
	page    *hostpage.Page
	record  *store.Beside
	limit   limiter
	in, out wire
	changed signal.Signal

	questions *question.Queue[Question]

	ctx context.Context // ends when the app is closed
	end context.CancelCauseFunc
	wg  sync.WaitGroup // increased only by Open, and while state.Phase is not Closed

	mu       sync.Mutex
	state    State
	input    bool // tool-input was sent
	finished bool // tool-result or tool-cancelled was sent
	result   []byte
	failure  string                             // why there is no result, or ""
	pending  map[jsonrpc.Key]context.CancelFunc // requests of the app; at most maxPending
	asked    []request                          // pending requests of the host, oldest first; at most maxPending
	lastID   int64
	sizes    []time.Time // times of the newest reports of a changed size
}

const (
	// maxDocument bounds the document of an app.
	maxDocument = 10 << 20
	// maxPending bounds the pending requests of an app: more are refused. It also bounds the host's pending
	// requests: with more, the oldest fails.
	maxPending = 64
	// teardownTimeout bounds the wait for the response to ui/resource-teardown.
	teardownTimeout = time.Second
	// watchInterval is the time between two looks at the connection to the server.
	watchInterval = 100 * time.Millisecond
)

// Open opens the app of a tool: it reads the document, serves the page and, unless the call is
// given, calls the tool with raw arguments. It returns when the page can be opened in a
// browser. The context bounds the reading. The caller closes the app; it also closes itself when
// its page, the session or the connection to the server ends.
func Open(ctx context.Context, s *session.Session, tool string, args []byte, o Options) (*App, error) {
	item, err := find(ctx, s, tool)
	if err != nil {
		return nil, err
	}
	declares, _ := declared.OfTool(item.Raw)
	if declares.URI == "" {
		return nil, fmt.Errorf("the tool %s has no app: its _meta.ui.resourceUri is not a URI that begins with %s", tool, declared.Scheme)
	}
	doc, err := read(ctx, s, declares.URI)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = []byte("{}")
	}
	o.complete()
	a := &App{
		s: s, o: o, tool: item, args: args, doc: doc, call: o.Call,
		pending: map[jsonrpc.Key]context.CancelFunc{},
	}
	a.questions = question.New[Question](maxQuestions, func() {
		a.show()
		a.notify()
	})
	a.ctx, a.end = context.WithCancelCause(context.Background())
	a.page, err = hostpage.Serve(ctx, hostpage.Config{
		HTML: doc.HTML, Policy: doc.CSP.Policy(o.Loose), Allow: declared.Allow(doc.Permissions), Bare: doc.PrefersBorder != nil && !*doc.PrefersBorder,
		Message: a.receive, Event: a.event, Gone: func(why error) { go a.shut(why.Error(), false) },
	})
	if err != nil {
		return nil, err
	}
	a.record = s.Store().Beside(record.Connection{Transport: record.App, Target: a.page.Origin() + " " + doc.URI})
	a.in.lane, a.out.lane = a.newLane(), a.newLane()
	if a.call == nil {
		a.call = s.Start("tools/call", invoke.Params(tool, args))
	}
	a.state = State{
		URL: a.page.URL(), Expires: a.page.Expires(), Ports: a.page.Ports(), Tool: tool, Document: doc, Conn: a.record.Conn(), CallID: a.call.ID,
		Host: o.Host, Held: o.HoldResult, Shown: Size{o.Width, startHeight},
	}
	a.show()
	a.wg.Go(a.awaitResult)
	a.wg.Go(a.watch)
	return a, nil
}

// URL returns the address of the host page. It can be opened once.
func (a *App) URL() string { return a.page.URL() }

// State returns the state. Slices in it are not changed later.
func (a *App) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	st := a.state
	if st.Phase != Closed {
		st.Questions = a.questions.All()
	}
	return st
}

// Subscribe returns a channel with one slot that receives a token when the state changed, and a function that
// ends the subscription.
func (a *App) Subscribe() (<-chan struct{}, func()) { return a.changed.Subscribe() }

// notify wakes the observers of the app and of the session.
func (a *App) notify() {
	a.changed.Notify()
	a.s.Store().Notify()
}

// Done returns a channel that is closed when the app is closed.
func (a *App) Done() <-chan struct{} { return a.ctx.Done() }

// update changes the state, and displays the change.
func (a *App) update(change func(*State)) {
	a.mu.Lock()
	change(&a.state)
	a.mu.Unlock()
	a.notify()
}

// show sends the page its appearance.
func (a *App) show() {
	st := a.State()
	state := st.Phase.String()
	if len(st.Questions) > 0 {
		state = "waits for an answer in the terminal"
	}
	name := cmp.Or(st.Name, st.Tool)
	a.page.Show(hostpage.Look{Display: st.Display, Theme: st.Theme, Width: st.Shown.Width, Height: st.Shown.Height, Name: name, State: state})
}

// awaitResult waits for the result of the call of the tool.
func (a *App) awaitResult() {
	select {
	case <-a.call.Done():
	case <-a.ctx.Done():
		return
	}
	result, err := a.call.Result()
	a.mu.Lock()
	if err == nil {
		a.result = result
	} else {
		a.failure = err.Error()
	}
	a.state.Outcome = true
	a.mu.Unlock()
	a.deliver()
	a.notify()
}

// watch notifies the app when a list of the server has changed. It closes the app if the page is not opened in
// time, or when the session or its connection ends.
func (a *App) watch() {
	reported := changesOf(a.s)
	changed, stop := a.s.Store().Subscribe()
	defer stop()
	expired := time.NewTimer(hostpage.TokenLife)
	defer expired.Stop()
	for {
		select {
		case <-a.ctx.Done():
			return
		case <-a.s.Closing():
			go a.shut("the session has ended", false)
			return
		case <-expired.C:
			if a.State().Phase == Waiting {
				go a.shut("the page was not opened within "+hostpage.TokenLife.String(), false)
				return
			}
		case <-changed:
			select { // a flood would wake it for each frame
			case <-time.After(watchInterval):
			case <-a.ctx.Done():
				return
			}
			if st := a.s.State(); a.isClosing() {
				go a.shut("the session has ended", false)
				return
			} else if st.Phase == session.Ended || st.Phase == session.Failed {
				go a.shut("the connection to the server has ended", true)
				return
			}
			now := changesOf(a.s)
			for i, kind := range changing {
				if now[i] > reported[i] && a.State().Phase == Ready && !a.o.Bare && a.s.State().Handshake.HasCapability(kind.Name, "listChanged") {
					a.notification("notifications/"+kind.Name+"/list_changed", struct{}{})
				}
			}
			reported = now
		}
	}
}

// changing lists the lists whose changes are reported to an app.
var changing = [...]client.ListKind{client.Tools, client.Resources, client.Prompts}

// changesOf returns how often each of these lists was fetched again.
func changesOf(s *session.Session) (n [len(changing)]int) {
	lists := s.State().Lists
	for i, kind := range changing {
		n[i] = lists[kind.Name].Changes
	}
	return n
}

// isClosing reports whether the session ends.
func (a *App) isClosing() bool {
	select {
	case <-a.s.Closing():
		return true
	default:
		return false
	}
}

// closedHere is the reason for closing an app if mcptea itself does it.
const closedHere = "mcptea has closed it"

// Close sends ui/resource-teardown, waits up to a second for the response, and closes the app. It returns when
// all goroutines of the app have ended.
func (a *App) Close(ctx context.Context) {
	_ = a.Teardown(ctx) // the state has the error
	a.shut(closedHere, false)
	a.wg.Wait()
}

// shut closes the app, with a teardown if that is still possible.
func (a *App) shut(why string, teardown bool) {
	if teardown {
		_ = a.Teardown(context.Background()) // the state has the error
	}
	a.mu.Lock()
	closed := a.state.Phase == Closed
	if !closed {
		a.state.Phase, a.state.Why = Closed, why
	}
	a.mu.Unlock()
	if closed {
		return
	}
	a.settleAll(errors.New("the app is closed: " + why))
	a.page.End(why)
	a.record.Close(why)
	a.notify()
}

// settleAll ends the requests of the app, and fails the requests of the host. It is called once
// state.Phase is Closed, because no request is added after that.
func (a *App) settleAll(reason error) {
	a.end(reason)
	a.mu.Lock()
	left := a.asked
	a.asked = nil
	a.mu.Unlock()
	for _, r := range left {
		r.outcome <- outcome{err: reason}
	}
}

// Call returns the call that the app is of: the tool, its raw arguments, and the call.
func (a *App) Call() (tool string, arguments []byte, call *session.Call) {
	return a.state.Tool, a.args, a.call
}

package appcheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/apps"
	"mcptea/session/apps/chromium"
	"mcptea/session/session"
)

// The waits of a check.
const (
	// initializeTimeout bounds the time from opening the page until the app is initialized.
	initializeTimeout = 5 * time.Second
	// settleTime is the time without activity after which an app counts as settled. settleTimeout
	// bounds the wait for it.
	settleTime    = 300 * time.Millisecond
	settleTimeout = 3 * time.Second
	// afterTeardown is the time in which frames after the response to ui/resource-teardown are collected.
	afterTeardown = 500 * time.Millisecond
	// maxSizes is the number of size changes that an app may report within sizeWindow.
	maxSizes   = 20
	sizeWindow = 2 * time.Second
)

// Options configures a check of an app.
type Options struct {
	Allowed []string // tools that the app may call, whatever their annotations are
	Host    apps.Host
	Loose   bool // [apps.Options.Loose]
}

// run is one check of an app.
type run struct {
	ctx    context.Context
	s      *session.Session
	b      *chromium.Browser
	o      Options
	tool   string
	args   []byte
	call   *session.Call
	over   bool // the remaining checks cannot be judged
	report *Report
}

// Run checks the app of a tool, which it calls once. It returns an error if the app could not be opened, or if
// the browser failed.
func Run(ctx context.Context, s *session.Session, b *chromium.Browser, tool string, args []byte, o Options) (*Report, error) {
	start := time.Now()
	r := &run{ctx: ctx, s: s, b: b, o: o, tool: tool, args: args, report: &Report{Tool: tool}}
	for _, e := range Catalogue() {
		r.report.Results = append(r.report.Results, Result{Entry: e, Verdict: Pass})
	}
	if err := r.main(); err != nil {
		return nil, err
	}
	for _, step := range []struct {
		of  *Result
		run func() error
	}{{r.judge("results"), r.variants}, {r.judge("bare-host"), r.bareHost}} {
		if r.over {
			break
		}
		err := step.run()
		if j := step.of; errors.Is(err, chromium.ErrTimeout) {
			j.skip(err.Error())
		} else if err != nil {
			return nil, fmt.Errorf("the check was not finished: %w", err)
		}
	}
	r.report.Took = time.Since(start)
	return r.report, nil
}

// opening is one time that the app is open.
type opening struct {
	*run
	app      *apps.App
	from     int   // index of the first event of the browser
	firstRow int32 // first row of the record to examine
}

// open opens the app and its page, and waits until the app is initialized. It reports false if
// it is not. A bare host allows no calls.
func (r *run) open(args []byte, o apps.Options) (x *opening, ready bool, err error) {
	o.Host, o.Loose, o.Unattended = r.o.Host, r.o.Loose, true
	if !o.Bare {
		o.Allowed = r.o.Allowed
	}
	r.b.Forget() // forget the previous app
	x = &opening{run: r, firstRow: int32(r.s.Store().Snapshot().Rows)}
	if x.app, err = apps.Open(r.ctx, r.s, r.tool, args, o); err != nil {
		return nil, false, err
	}
	if err := r.b.Resize(r.ctx, 1280, 900); err != nil {
		x.app.Close(r.ctx)
		return nil, false, err
	}
	if err := r.b.Navigate(r.ctx, x.app.URL()); err != nil {
		x.app.Close(r.ctx)
		return nil, false, err
	}
	ready = x.until(initializeTimeout, func() bool { return x.app.State().Phase == apps.Ready })
	return x, ready, context.Cause(r.ctx)
}

// until waits until a condition holds; false if it does not in time.
func (x *opening) until(limit time.Duration, is func() bool) bool {
	ctx, stop := context.WithTimeout(x.ctx, limit)
	defer stop()
	held := false
	_ = x.s.Until(ctx, func() bool { // held is false if the time is over
		held = is()
		return held || x.app.State().Phase == apps.Closed
	})
	return held
}

// settle waits until nothing has happened for a while.
func (x *opening) settle() {
	changed, stop := x.b.Subscribe()
	defer stop()
	rows, end := x.s.Store().Subscribe()
	defer end()
	late := time.NewTimer(settleTimeout)
	defer late.Stop()
	for {
		select {
		case <-changed:
		case <-rows:
		case <-time.After(settleTime):
			return
		case <-late.C:
			return
		case <-x.ctx.Done():
			return
		}
	}
}

// frame is a message between app and host.
type frame struct {
	row    int32
	in     bool // sent by the app
	kind   jsonrpc.Kind
	method string
	params []byte // raw JSON, or nil
	at     time.Time
	bytes  []byte
	pair   int32
}

// addOf adds a finding about a frame.
func (r *Result) addOf(f *frame, severity, message string) {
	r.add(severity, message, string(f.bytes), int(f.row)+1)
}

// frames returns the messages since the app was opened.
func (x *opening) frames() (all []frame) {
	st := x.s.Store()
	conn := x.app.State().Conn
	for i := x.firstRow; i < int32(st.Snapshot().Rows); i++ {
		row, _ := st.Row(i)
		if !row.App || row.Conn != conn || row.IsEvent() {
			continue
		}
		b, err := st.Body(i)
		if err != nil {
			continue
		}
		e := jsonrpc.Scan(b)
		name := e.MethodName(b)
		if row.Kind.IsResponse() {
			name = st.Method(row.Method)
		}
		all = append(all, frame{i, row.Dir == transport.In, row.Kind, name, e.Params.Of(b), time.Unix(0, row.Time), b, row.Pair})
	}
	return all
}

// main opens the app as a user does.
func (r *run) main() error {
	x, ready, err := r.open(r.args, apps.Options{})
	if err != nil {
		return err
	}
	defer x.app.Close(r.ctx)
	st := x.app.State()
	r.report.Resource, r.report.Name, r.report.Version = st.Document.URI, st.Name, st.Version
	x.judgeInitialize(ready)
	if !ready {
		x.judgeNoise(r.judge("quiet"), "before ui/initialize")
		r.endWith("the app is not initialized", "initialize", "quiet")
		r.report.Screenshot, _ = r.b.Screenshot(r.ctx)
		return nil
	}
	_, _, r.call = x.app.Call()
	select {
	case <-r.call.Done():
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
	x.settle()
	x.judgeNoise(r.judge("quiet"), "with the input and the result")
	if x.judgeVisible(); r.over {
		return nil
	}
	if r.report.Screenshot, err = r.b.Screenshot(r.ctx); err != nil {
		return err
	}
	x.judgeChanges()
	x.judgeWindows()
	x.judgeCalls()
	x.judgeSandbox()
	x.judgeTeardown()
	r.report.Refused = x.app.State().Refused
	return context.Cause(r.ctx)
}

// endWith ends the run: it skips all checks except those with the slugs in but. why is the reason.
func (r *run) endWith(why string, but ...string) {
	r.over = true
	for i := range r.report.Results {
		if j := &r.report.Results[i]; !slices.Contains(but, j.Slug) {
			j.skip(why)
		}
	}
}

// judge returns the result of the check with a slug.
func (r *run) judge(slug string) *Result {
	return &r.report.Results[slices.IndexFunc(r.report.Results, func(j Result) bool { return j.Slug == slug })]
}

func (x *opening) lastRow() int32 { return int32(x.s.Store().Snapshot().Rows) - 1 }

// variants opens the app with other results.
func (r *run) variants() error {
	structured := []byte(nil)
	if response, err := r.call.Outcome(); err == nil {
		structured = jsonrpc.Get(response.Result(), "structuredContent")
	}
	for _, v := range []struct {
		name, result string
		args         []byte
	}{
		{"a result with isError", `{"isError":true,"content":[{"type":"text","text":"The tool has failed."}]}`, r.args},
		{"a result without structuredContent", `{"content":[{"type":"text","text":"text"}]}`, r.args},
		{"tool-cancelled", "", r.args},
		{"an input without arguments", `{"content":[{"type":"text","text":"text"}],"structuredContent":` + string(or(structured, []byte("{}"))) + `}`, []byte("{}")},
	} {
		if err := r.variant(v.name, v.result, v.args); err != nil {
			return err
		}
	}
	return nil
}

func or(a, b []byte) []byte {
	if a == nil {
		return b
	}
	return a
}

func (r *run) variant(name, result string, args []byte) error {
	x, ready, err := r.open(args, apps.Options{Call: r.call, HoldResult: true})
	if err != nil {
		return err
	}
	defer x.app.Close(r.ctx)
	if !ready {
		r.judge("results").add("error", "The app is not initialized when it is opened again.", "", 0)
		return nil
	}
	if result == "" {
		err = x.app.Send(apps.SendCancelled)
	} else {
		err = x.app.SendFrame(jsonrpc.EncodeNotification("ui/notifications/tool-result", []byte(result)))
	}
	if err != nil {
		return err
	}
	x.settle()
	x.judgeExceptions(r.judge("results"), "with "+name)
	return nil
}

// bareHost opens the app with a host that can do nothing.
func (r *run) bareHost() error {
	x, ready, err := r.open(r.args, apps.Options{Call: r.call, Bare: true})
	if err != nil {
		return err
	}
	defer x.app.Close(r.ctx)
	j := r.judge("bare-host")
	if !ready {
		j.add("error", "The app is not initialized by a host without capabilities.", "", 0)
		return nil
	}
	x.settle()
	x.judgeExceptions(j, "with a host without capabilities")
	for _, f := range x.frames() {
		if f.in && f.kind == jsonrpc.Request && !slices.Contains([]string{"ui/initialize", "ping", "ui/request-display-mode"}, f.method) {
			j.addOf(&f, "warning", "The app sends "+f.method+", which the host has not declared.")
		}
	}
	return nil
}

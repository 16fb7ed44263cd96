package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session"
	"mcptea/session/apps"
	"mcptea/session/apps/chromium"
	"mcptea/session/apps/declared"
	schemacheck "mcptea/session/schema/check"
)

// The waits of a check.
const (
	// initializeTimeout is how long an app may take from the opening of its page until it is
	// initialized.
	initializeTimeout = 5 * time.Second
	// settleTime is how long nothing must happen until an app counts as settled, and
	// settleTimeout how long that is awaited.
	settleTime    = 300 * time.Millisecond
	settleTimeout = 3 * time.Second
	// afterTeardown is how long frames after the response to ui/resource-teardown are awaited.
	afterTeardown = 500 * time.Millisecond
	// maxSizes is how many changes of its size an app may report in sizeWindow.
	maxSizes   = 20
	sizeWindow = 2 * time.Second
)

// Options say how an app is checked.
type Options struct {
	Allowed []string // tools that the app may call, whatever their annotations are
	Host    apps.Host
	Done    func(Result) // is called with each result, in the order of the checks; may be nil
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
	report *Report
	judges [count]*Result
}

// Run checks the app of a tool, which it calls once. The error is why the app could not be
// opened, or that of the browser.
func Run(ctx context.Context, s *session.Session, b *chromium.Browser, tool string, args []byte, o Options) (*Report, error) {
	start := time.Now()
	r := &run{ctx: ctx, s: s, b: b, o: o, tool: tool, args: args, report: &Report{Tool: tool, Results: make([]Result, count)}}
	for i := range entries {
		r.report.Results[i] = Result{Entry: entries[i], Verdict: Pass}
		r.judges[i] = &r.report.Results[i]
	}
	steps := []func() error{r.main, r.variants, r.bareHost}
	for i, step := range steps {
		if err := step(); err != nil && i == 0 {
			return nil, err
		} else if err != nil {
			return nil, fmt.Errorf("the check was not finished: %w", err)
		}
		if r.judges[initialize].Verdict == Fail {
			break // nothing else can be judged
		}
	}
	r.report.Took = time.Since(start)
	for i := range r.report.Results {
		if o.Done != nil {
			o.Done(r.report.Results[i])
		}
	}
	return r.report, nil
}

// opening is one time that the app is open.
type opening struct {
	*run
	app      *apps.App
	from     int   // of the events of the browser
	firstRow int32 // of the record
}

// open opens the app and its page, and waits until the app is initialized. It reports false if
// it is not.
func (r *run) open(o apps.Options) (x *opening, ready bool, err error) {
	o.Unattended, o.Allowed = true, r.o.Allowed
	x = &opening{run: r, from: len(r.b.Events()), firstRow: int32(r.s.Store().Snapshot().Rows)}
	args := r.args
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
	changed, stop := x.s.Store().Subscribe()
	defer stop()
	late := time.NewTimer(limit)
	defer late.Stop()
	for !is() {
		select {
		case <-changed:
		case <-x.app.Done():
			return is()
		case <-late.C:
			return is()
		case <-x.ctx.Done():
			return false
		}
	}
	return true
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

// events are those of the browser since the app was opened.
func (x *opening) events() []chromium.Event { return x.b.Events()[x.from:] }

// frame is a message between app and host.
type frame struct {
	row    int32
	in     bool // of the app
	kind   jsonrpc.Kind
	method string
	at     time.Time
	bytes  []byte
	pair   int32
}

func (f *frame) params() []byte {
	e := jsonrpc.Scan(f.bytes)
	return e.Params.Of(f.bytes)
}

// frames are the messages since the app was opened.
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
		all = append(all, frame{i, row.Dir == transport.In, row.Kind, name, time.Unix(0, row.Time), b, row.Pair})
	}
	return all
}

// main opens the app as a user does.
func (r *run) main() error {
	r.call = nil
	x, ready, err := r.open(apps.Options{Host: r.o.Host})
	if err != nil {
		return err
	}
	defer x.app.Close(r.ctx)
	st := x.app.State()
	r.report.Resource, r.report.Name, r.report.Version = st.Document.URI, st.Name, st.Version
	x.judgeInitialize(ready)
	if !ready {
		x.judgeNoise(r.judges[quiet], "before ui/initialize")
		r.skipAllBut("the app is not initialized", initialize, quiet)
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
	x.judgeNoise(r.judges[quiet], "with the input and the result")
	x.judgeVisible()
	if r.report.Screenshot, err = r.b.Screenshot(r.ctx); err != nil {
		return err
	}
	x.judgeChanges()
	x.judgeWindows()
	x.judgeCalls()
	x.judgeSandbox()
	x.judgeTeardown()
	return context.Cause(r.ctx)
}

func (r *run) skipAllBut(why string, but ...int) {
	for i := range r.report.Results {
		if !slices.Contains(but, i) {
			r.report.Results[i].Verdict, r.report.Results[i].Skip = Skipped, why
		}
	}
}

// judgeInitialize judges the first messages (MCP Apps 2026-01-26, lifecycle).
func (x *opening) judgeInitialize(ready bool) {
	j := x.judges[initialize]
	all := x.frames()
	first, again := -1, 0
	for i := range all {
		f := &all[i]
		switch {
		case !f.in:
		case f.method == "ui/initialize" && f.kind == jsonrpc.Request:
			if again++; first < 0 {
				first = i
				x.judgeParams(f)
			}
		case first < 0 && f.kind == jsonrpc.Request && f.method != "ping":
			j.add("error", f.method+" was sent before ui/initialize", string(f.bytes), int(f.row)+1)
		}
	}
	switch st := x.app.State(); {
	case st.Connected.IsZero():
		j.add("error", "The browser has not opened the page.", "", 0)
	case first < 0:
		j.add("error", fmt.Sprintf("The app has not sent ui/initialize within %s.", initializeTimeout), "", 0)
	case !ready:
		j.add("error", fmt.Sprintf("The app has not sent ui/notifications/initialized within %s.", initializeTimeout), "", 0)
	case again > 1:
		j.add("warn", fmt.Sprintf("The app has sent ui/initialize %d times.", again), "", 0)
	}
}

func (x *opening) judgeParams(f *frame) {
	j, params := x.judges[initialize], f.params()
	for _, path := range [][]string{{"appInfo", "name"}, {"appInfo", "version"}, {"protocolVersion"}} {
		if _, ok := jsonrpc.Unquote(jsonrpc.Get(params, path[0], path[1:]...)); !ok {
			j.add("error", strings.Join(path, ".")+" of ui/initialize is not a string.", string(f.bytes), int(f.row)+1)
		}
	}
	if jsonrpc.TypeOf(jsonrpc.Get(params, "appCapabilities")) != "object" {
		j.add("error", "appCapabilities of ui/initialize is not an object.", string(f.bytes), int(f.row)+1)
	}
	if v := jsonrpc.Text(params, "protocolVersion"); v != "" && v != declared.Version {
		j.add("warn", fmt.Sprintf("The app requests the version %q; %s is the only one.", v, declared.Version), "", int(f.row)+1)
	}
}

// judgeVisible judges what can be seen, and the reported size.
func (x *opening) judgeVisible() {
	j := x.judges[visible]
	var seen struct {
		Text   int  `json:"text"`
		Filled bool `json:"filled"`
	}
	const look = `({text: document.body ? document.body.innerText.trim().length : 0,
		filled: [...document.querySelectorAll("img,svg,canvas,video,input,button,iframe")].some(e => e.getBoundingClientRect().width * e.getBoundingClientRect().height > 100)})`
	if err := x.b.Evaluate(x.ctx, "/app", look, &seen); err != nil {
		j.add("error", "The document of the app cannot be read.", err.Error(), 0)
	} else if seen.Text == 0 && !seen.Filled {
		j.add("error", "The app shows nothing: it has neither text nor a picture or control.", "", 0)
	}
	var sizes []time.Time
	reported := false
	for _, f := range x.frames() {
		if f.in && f.method == "ui/notifications/size-changed" {
			sizes = append(sizes, f.at)
			reported = reported || !strings.Contains(string(f.params()), `"height":0`)
		}
	}
	for i := range sizes {
		if n := i + maxSizes; n < len(sizes) && sizes[n].Sub(sizes[i]) < sizeWindow {
			j.add("error", fmt.Sprintf("The app reports more than %d sizes in %s: its size depends on that of its frame.", maxSizes, sizeWindow), "", 0)
			break
		}
	}
	switch {
	case len(sizes) == 0:
		j.add("warn", "The app reports no size, although its height is flexible.", "", 0)
	case !reported:
		j.add("error", "The app reports the height 0.", "", 0)
	}
}

// judgeChanges changes what the app knows of its host.
func (x *opening) judgeChanges() {
	j := x.judges[changes]
	later := *x
	later.from, later.firstRow = len(x.b.Events()), x.lastRow()+1
	host := x.app.State().Host
	other := map[string]string{"dark": "light", "light": "dark"}[host.Theme]
	for _, theme := range []string{other, host.Theme} {
		x.app.SetTheme(theme)
		x.settle()
	}
	for _, width := range []int{320, 1200} {
		x.app.SetSize(width, host.MaxHeight)
		x.settle()
		var scroll int
		if err := x.b.Evaluate(x.ctx, "/app", "document.documentElement.scrollWidth - document.documentElement.clientWidth", &scroll); err == nil && scroll > 1 {
			j.add("warn", fmt.Sprintf("The app scrolls sideways by %d pixels when it is %d wide.", scroll, width), "", 0)
		}
	}
	x.app.SetSize(host.Width, host.MaxHeight)
	for _, mode := range x.app.State().Modes {
		if err := x.app.SetDisplay(mode); err == nil {
			x.settle()
		}
	}
	_ = x.app.SetDisplay(host.Display)
	x.app.SetLocale("de-DE", "Europe/Berlin")
	x.settle()
	later.judgeNoise(j, "after a change of the host")
}

// judgeCalls judges what the app has asked of the server.
func (x *opening) judgeCalls() {
	j := x.judges[calls]
	items := x.s.State().Lists[client.Tools.Name].Items
	for _, f := range x.frames() {
		if !f.in || f.kind != jsonrpc.Request {
			continue
		}
		params := f.params()
		switch f.method {
		case "tools/call":
			name := jsonrpc.Text(params, "name")
			i := slices.IndexFunc(items, func(i session.Item) bool { return i.Name == name })
			if i < 0 {
				j.add("error", fmt.Sprintf("The app calls the tool %q, which the server does not have.", name), string(f.bytes), int(f.row)+1)
				continue
			}
			if tool, _ := declared.OfTool(items[i].Raw); !tool.ForApp {
				j.add("error", fmt.Sprintf("The app calls the tool %q, whose visibility does not name app.", name), string(f.bytes), int(f.row)+1)
			}
			object := jsonrpc.Get(params, "arguments")
			if object == nil {
				object = []byte("{}")
			}
			if wrong, known := schemacheck.Compile(items[i].Member("inputSchema"), schemacheck.Options{Dialectless: true}).Check(object); known && wrong != nil {
				j.add("error", fmt.Sprintf("The arguments for the tool %q do not match its input schema: %s %s", name, wrong.About, wrong.Reason), string(f.bytes), int(f.row)+1)
			}
		case "resources/read":
			if row, ok := x.s.Store().Row(f.pair); ok && row.Kind == jsonrpc.ErrorResponse {
				j.add("error", fmt.Sprintf("The app reads %q, and the server returns an error.", jsonrpc.Text(params, "uri")), string(f.bytes), int(f.row)+1)
			}
		}
	}
}

// judgeWindows sends the app a message of a window that is not its parent: itself.
func (x *opening) judgeWindows() {
	j := x.judges[windows]
	before := x.lastRow()
	const post = `window.postMessage({jsonrpc: "2.0", id: "mcptea-other-window", method: "ping", params: {}}, "*")`
	if err := x.b.Evaluate(x.ctx, "/app", post, nil); err != nil {
		j.Verdict, j.Skip = Skipped, "the message could not be sent: "+err.Error()
		return
	}
	x.settle()
	for _, f := range x.frames() {
		if f.row > before && f.in && bytes.Contains(f.bytes, []byte("mcptea-other-window")) {
			j.add("error", "The app responds to a request that its parent has not sent.", string(f.bytes), int(f.row)+1)
		}
	}
}

func (x *opening) lastRow() int32 { return int32(x.s.Store().Snapshot().Rows) - 1 }

// judgeTeardown closes the app.
func (x *opening) judgeTeardown() {
	j := x.judges[teardown]
	err := x.app.Teardown(x.ctx)
	after := x.lastRow()
	var rpc *client.RPCError
	switch {
	case errors.As(err, &rpc) && rpc.Code == jsonrpc.CodeMethodNotFound:
		j.add("warn", "The app does not know ui/resource-teardown.", err.Error(), 0)
	case errors.As(err, &rpc):
		j.add("error", "The app responds to ui/resource-teardown with an error.", err.Error(), 0)
	case err != nil:
		j.add("error", "The app does not respond to ui/resource-teardown: "+err.Error()+".", "", 0)
	}
	x.until(afterTeardown, func() bool { return false })
	for _, f := range x.frames() {
		if f.row > after && f.in {
			j.add("warn", f.method+" was sent after the response to ui/resource-teardown.", string(f.bytes), int(f.row)+1)
		}
	}
}

// variants opens the app with other results.
func (r *run) variants() error {
	structured := []byte(nil)
	if response, err := r.call.Outcome(); err == nil {
		structured = jsonrpc.Get(response.Result(), "structuredContent")
	}
	for _, v := range []struct {
		name   string
		result string
		args   string
	}{
		{"a result with isError", `{"isError":true,"content":[{"type":"text","text":"The tool has failed."}]}`, string(r.args)},
		{"a result without structuredContent", `{"content":[{"type":"text","text":"text"}]}`, string(r.args)},
		{"tool-cancelled", "", string(r.args)},
		{"an input without arguments", `{"content":[{"type":"text","text":"text"}],"structuredContent":` + string(or(structured, []byte("{}"))) + `}`, "{}"},
	} {
		args := r.args
		r.args = []byte(v.args)
		err := r.variant(v.name, v.result)
		r.args = args
		if err != nil {
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

func (r *run) variant(name, result string) error {
	x, ready, err := r.open(apps.Options{Host: r.o.Host, Call: r.call, HoldResult: true})
	if err != nil {
		return err
	}
	defer x.app.Close(r.ctx)
	if !ready {
		r.judges[results].add("error", "The app is not initialized when it is opened again.", "", 0)
		return nil
	}
	if result == "" {
		err = x.app.Send(apps.SendCancelled)
	} else {
		err = x.app.SendFrame(jsonrpc.AppendNotification(nil, "ui/notifications/tool-result", []byte(result)))
	}
	if err != nil {
		return err
	}
	x.settle()
	x.judgeExceptions(r.judges[results], "with "+name)
	return nil
}

// bareHost opens the app with a host that can do nothing.
func (r *run) bareHost() error {
	allowed := r.o.Allowed
	r.o.Allowed = nil
	defer func() { r.o.Allowed = allowed }()
	x, ready, err := r.open(apps.Options{Host: r.o.Host, Call: r.call, Bare: true})
	if err != nil {
		return err
	}
	defer x.app.Close(r.ctx)
	j := r.judges[bare]
	if !ready {
		j.add("error", "The app is not initialized by a host without capabilities.", "", 0)
		return nil
	}
	x.settle()
	x.judgeExceptions(j, "with a host without capabilities")
	for _, f := range x.frames() {
		if f.in && f.kind == jsonrpc.Request && !slices.Contains([]string{"ui/initialize", "ping", "ui/request-display-mode"}, f.method) {
			j.add("warn", "The app sends "+f.method+", which the host has not declared.", string(f.bytes), int(f.row)+1)
		}
	}
	return nil
}

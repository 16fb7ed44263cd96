package appcheck

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	schemacheck "mcptea/internal/schema/check"
	"mcptea/offer/declared"
	"mcptea/session/apps/chromium"
)

// judgeInitialize judges the first messages (MCP Apps 2026-01-26, lifecycle).
func (x *opening) judgeInitialize(ready bool) {
	j := x.judge("initialize")
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
			j.addOf(f, "error", f.method+" was sent before ui/initialize")
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
		j.add("warning", fmt.Sprintf("The app has sent ui/initialize %d times.", again), "", 0)
	}
}

func (x *opening) judgeParams(f *frame) {
	j, params := x.judge("initialize"), f.params
	for _, path := range [][]string{{"appInfo", "name"}, {"appInfo", "version"}, {"protocolVersion"}} {
		if _, ok := jsonrpc.Unquote(jsonrpc.Get(params, path[0], path[1:]...)); !ok {
			j.addOf(f, "error", strings.Join(path, ".")+" of ui/initialize is not a string.")
		}
	}
	if jsonrpc.TypeOf(jsonrpc.Get(params, "appCapabilities")) != "object" {
		j.addOf(f, "error", "appCapabilities of ui/initialize is not an object.")
	}
	if v := jsonrpc.Text(params, "protocolVersion"); v != "" && v != declared.Version {
		j.add("warning", fmt.Sprintf("The app requests the version %q; %s is the only one.", v, declared.Version), "", int(f.row)+1)
	}
}

// judgeVisible judges the visible content and the reported size.
func (x *opening) judgeVisible() {
	j := x.judge("visible")
	var seen struct {
		Text   int  `json:"text"`
		Filled bool `json:"filled"`
	}
	const contentScript = `({text: document.body ? document.body.innerText.trim().length : 0,
		filled: [...document.querySelectorAll("img,svg,canvas,video,input,button,iframe")].some(e => e.getBoundingClientRect().width * e.getBoundingClientRect().height > 100)})`
	if err := x.b.Evaluate(x.ctx, "/app", contentScript, &seen); err != nil {
		j.add("error", "The document of the app cannot be read.", err.Error(), 0)
		if errors.Is(err, chromium.ErrTimeout) {
			x.endWith("the page does not respond", "initialize", "quiet", "visible")
			return
		}
	} else if seen.Text == 0 && !seen.Filled {
		j.add("error", "The app shows nothing: it has neither text nor a picture or control.", "", 0)
	}
	var sizes []time.Time
	reported := false
	for _, f := range x.frames() {
		if f.in && f.method == "ui/notifications/size-changed" {
			sizes = append(sizes, f.at)
			reported = reported || !strings.Contains(string(f.params), `"height":0`)
		}
	}
	for i := range sizes {
		if n := i + maxSizes; n < len(sizes) && sizes[n].Sub(sizes[i]) < sizeWindow {
			j.add("error", fmt.Sprintf("The app reports more than %d sizes in %s: its size depends on the size of its frame.", maxSizes, sizeWindow), "", 0)
			break
		}
	}
	switch {
	case len(sizes) == 0:
		j.add("warning", "The app reports no size, although its height is flexible.", "", 0)
	case !reported:
		j.add("error", "The app reports the height 0.", "", 0)
	}
}

// judgeChanges changes what the app was told about its host.
func (x *opening) judgeChanges() {
	j := x.judge("host-changes")
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
		err := x.b.Evaluate(x.ctx, "/app", "document.documentElement.scrollWidth - document.documentElement.clientWidth", &scroll)
		if j.hangs(err, "after a change of the host") {
			return
		}
		if err == nil && scroll > 1 {
			j.add("warning", fmt.Sprintf("The app scrolls sideways by %d pixels when it is %d wide.", scroll, width), "", 0)
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

// hangs reports a script that does not end, by the error of an evaluation.
func (r *Result) hangs(err error, when string) bool {
	timeout := errors.Is(err, chromium.ErrTimeout)
	if timeout {
		r.add("error", "The page does not respond "+when+".", err.Error(), 0)
	}
	return timeout
}

// judgeCalls judges the requests of the app to the server.
func (x *opening) judgeCalls() {
	j := x.judge("calls")
	tools := x.s.State().Lists[client.Tools.Name]
	for _, f := range x.frames() {
		if !f.in || f.kind != jsonrpc.Request {
			continue
		}
		params := f.params
		switch f.method {
		case "tools/call":
			name := jsonrpc.Text(params, "name")
			item, ok := tools.Find(name)
			if !ok {
				j.addOf(&f, "error", fmt.Sprintf("The app calls the tool %q, which the server does not have.", name))
				continue
			}
			if tool, _ := declared.OfTool(item.Raw); !tool.ForApp {
				j.addOf(&f, "error", fmt.Sprintf("The app calls the tool %q, whose visibility does not name app.", name))
			}
			object := jsonrpc.Get(params, "arguments")
			if object == nil {
				object = []byte("{}")
			}
			if wrong, known := schemacheck.Compile(item.Member("inputSchema"), schemacheck.Options{Dialectless: true}).Check(object); known && wrong != nil {
				j.addOf(&f, "error", fmt.Sprintf("The arguments for the tool %q do not match its input schema: %s %s", name, wrong.About, wrong.Reason))
			}
		case "resources/read":
			if row, ok := x.s.Store().Row(f.pair); ok && row.Kind == jsonrpc.ErrorResponse {
				j.addOf(&f, "error", fmt.Sprintf("The app reads %q, and the server returns an error.", jsonrpc.Text(params, "uri")))
			}
		}
	}
}

// judgeWindows sends the app a message of a window that is not its parent: itself.
func (x *opening) judgeWindows() {
	j := x.judge("other-windows")
	before := x.lastRow()
	const post = `window.postMessage({jsonrpc: "2.0", id: "mcptea-other-window", method: "ping", params: {}}, "*")`
	if err := x.b.Evaluate(x.ctx, "/app", post, nil); err != nil {
		j.skip("the message could not be sent: " + err.Error())
		return
	}
	x.settle()
	for _, f := range x.frames() {
		if f.row > before && f.in && bytes.Contains(f.bytes, []byte("mcptea-other-window")) {
			j.addOf(&f, "error", "The app responds to a request that its parent has not sent.")
		}
	}
}

// judgeTeardown closes the app.
func (x *opening) judgeTeardown() {
	j := x.judge("teardown")
	err := x.app.Teardown(x.ctx)
	after := x.lastRow()
	var rpc *client.RPCError
	switch {
	case errors.As(err, &rpc) && rpc.Code.Is(jsonrpc.CodeMethodNotFound):
		j.add("warning", "The app does not know ui/resource-teardown.", err.Error(), 0)
	case errors.As(err, &rpc):
		j.add("error", "The app responds to ui/resource-teardown with an error.", err.Error(), 0)
	case err != nil:
		j.add("error", "The app does not respond to ui/resource-teardown: "+err.Error()+".", "", 0)
		return
	}
	x.until(afterTeardown, func() bool { return false })
	for _, f := range x.frames() {
		if f.row > after && f.in {
			j.addOf(&f, "warning", f.method+" was sent after the response to ui/resource-teardown.")
		}
	}
}

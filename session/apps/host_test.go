package apps_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/apps"
	"mcptea/session/intercept"
	"mcptea/session/session"
)

// call is a request of the app.
func call(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

func TestCall_NestedAndUnderANewID(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.mcptea.jsonl")
	s, sv := connect(t, session.Config{Record: file})
	v := open(t, s, "show", "{}", apps.Options{})
	v.start()
	v.send(call(`"x"`, "tools/call", `{"name":"look","arguments":{"a":1}}`))
	v.gets(`{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"look"}], "structuredContent":{"n":1}}}`)
	frames := sv.frames("tools/call")
	if len(frames) != 2 || strings.Contains(frames[1], `"id":"x"`) || !strings.Contains(frames[1], `"arguments":{"a":1}`) {
		t.Errorf("the server got %q", frames)
	}
	nested := func(st *store.Store) (all []string) {
		for i := range int32(st.Snapshot().Rows) {
			row, _ := st.Row(i)
			if cause, ok := st.Row(row.SentFor(i)); ok && cause.App && !row.App {
				all = append(all, fmt.Sprintf("%s under %s", st.Method(row.Method), st.Method(cause.Method)))
			}
		}
		return all
	}
	want := []string{"tools/call under tools/call"}
	if got := nested(s.Store()); !slices.Equal(got, want) {
		t.Error(got)
	}
	v.app.Close(context.Background())
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(file)
	if err == nil {
		err = st.Load(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	if got := nested(st); !slices.Equal(got, want) || len(rows(t, st)) != 8 {
		t.Error(got, rows(t, st))
	}
	conns := st.Connections()
	if last := conns[len(conns)-1]; last.Transport != record.App || !last.Beside || last.Reason == "" || !strings.Contains(last.Target, "ui://test/app") {
		t.Errorf("%+v", last)
	}
}

func TestHost_TellsWhatHasChanged(t *testing.T) {
	s, _ := connect(t, session.Config{})
	v := open(t, s, "show", "{}", apps.Options{Host: apps.Host{Theme: "light", Locale: "de-DE", TimeZone: "Europe/Berlin", Width: 400, MaxHeight: 500}})
	v.app.SetTheme("dark") // before the app is there
	v.send(initialize)
	r := v.gets(`"theme":"dark"`)
	for _, part := range []string{`"locale":"de-DE"`, `"timeZone":"Europe/Berlin"`, `"containerDimensions":{"maxHeight":500,"width":400}`} {
		if !strings.Contains(r, part) {
			t.Errorf("no %s in %s", part, r)
		}
	}
	v.send(initialized)
	v.gets("tool-input")
	v.gets("tool-result")
	v.app.SetTheme("light")
	v.gets(`"method":"ui/notifications/host-context-changed","params":{"styles":{"variables":{`)
	v.app.SetTheme("pink")
	v.app.SetSize(320, 10)
	v.gets(`"containerDimensions":{"maxHeight":100,"width":320}`)
	v.app.SetLocale("fr", "UTC")
	v.gets(`{"locale":"fr","timeZone":"UTC"}`)
	if err := v.app.SetDisplay("pip"); err == nil {
		t.Error("an app that does not declare pip is shown so")
	}
	if err := v.app.SetDisplay("fullscreen"); err != nil {
		t.Error(err)
	}
	v.gets(`"displayMode":"fullscreen"`)
	for _, mode := range []string{"pip", "huge"} {
		v.send(call("30", "ui/request-display-mode", `{"mode":"`+mode+`"}`))
		v.gets(`{"mode":"fullscreen"}`)
	}
	v.send(call("31", "ui/request-display-mode", `{"mode":"inline"}`))
	v.gets(`"displayMode":"inline"`)
	v.gets(`"id":31,"result":{"mode":"inline"}`)
}

// The host declares the origins that its policy permits, and not all that the app has asked for.
func TestHost_DeclaresTheGrantedOrigins(t *testing.T) {
	s, sv := connect(t, session.Config{})
	sv.contents = `{"uri":"ui://test/app","mimeType":"text/html;profile=mcp-app","text":"<!DOCTYPE html>","_meta":{"ui":{"csp":{"connectDomains":["https://a.example","data:","*"],"frameDomains":["https://*"],"x":["https://b.example"]}}}}`
	v := open(t, s, "show", "{}", apps.Options{})
	v.send(initialize)
	v.gets(`"csp":{"connectDomains":["https://a.example"]}`)
}

func TestHost_TellsOfListChanges(t *testing.T) {
	s, sv := connect(t, session.Config{})
	v := open(t, s, "show", "{}", apps.Options{})
	v.start()
	sv.write(jsonrpc.EncodeNotification("notifications/tools/list_changed", nil))
	v.gets(`"method":"notifications/tools/list_changed"`)
}

func TestSize_LoopEnds(t *testing.T) {
	s, _ := connect(t, session.Config{})
	v := open(t, s, "show", "{}", apps.Options{})
	v.start()
	size := func(h int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"ui/notifications/size-changed","params":{"width":700,"height":%d}}`, h)
	}
	v.send(size(500))
	v.until("the height", func(st apps.State) bool { return st.Shown.Height == 500 })
	v.send(size(503))
	if st := v.until("the report", func(st apps.State) bool { return st.Reported.Height == 503 }); st.Shown.Height != 500 {
		t.Errorf("3 pixels change the height to %d", st.Shown.Height)
	}
	var all []string
	for i := range 40 {
		all = append(all, size(600+10*i))
	}
	v.send(all...)
	st := v.until("the loop", func(st apps.State) bool { return st.SizeLoop })
	v.send(size(99_999), size(-5), `{"jsonrpc":"2.0","method":"ui/notifications/size-changed","params":{"height":"x"}}`)
	if now := v.app.State(); now.Shown != st.Shown {
		t.Errorf("%v after the loop, %v then", now.Shown, st.Shown)
	}
	v.app.SetSize(500, 700)
	v.send(size(99_999))
	v.until("the maximum", func(st apps.State) bool { return st.Shown == apps.Size{Width: 500, Height: 700} })
}

func TestSend_OnPurpose(t *testing.T) {
	s, _ := connect(t, session.Config{})
	v := open(t, s, "show", `{"a":1,"b":2,"c":3}`, apps.Options{HoldResult: true})
	if err := v.app.Send(apps.SendInput); err == nil {
		t.Error("sends to an app that is not initialized")
	}
	v.send(initialize)
	v.gets(`"result"`)
	v.send(initialized)
	v.gets(`"arguments":{"a":1,"b":2,"c":3}`)
	sends := func(k apps.Kind, want string) {
		t.Helper()
		if err := v.app.Send(k); err != nil {
			t.Errorf("%s: %v", k, err)
		}
		v.gets(want)
	}
	sends(apps.SendPartial, `tool-input-partial","params":{"arguments":{"a":1}}`) // the result is kept back
	sends(apps.SendInput, `tool-input","params":{"arguments":{"a":1,`)
	if st := v.until("the result", func(st apps.State) bool { return st.Outcome }); !st.Held {
		t.Error("the result is not kept back")
	}
	sends(apps.SendResult, "tool-result")
	sends(apps.SendResult, "tool-result")
	sends(apps.SendCancelled, "tool-cancelled")
	sends(apps.SendPing, `"id":1,"method":"ping"`)
	sends(apps.SendTools, `"id":2,"method":"tools/list"`)
	if err := v.app.SendFrame([]byte(`{"odd":true}`)); err != nil {
		t.Error(err)
	}
	v.gets(`{"odd":true}`)
	if err := v.app.SendFrame([]byte(`{"odd":`)); err != nil {
		t.Error(err)
	}
	noted := ""
	for i := range s.State().Logs {
		l, _ := s.Store().LogAt(i)
		_, text, _ := s.Store().LogText(l)
		noted += text + "\n"
	}
	if !strings.Contains(noted, "did not reach the app of show: it is not JSON") {
		t.Error(noted)
	}
	sends(apps.SendTeardown, `"method":"ui/resource-teardown"`)
	v.send(`{"jsonrpc":"2.0","id":3,"result":{}}`)
	<-v.app.Done()
	if st := v.app.State(); st.TeardownError != nil || st.TornDown.IsZero() {
		t.Errorf("%v %v", st.TornDown, st.TeardownError)
	}
}

func TestResult_Failed(t *testing.T) {
	s, _ := connect(t, session.Config{})
	v := open(t, s, "fail", "", apps.Options{})
	v.send(initialize)
	v.gets(`"result"`)
	v.send(initialized)
	v.gets(`tool-input","params":{"arguments":{}}`)
	v.gets(`"method":"ui/notifications/tool-cancelled","params":{"reason":`)
}

func TestInitialize_Again(t *testing.T) {
	s, _ := connect(t, session.Config{})
	v := open(t, s, "show", "{}", apps.Options{})
	v.start()
	v.start() // the page of the app has loaded itself again
	if st := v.app.State(); st.Phase != apps.Ready || st.In != 4 {
		t.Errorf("%+v", st.Phase)
	}
}

// What an app logs as an error is counted, whatever the level of one is called.
func TestHost_CountsLoggedErrors(t *testing.T) {
	s, _ := connect(t, session.Config{})
	v := open(t, s, "show", "{}", apps.Options{})
	v.start()
	for _, level := range []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"} {
		v.send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"` + level + `","data":"x"}}`)
	}
	v.send(call("2", "ping", "{}"))
	v.gets(`"id":2`) // all messages before it were received
	if n := v.app.State().Errors; n != 4 {
		t.Errorf("%d errors are counted, want 4", n)
	}
}

// An app that mcptea closes is asked once to end.
func TestClose_OneTeardown(t *testing.T) {
	s, _ := connect(t, session.Config{})
	v := open(t, s, "show", "{}", apps.Options{})
	v.start()
	done := make(chan struct{})
	go func() {
		defer close(done)
		v.app.Close(context.Background())
	}()
	v.gets("ui/resource-teardown")
	<-done
	n := 0
	for _, row := range rows(t, s.Store()) {
		if strings.Contains(row, "ui/resource-teardown") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d frames of teardown: %q", n, rows(t, s.Store()))
	}
}

func TestProgressAndCancellation(t *testing.T) {
	s, sv := connect(t, session.Config{})
	v := open(t, s, "show", "{}", apps.Options{})
	v.start()
	v.send(call("8", "tools/call", `{"name":"slow","_meta":{"progressToken":"own"}}`))
	v.gets(`"method":"notifications/progress","params":{"progressToken":"own","progress":1}`)
	id := <-sv.held
	sv.write(jsonrpc.EncodeResult(id, []byte(`{"content":[]}`)))
	v.gets(`"id":8,"result":{"content":[]}`)
	v.send(call("9", "tools/call", `{"name":"slow"}`))
	id = <-sv.held
	v.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`)
	if f := sv.awaits("notifications/cancelled"); !strings.Contains(f[0], `"requestId":`+id.String()) {
		t.Error(f)
	}
}

// A response to a request of another app belongs to nothing.
func TestResponse_OfAnotherApp(t *testing.T) {
	s, _ := connect(t, session.Config{})
	a, b := open(t, s, "show", "{}", apps.Options{}), open(t, s, "show", "{}", apps.Options{})
	a.start()
	b.start()
	got := make(chan error, 1)
	go func() {
		_, err := a.app.Ask(t.Context(), "tools/list", nil)
		got <- err
	}()
	a.gets(`"id":1,"method":"tools/list"`)
	b.send(`{"jsonrpc":"2.0","id":1,"result":{"tools":["of b"]}}`, call("3", "ping", "{}"))
	b.gets(`"id":3`)
	select {
	case err := <-got:
		t.Errorf("the response of another app counts: %v", err)
	default:
	}
	a.send(`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
	if err := <-got; err != nil {
		t.Error(err)
	}
	if a.key == b.key || a.base == b.base {
		t.Error("two apps share a key or an origin")
	}
}

func TestBreakpoint_HoldsAMessageOfTheApp(t *testing.T) {
	s, sv := connect(t, session.Config{})
	v := open(t, s, "show", "{}", apps.Options{})
	v.start()
	gate := s.Intercept()
	if err := gate.SetBreakpoints([]intercept.Breakpoint{{Filter: "conn:app method:tools/call dir:in"}}); err != nil {
		t.Fatal(err)
	}
	held := func() intercept.Held {
		changed, stop := gate.Subscribe()
		defer stop()
		for len(gate.State().Held) == 0 {
			<-changed
		}
		return gate.State().Held[0]
	}
	v.send(call("4", "tools/call", `{"name":"secret"}`))
	h := held()
	if !strings.Contains(string(h.Bytes), "secret") {
		t.Errorf("%s", h.Bytes)
	}
	if err := gate.SetBreakpoints(nil); err != nil {
		t.Fatal(err)
	}
	if err := gate.Decide(h.ID, intercept.Decision{Action: intercept.Forward, Bytes: []byte(call("4", "tools/call", `{"name":"look"}`))}); err != nil {
		t.Fatal(err)
	}
	v.gets(`"id":4,"result"`)
	if f := sv.frames("tools/call"); len(f) != 2 || !strings.Contains(f[1], "look") {
		t.Errorf("%q", f)
	}
	if c, ok := s.Store().Change(h.Row); !ok || c.What != record.Edited {
		t.Errorf("%+v %v", c, ok)
	}
}

func TestOpen_Errors(t *testing.T) {
	s, _ := connect(t, session.Config{})
	for tool, want := range map[string]string{
		"look": "has no app", "gone": `has no tool "gone"`, "lost": "cannot read the document of the app: resources/read ui://test/missing",
	} {
		if _, err := apps.Open(t.Context(), s, tool, nil, apps.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

func TestEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		do  func(s *session.Session, v *view)
		why string
	}{
		"page": {func(_ *session.Session, v *view) { v.leave() }, "the page in the browser was closed"},
		"app": {func(_ *session.Session, v *view) {
			v.send(`{"jsonrpc":"2.0","method":"ui/notifications/request-teardown"}`)
		}, "the app has asked for it"},
		"session": {func(s *session.Session, _ *view) { s.Disconnect(context.Background()) }, "the session has ended"},
		"closed":  {func(_ *session.Session, v *view) { v.app.Close(context.Background()) }, "mcptea has closed it"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := connect(t, session.Config{})
			v := open(t, s, "show", "{}", apps.Options{})
			v.start()
			tc.do(s, v)
			<-v.app.Done()
			if st := v.app.State(); st.Why != tc.why || st.Phase != apps.Closed {
				t.Errorf("%q", st.Why)
			}
			<-v.ended
		})
	}
}

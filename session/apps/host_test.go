package apps_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/apps"
	"mcptea/session/intercept"
	"mcptea/session/record"
	"mcptea/session/record/store"
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

func TestCall_Refused(t *testing.T) {
	s, sv := connect(t, session.Config{})
	v := open(t, s, "show", "{}", apps.Options{Unattended: true, Allowed: []string{"plain"}})
	v.start()
	for i, tc := range []struct{ method, params, want string }{
		{"tools/call", `{"name":"secret"}`, `"code":-32602,"message":"the visibility of the tool secret does not name app"`},
		{"tools/call", `{"name":"elsewhere"}`, `"code":-32602,"message":"the server of this app has no tool elsewhere"`},
		{"tools/call", `{"name":7}`, `"code":-32602`},
		{"tools/call", `{"name":"plain","Name":"drop"}`, `"code":-32602,"message":"the params have another member that servers may take for \"name\""`},
		{"tools/call", `{"name":"plain","name":"drop"}`, `"code":-32602`},
		{"tools/call", `{"name":"drop"}`, `"code":-32000,"message":"mcptea cannot ask the user about this call"`},
		{"tools/call", `{"name":"twin"}`, `"code":-32000,"message":"mcptea cannot ask the user about this call"`}, // the server decides which of two it calls
		{"tools/call", `{"name":"half"}`, `"code":-32602,"message":"the visibility of the tool half does not name app"`},
		{"tools/call", `{"name":"plain"}`, `"result":`},
		{"tools/call", `{"name":"hidden"}`, `"result":`},
		{"elicitation/create", `{"message":"Your password?"}`, `"code":-32601`},
		{"sampling/createMessage", `{}`, `"code":-32601`},
		{"roots/list", `{}`, `"code":-32601`},
		{"initialize", `{}`, `"code":-32601`},
		{"ui/unknown", `{}`, `"code":-32601`},
		{"ui/open-link", `{"url":"https://a.example"}`, `"code":-32601`}, // neither declared nor supported here
		{"ui/download-file", `{}`, `"code":-32601`},
		{"ui/message", `{"role":"assistant","content":[]}`, `"code":-32602,"message":"ui/message requires the role \"user\" and content"`},
		{"ui/message", `{"role":"user"}`, `"code":-32602`},
		{"ui/message", `{"role":"user","content":"hi"}`, `"code":-32602`},
		{"ui/message", `{"role":"user","content":[{"type":"text","text":"hi"}]}`, `"result":{}`},
		{"ui/message", `{"role":"user","content":{"type":"text","text":"hi"}}`, `"result":{}`},
		{"resources/read", `{"uri":"ui://test/other"}`, `"code":-32002,"message":"no such resource"`},
		{"tools/list", `{}`, `"name":"show"`},
	} {
		id := fmt.Sprint(i + 10)
		v.send(call(id, tc.method, tc.params))
		if m := v.next(); !strings.Contains(m, `"id":`+id+`,`) || !strings.Contains(m, tc.want) {
			t.Errorf("%s %s: %s", tc.method, tc.params, m)
		}
	}
	for _, f := range sv.frames("tools/call") {
		if strings.Contains(f, "secret") || strings.Contains(f, "drop") || strings.Contains(f, "twin") || strings.Contains(f, "half") {
			t.Errorf("the server got %s", f)
		}
	}
	if len(sv.frames("ui/message"))+len(sv.frames("elicitation/create")) > 0 {
		t.Error("a message of the app for the host went to the server")
	}
	for _, bad := range []string{`"text"`, `null`, `[]`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{}`} {
		v.send(bad)
	}
	v.send(call("99", "ping", "{}"))
	for response := ""; !strings.Contains(response, `"id":99`); {
		response = v.next()
	}
}

func TestAsk_UserDecides(t *testing.T) {
	s, sv := connect(t, session.Config{})
	v := open(t, s, "show", "{}", apps.Options{})
	v.start()
	v.send(call("5", "tools/call", `{"name":"drop","arguments":{"what":"all"}}`), call("6", "tools/call", `{"name":"drop"}`))
	st := v.until("two questions", func(st apps.State) bool { return len(st.Questions) == 2 })
	q := st.Questions[slices.IndexFunc(st.Questions, func(q apps.Question) bool { return q.Call.Text != "" })]
	if q.Kind != apps.AskCall || q.Call != (client.Proposal{Calls: "drop", Part: "arguments", Text: `{"what":"all"}`}) || q.Deadline.IsZero() {
		t.Errorf("%+v", q)
	}
	if n := len(sv.frames("tools/call")); n != 1 {
		t.Errorf("%d calls before the user has decided", n)
	}
	v.app.Decide(q.ID, true)
	v.gets(`"id":5,"result"`)
	v.app.Decide(st.Questions[0].ID+st.Questions[1].ID-q.ID, false)
	v.gets(`"id":6,"error":{"code":-32000,"message":"the user has declined this call"}`)
	v.app.Decide(77, true) // no such question
	// The app cancels what it has asked for.
	v.send(call("7", "tools/call", `{"name":"drop"}`))
	v.until("the question", func(st apps.State) bool { return len(st.Questions) == 1 })
	v.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	v.until("no question", func(st apps.State) bool { return len(st.Questions) == 0 })
	if n := len(sv.frames("tools/call")); n != 2 {
		t.Errorf("%d calls", n)
	}
}

func TestAsk_Bound(t *testing.T) {
	s, _ := connect(t, session.Config{})
	v := open(t, s, "show", "{}", apps.Options{})
	v.start()
	for i := range 70 {
		v.send(call(fmt.Sprint(100+i), "tools/call", `{"name":"drop"}`))
	}
	for range 60 {
		v.gets(`"code":-32000`)
	}
	if n := len(v.app.State().Questions); n != 10 {
		t.Errorf("%d questions wait", n)
	}
}

func TestOpenLink(t *testing.T) {
	s, _ := connect(t, session.Config{})
	opened := make(chan string, 10)
	v := open(t, s, "show", "{}", apps.Options{OpenLink: func(_ context.Context, url string) error {
		opened <- url
		return nil
	}})
	v.start()
	for i, url := range []string{"javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "HTTP:", "https://", "https://user:pass@a.example/", "ssh://a", "a.example", " https://a.example", ""} {
		v.send(call(fmt.Sprint(10+i), "ui/open-link", `{"url":`+jsonrpc.Quote(url)+`}`))
		v.gets("only http and https URLs are opened")
	}
	if len(v.app.State().Questions)+len(opened) > 0 {
		t.Error("asks about what is never opened")
	}
	v.send(call("50", "ui/open-link", `{"url":"https://a.example/b?c=1"}`))
	st := v.until("the question", func(st apps.State) bool { return len(st.Questions) == 1 })
	if q := st.Questions[0]; q.Kind != apps.AskLink || q.URL != "https://a.example/b?c=1" {
		t.Errorf("%+v", q)
	}
	v.app.Decide(st.Questions[0].ID, true)
	v.gets(`"id":50,"result":{}`)
	if url := <-opened; url != "https://a.example/b?c=1" {
		t.Error(url)
	}
	v.send(call("51", "ui/open-link", `{"url":"https://a.example/declined"}`))
	st = v.until("the question", func(st apps.State) bool { return len(st.Questions) == 1 })
	v.app.Decide(st.Questions[0].ID, false)
	v.gets(`"id":51,"error":{"code":-32000,"message":"the user has declined this link"}`)
	if len(opened) > 0 {
		t.Errorf("%s is opened although the user declined it", <-opened)
	}
}

// Without a user nothing is agreed to, and an app does not wait for one.
func TestAsk_Unattended(t *testing.T) {
	s, sv := connect(t, session.Config{})
	dir, opened := t.TempDir(), make(chan string, 1)
	t.Chdir(dir)
	v := open(t, s, "show", "{}", apps.Options{Unattended: true, Save: apps.Save, OpenLink: func(_ context.Context, url string) error {
		opened <- url
		return nil
	}})
	v.start()
	calls := len(sv.frames("tools/call"))
	v.send(call("60", "ui/open-link", `{"url":"https://a.example/"}`))
	v.gets(`"id":60,"error":{"code":-32000,"message":"mcptea cannot ask the user about this link"}`)
	v.send(call("61", "ui/download-file", `{"contents":[{"type":"resource","resource":{"uri":"file:///a.txt","text":"x"}}]}`))
	v.gets(`"id":61,"error":{"code":-32000,"message":"mcptea cannot ask the user about this file"}`)
	v.send(call("62", "tools/call", `{"name":"drop"}`))
	v.gets(`"id":62,"error":{"code":-32000,"message":"mcptea cannot ask the user about this call"}`)
	files, err := os.ReadDir(dir)
	if err != nil || len(files) > 0 || len(opened) > 0 || len(sv.frames("tools/call")) != calls {
		t.Errorf("%d files, %d links, %d calls, %v", len(files), len(opened), len(sv.frames("tools/call"))-calls, err)
	}
	if st := v.app.State(); len(st.Questions) > 0 || !slices.Equal(st.Refused, []string{"drop"}) {
		t.Errorf("%+v, refused %q", st.Questions, st.Refused)
	}
}

func TestDownload(t *testing.T) {
	s, _ := connect(t, session.Config{})
	dir := t.TempDir()
	t.Chdir(dir)
	v := open(t, s, "show", "{}", apps.Options{Save: apps.Save})
	v.start()
	for i, tc := range []struct{ contents, file, data string }{
		{`{"type":"resource","resource":{"uri":"file:///a/b/report.csv","text":"1,2"}}`, "report.csv", "1,2"},
		{`{"type":"resource","resource":{"uri":"file:///a/b/report.csv","text":"3"}}`, "report-1.csv", "3"},
		{`{"type":"resource","resource":{"uri":"file:///../../.bashrc","blob":"aGk="}}`, "bashrc.bin", "hi"},
		{`{"type":"resource","resource":{"uri":"x:..\\..\\a\u001b[31m b?c#d","text":""}}`, "resource.txt", ""},
		{`{"type":"resource","resource":{"text":"x"}}`, "resource-1.txt", "x"},
		{`{"type":"resource_link","uri":"ui://test/app"}`, "app.html", "<!doctype html><title>app</title>"},
	} {
		v.send(call(fmt.Sprint(20+i), "ui/download-file", `{"contents":[`+tc.contents+`]}`))
		st := v.until("the question", func(st apps.State) bool { return len(st.Questions) == 1 })
		if q := st.Questions[0]; q.Kind != apps.AskFile || q.Size != len(tc.data) {
			t.Errorf("%+v", q)
		}
		v.app.Decide(st.Questions[0].ID, true)
		v.gets(`"result":{}`)
		data, err := os.ReadFile(filepath.Join(dir, tc.file))
		if err != nil || string(data) != tc.data {
			t.Errorf("%s: %q %v", tc.file, data, err)
		}
		if info, err := os.Stat(filepath.Join(dir, tc.file)); err == nil && info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
			t.Errorf("%s has the mode %v", tc.file, info.Mode())
		}
	}
	v.send(call("38", "ui/download-file", `{"contents":[`+strings.Repeat(`{"type":"resource","resource":{"uri":"file:///n","text":"x"}},`, 20)+`{}]}`))
	v.gets("one download has at most 20 files")
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	v.send(call("39", "ui/download-file", `{"contents":[{"type":"resource","resource":{"uri":"file:///declined.txt","text":"x"}}]}`))
	st := v.until("the question", func(st apps.State) bool { return len(st.Questions) == 1 })
	v.app.Decide(st.Questions[0].ID, false)
	v.gets(`"id":39,"error":{"code":-32000,"message":"the user has declined this file"}`)
	if after, err := os.ReadDir(dir); err != nil || len(after) != len(before) {
		t.Errorf("%d files after the user declined one, %d before (%v)", len(after), len(before), err)
	}
	v.send(call("40", "ui/download-file", `{"contents":[{"type":"resource","resource":{"uri":"x","blob":"%"}}]}`))
	v.gets("is not Base64")
	v.send(call("41", "ui/download-file", `{}`))
	v.gets("has no contents")
}

// An app whose file cannot be saved is told why.
func TestDownload_NotSaved(t *testing.T) {
	s, _ := connect(t, session.Config{})
	v := open(t, s, "show", "{}", apps.Options{Save: func(string, []byte) (string, error) { return "", errors.New("no space left on device") }})
	v.start()
	v.send(call("2", "ui/download-file", `{"contents":[{"type":"resource","resource":{"uri":"file:///n","text":"x"}}]}`))
	st := v.until("the question", func(st apps.State) bool { return len(st.Questions) == 1 })
	v.app.Decide(st.Questions[0].ID, true)
	v.gets(`"id":2,"error":{"code":-32000,"message":"the file could not be saved: no space left on device"}`)
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

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
	"mcptea/session/session"
)

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

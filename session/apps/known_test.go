package apps_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/internal/test/recordingtest"
	sessionapps "mcptea/session/apps"
	"mcptea/session/session"
)

const conversation = `> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"s","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"other","description":"d","inputSchema":{"type":"object"}},{"name":"show","description":"d","inputSchema":{"type":"object"},"_meta":{"ui/resourceUri":"ui://a"}}]}}
> {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"ui://a"}}
< {"jsonrpc":"2.0","id":3,"result":{"contents":[{"uri":"ui://a","mimeType":"text/html","text":"<!DOCTYPE html><html></html>","_meta":{"ui":{"csp":{"connectDomains":["https://c.example"]},"permissions":{"camera":{}}}}}]}}
> {"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"ui://gone"}}
< {"jsonrpc":"2.0","id":4,"error":{"code":-32002,"message":"Resource not found"}}
> {"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"file:///a"}}
< {"jsonrpc":"2.0","id":5,"result":{"contents":[{"uri":"file:///a","text":"ui://"}]}}`

// opened calls do with the session of a recording that is read and checked.
func opened(t *testing.T, conversation string, do func(t *testing.T, s *session.Session)) {
	synctest.Test(t, func(t *testing.T) {
		s, err := session.OpenRecording(recordingtest.File(t, "stdio", conversation), session.Config{Lint: true, Lists: client.ListKinds})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close(t.Context()) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		do(t, s)
	})
}

// A tool that the server has mended, on one page of its newest list, has no findings any more.
func TestKnown_Tool_NewestList(t *testing.T) {
	mended := conversation + `
> {"jsonrpc":"2.0","id":6,"method":"tools/list"}
< {"jsonrpc":"2.0","id":6,"result":{"tools":[{"name":"show","description":"d","inputSchema":{"type":"object"},"_meta":{"ui":{"resourceUri":"ui://a"}}}],"nextCursor":"2"}}
> {"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"2"}}
< {"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"other","description":"d","inputSchema":{"type":"object"}}]}}`
	opened(t, mended, func(t *testing.T, s *session.Session) {
		apps := sessionapps.New(s.Store())
		apps.Update()
		if found := apps.Tool("show", s.FindingsAt); len(found) != 0 {
			t.Errorf("findings about the mended tool: %+v", found)
		}
	})
}

// One look reads one large document.
func TestKnown_Update_LargeDocuments(t *testing.T) {
	large := conversation
	for id := 10; id < 13; id++ {
		large += fmt.Sprintf(`
> {"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"ui://%[1]d"}}
< {"jsonrpc":"2.0","id":%[1]d,"result":{"contents":[{"uri":"ui://%[1]d","mimeType":"text/html","text":"%s"}]}}`, id, strings.Repeat("x", 2<<20))
	}
	opened(t, large, func(t *testing.T, s *session.Session) {
		apps := sessionapps.New(s.Store())
		for looks, more := 1, true; more; looks++ {
			more = apps.Update()
			for id := 10; id < 13; id++ {
				if _, ok := apps.Document(fmt.Sprintf("ui://%d", id)); ok != (looks > id-10) {
					t.Errorf("document %d after %d looks: %v", id, looks, ok)
				}
			}
		}
	})
}

func TestKnown_Apps(t *testing.T) {
	opened(t, conversation, func(t *testing.T, s *session.Session) {
		apps := sessionapps.New(s.Store())
		if apps.Update() {
			t.Error("there is more")
		}
		r, ok := apps.Document("ui://a")
		if !ok || r.Err != nil || r.Size != 28 || r.MIME != "text/html" || r.HTML != nil || fmt.Sprint(r.CSP["connectDomains"], r.Permissions) != "[https://c.example] [camera]" {
			t.Errorf("%+v, %v", r, ok)
		}
		var ids []string
		for _, f := range sessionapps.Of(r.Row, s.FindingsAt) {
			ids = append(ids, f.Rule.ID)
		}
		if got := strings.Join(ids, " "); got != "U012" {
			t.Errorf("findings about the document: %s", got)
		}
		if gone, ok := apps.Document("ui://gone"); !ok || gone.Err == nil || !strings.Contains(gone.Err.Error(), "Resource not found") {
			t.Errorf("%+v, %v", gone, ok)
		}
		if _, ok := apps.Document("file:///a"); ok {
			t.Error("a resource that is not an app is kept")
		}
		if found := apps.Tool("show", s.FindingsAt); len(found) != 1 || found[0].Rule.ID != "U003" {
			t.Errorf("findings about the tool: %+v", found)
		}
		if found := apps.Tool("other", s.FindingsAt); len(found) != 0 {
			t.Errorf("findings about another tool: %+v", found)
		}
	})
}

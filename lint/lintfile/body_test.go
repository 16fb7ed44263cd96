package lintfile

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/lint/rules"
	"mcptea/record"
)

// recorder is a session: the linter looks at its events, which are written to a recording.
type recorder struct {
	mu   sync.Mutex
	seq  int64
	file []byte
	feed *lint.Engine
}

func (r *recorder) Frame(f transport.Frame) (at transport.Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	r.file, _ = record.AppendFrame(r.file, r.seq, 0, &f)
	r.feed.Event(&record.Event{Kind: record.KindFrame, Time: f.Time, Frame: f}, int32(r.seq+1))
	return at
}

func (r *recorder) Exchange(x transport.Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	event := record.Event{Kind: record.KindHTTP, Time: time.Now(), Exchange: &x}
	r.file = record.AppendEvent(r.file, r.seq, &event)
	r.feed.Event(&event, int32(r.seq+1))
}

func (r *recorder) Stderr(transport.Line)          {}
func (r *recorder) Process(transport.ProcessEvent) {}
func (r *recorder) Step(client.Step)               {}
func (r *recorder) Lost(jsonrpc.ID, error)         {}

// The body of an HTTP error is looked at live and in the recording, whether it is a JSON-RPC error, other
// JSON or a page.
func TestRecording_BodyOfHTTPError(t *testing.T) {
	const trace = `Error: boom\n    at list (/srv/app/server.js:10:5)`
	for media, body := range map[string]string{
		"application/json":         `{"jsonrpc":"2.0","error":{"code":-32603,"message":"boom","data":"` + trace + `"}}`,
		"application/problem+json": `{"detail":"` + trace + `"}`,
		"text/html":                "<pre>" + strings.ReplaceAll(trace, `\n`, "<br>") + "</pre>",
	} {
		t.Run(media, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				text, _ := io.ReadAll(q.Body)
				w.Header().Set("Content-Type", "application/json")
				switch e := jsonrpc.Scan(text); e.MethodName(text) {
				case "initialize":
					_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+e.ID.Of(text).String()+`,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
				case "tools/list":
					w.Header().Set("Content-Type", media)
					w.WriteHeader(http.StatusInternalServerError)
					_, _ = io.WriteString(w, body)
				case "":
					w.WriteHeader(http.StatusMethodNotAllowed)
				default:
					w.WriteHeader(http.StatusAccepted)
				}
			}))
			defer server.Close()
			var live []string
			r := &recorder{file: record.AppendHeader(nil, record.Header{Tool: "test", Transport: "http", Time: time.Now().UnixNano()})}
			r.feed = rules.New(func(f lint.Finding) { live = append(live, f.Rule.ID+" "+f.Message) })
			r.feed.Open(record.Header{Transport: "http"})
			c := client.New(client.Target{URL: server.URL}, r, client.Config{Name: "t", Version: "1", Revision: "2025-11-25"})
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
			defer stop()
			if err := c.Connect(ctx); err != nil {
				t.Fatal(err)
			}
			if _, err := c.List(ctx, client.Tools); err == nil {
				t.Fatal("the list has no error")
			}
			if err := c.Close(ctx); err != nil {
				t.Fatal(err)
			}
			r.feed.Last()
			var opened []string
			_, found := lintText(t, string(r.file))
			for _, f := range found {
				opened = append(opened, f.Rule.ID+" "+f.Message)
			}
			if !slices.Equal(live, opened) {
				t.Errorf("live   %q\nopened %q", live, opened)
			}
			if n := len(slices.DeleteFunc(live, func(text string) bool { return !strings.HasPrefix(text, "E010") })); n != 1 {
				t.Errorf("%d findings of E010 among %q", n, opened)
			}
		})
	}
}

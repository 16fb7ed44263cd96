package relay_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
)

// sseServer is a server of HTTP+SSE, whose streams a test cuts. It may be exchanged for one of Streamable HTTP.
type sseServer struct {
	mu      sync.Mutex
	streams int // so far
	current chan string
	cut     chan struct{}
	refuse  int          // status of a POST to the URL of the stream
	other   http.Handler // in place of this server; nil for none
}

func (s *sseServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	other, messages, refuse := s.other, s.current, s.refuse
	s.mu.Unlock()
	switch {
	case other != nil:
		other.ServeHTTP(w, r)
	case r.Method == http.MethodGet:
		s.stream(w, r)
	case r.URL.Path == "/message":
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusAccepted)
		if e := jsonrpc.Scan(body); e.Kind == jsonrpc.Request {
			result := `{"of":` + e.ID.Of(body).String() + `}`
			if e.HasMethod(body, "initialize") {
				result = `{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
			}
			messages <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, e.ID.Of(body), result)
		}
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusMethodNotAllowed)
	default:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(refuse)
		_, _ = io.WriteString(w, "<!DOCTYPE html>\n<html>\n<head><title>Error</title></head>\n<body><pre>Cannot POST /sse</pre></body>\n</html>\n")
	}
}

func (s *sseServer) stream(w http.ResponseWriter, r *http.Request) {
	messages, cut := make(chan string, 10), make(chan struct{})
	s.mu.Lock()
	s.streams++
	s.current, s.cut = messages, cut
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "event: endpoint\ndata: /message\n\n")
	flush := http.NewResponseController(w).Flush
	for _ = flush(); ; _ = flush() {
		select {
		case m := <-messages:
			_, _ = io.WriteString(w, "event: message\ndata: "+m+"\n\n")
		case <-cut:
			return
		case <-r.Context().Done():
			return
		}
	}
}

func (s *sseServer) cuts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.cut)
}

// A server of HTTP+SSE is back after each end of its stream, with whichever status it refuses Streamable HTTP; and also as
// a server of Streamable HTTP.
func TestRelay_SSEComesBack(t *testing.T) {
	for _, refuse := range []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusBadRequest} {
		t.Run(fmt.Sprint(refuse), func(t *testing.T) {
			s := &sseServer{refuse: refuse}
			server := httptest.NewServer(s)
			t.Cleanup(server.Close)
			t.Cleanup(server.CloseClientConnections)
			h := tapOf(t, server.URL+"/sse")
			h.connects()
			const rounds = 4
			for id := 1; id <= rounds; id++ {
				h.sends(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x"}}`, id))
				h.gets(fmt.Sprintf(`"id":%d,"result"`, id))
				s.cuts()
				for !strings.Contains(<-h.warns, "the server does not run") {
					continue
				}
				if id == rounds-1 {
					scripted, _ := startScripted(t)
					s.mu.Lock()
					s.other = scripted
					s.mu.Unlock()
					h.sends(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
					h.gets(`"progressToken":9`)
					h.gets(`"id":9,"result"`)
					break
				}
			}
		})
	}
}

// A page of HTML is one line, wherever it is told.
func TestRelay_PageIsOneLine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<!DOCTYPE html>\n<html>\n<head><title>No such\n page</title></head>\n<body>Hello</body></html>\n")
	}))
	t.Cleanup(server.Close)
	h := tapOf(t, server.URL)
	h.sends(initializeFrame)
	line := h.gets(`"error"`, `No such page`)
	if warned := <-h.warns; strings.Contains(line, "DOCTYPE") || strings.Contains(line, "<html") || strings.ContainsAny(warned, "\n<") {
		t.Errorf("%s\n%s", line, warned)
	}
}

// A refusal whose body is not a JSON-RPC error is reported as other commands report it.
func TestRelay_RefusalWithABodyOfItsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   []string
	}{
		"401 with a code":        {401, `{"error":"unauthorized"}`, []string{"returned 401 Unauthorized"}},
		"401 of OAuth":           {401, `{"error":"invalid_token","error_description":"expired yesterday"}`, []string{"401", "invalid_token: expired yesterday"}},
		"401 with a message":     {401, `{"message":"no key"}`, []string{"401", "no key"}},
		"401 text":               {401, "who are you", []string{"401", "who are you"}},
		"403 of OAuth":           {403, `{"error":"insufficient_scope","error_description":"write needed"}`, []string{"403", "insufficient_scope: write needed"}},
		"404 text":               {404, "nothing here", []string{"404", "nothing here"}},
		"500 with an object":     {500, `{"error":{"reason":"backend"}}`, []string{"500", "backend"}},
		"503 with an error":      {503, `{"error":"overloaded"}`, []string{"503", "overloaded"}},
		"400 with a null error":  {400, `{"error":null}`, []string{"400"}},
		"400 with a text code":   {400, `{"jsonrpc":"2.0","id":null,"error":{"code":"E1","message":"bad tea"}}`, []string{"400", "bad tea"}},
		"400 of another version": {400, `{"error":{"code":400,"message":"bad tea","status":"INVALID_ARGUMENT"}}`, []string{"400", "bad tea"}},
		"422 with the id":        {422, `{"id":0,"detail":"no tea"}`, []string{"422", "no tea"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			t.Cleanup(server.Close)
			h := tapOf(t, server.URL)
			h.sends(initializeFrame)
			line := h.gets(append(c.want, `"id":0`, `"code":-32603`)...)
			if warned := <-h.warns; !strings.Contains(warned, fmt.Sprint(c.status)) || !json.Valid([]byte(line)) {
				t.Errorf("stderr: %s\n%s", warned, line)
			}
		})
	}
}

// A request that the server had taken when it was killed may have been carried out, whatever the server that is
// there now returns for the stream.
func TestRelay_KilledInACall(t *testing.T) {
	for name, after := range map[string]string{
		"no such session":            `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}`,
		"a page":                     "<html><title>Not here</title></html>",
		"an error of its own":        `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`,
		"an error without a session": `{"error":"invalid_request"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, url := startScripted(t)
			h := tapOf(t, url)
			h.connects()
			s.mu.Lock()
			s.answer = func(w http.ResponseWriter, _, method string) bool {
				if method != "tools/call" {
					return false
				}
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "retry: 10\nid: 1\ndata: \n\n")
				return true
			}
			s.resumed = after
			s.mu.Unlock()
			h.sends(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x"}}`)
			line := h.gets(`"id":5`, `"code":-32603`, "The request may have been carried out.")
			if strings.Contains(line, `"code":-32001`) {
				t.Error(line)
			}
		})
	}
}

// A message that the server sends on the stream of a session that has just replaced another one is not lost: requests go
// on when the stream is open. That a stream does not open is said, and is waited for once.
func TestRelay_StreamOfTheNextSession(t *testing.T) {
	s, url := startScripted(t)
	opens := make(chan struct{})
	s.stream = func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-opens:
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	h := tapOf(t, url)
	h.connects()
	h.sends(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	h.gets(`"progressToken":1`)
	h.gets(`"id":1`)
	s.expire()
	h.sends(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	deadline := time.After(time.Minute)
	for said := ""; !strings.Contains(said, "has not opened the stream for its own messages within 2 s: what it sends before may be lost"); {
		select {
		case said = <-h.warns:
		case <-deadline:
			t.Fatal("it is not said that the stream does not open")
		}
	}
	h.gets(`"progressToken":2`)
	h.gets(`"id":2`)
	close(opens)
}

package client

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

func TestParseRequest(t *testing.T) {
	for frame, want := range map[string]Request{
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"x":1}}`: {ID: jsonrpc.IDOf(`"a"`), Method: "tools/call", Params: []byte(`{"x":1}`)},
		`{"jsonrpc":"2.0","id":7,"method":"ping"}`:                          {ID: jsonrpc.IDOf(`7`), Method: "ping"},
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:            {Method: "notifications/initialized"},
		`{"jsonrpc":"2.0","id":7,"result":{}}`:                              {},
		`not JSON`:                                                          {},
	} {
		got := ParseRequest([]byte(frame))
		if !got.ID.Same(want.ID) || got.Method != want.Method || string(got.Params) != string(want.Params) || string(got.Frame) != frame {
			t.Errorf("%s: %+v", frame, got)
		}
	}
}

// Each further request of a call is announced under its id, which is that on the
// wire: after other headers, and with input.
func TestDo_OnResend(t *testing.T) {
	ask := `{"resultType":"input_required","requestState":"s"}`
	site := statelessSite().with("tools/call", taking(
		givesError(http.StatusBadRequest, revision.CodeHeaderMismatch, ""), givesResult(ask), givesResult(`{"resultType":"complete","content":[]}`)))
	server := httptest.NewServer(site)
	defer server.Close()
	w := &witness{}
	c := New(Target{URL: server.URL}, w, Config{Name: "test", Version: "0"})
	defer c.Close(t.Context())
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := c.NewRequest(c.NextID(), "tools/call", []byte(`{"name":"echo"}`))
	announced := []jsonrpc.ID{r.ID}
	response, err := c.Do(t.Context(), r, WithInput(), OnResend(func(id jsonrpc.ID) { announced = append(announced, id) }))
	if err != nil || jsonrpc.Text(response.Result(), "resultType") != "complete" {
		t.Fatalf("%s, %v", response.Frame, err)
	}
	var sent []jsonrpc.ID
	for _, frame := range w.sent {
		if r := ParseRequest([]byte(frame)); r.Method == "tools/call" {
			sent = append(sent, r.ID)
		}
	}
	if len(sent) != 3 || !slices.EqualFunc(sent, announced, jsonrpc.ID.Same) {
		t.Errorf("sent under %s, announced %s", sent, announced)
	}
	if got := w.story(">"); got != "> server/discover > tools/call > tools/list > tools/call > tools/call" {
		t.Errorf("sent: %s", got)
	}
}

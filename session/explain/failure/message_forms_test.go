package failure

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/session/explain/facts"
)

// A formOf is a message of a program, with the facts beside it and the words that the user must read.
type formOf struct {
	text  string // lines of stderr, the text of a tool error, the body of a response, or the description of an OAuth error
	facts formFacts
	want  []string
}

// formFacts are what else is known.
type formFacts struct {
	command   string // of a server that exits with code 1
	env       string
	written   string // message that was written to stdin
	status    int    // of a response to initialize
	header    string // of the response, NAME: VALUE
	token     string // that the request had
	arguments string // of a call
	schema    string // inputSchema
	endpoint  string // of an authorization server
	code      string // of its error
}

// explained returns the cause and the advice.
func (m formOf) explained(t *testing.T) string {
	t.Helper()
	f := Facts{target: client.Target{URL: "https://tea.test/mcp"}}
	if m.facts.command != "" {
		f.target = client.Target{Argv: strings.Fields(m.facts.command)}
		if m.facts.env != "" {
			f.target.Env = []string{m.facts.env}
		}
	}
	header := http.Header{}
	if name, value, ok := strings.Cut(m.facts.header, ": "); ok {
		header.Set(name, value)
	}
	switch {
	case m.facts.endpoint != "":
		refused := &oauth.ServerError{Where: "the " + m.facts.endpoint + " endpoint", Status: m.facts.status, Code: m.facts.code, Description: m.text}
		e := Explain(&transport.AuthorizationError{Status: &transport.StatusError{Method: "POST", URL: f.target.URL, Status: 401, Header: http.Header{}}, Err: refused}, f)
		return e.Cause() + " " + e.Try()
	case m.facts.status != 0:
		f.exchange = transport.Exchange{ID: 1, Method: "POST", URL: f.target.URL, Status: m.facts.status, RequestHeader: http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}}
		if m.facts.token != "" {
			f.target.Header = http.Header{"Authorization": {"Bearer " + m.facts.token}}
			f.exchange.RequestHeader.Set("Authorization", "Bearer "+m.facts.token)
		}
		e := Explain(&client.ConnectError{Step: client.StepInitialize, Err: &transport.StatusError{Method: "POST", URL: f.target.URL, Status: m.facts.status, Header: header, Body: []byte(m.text)}}, f)
		return e.Cause() + " " + e.Try()
	case m.facts.command != "" && m.facts.arguments == "":
		f.stderr = strings.Split(m.text, "\n")
		if m.facts.written != "" {
			f.wire.written = [][]byte{[]byte(m.facts.written)}
		}
		e := Explain(&client.ConnectError{Step: client.StepInitialize, Err: &stdio.ExitError{Code: 1, After: time.Second}}, f)
		return e.Cause() + " " + e.Try()
	}
	f.Connected = true
	tool := `{"name":"brew","inputSchema":{"type":"object","properties":{` + m.facts.schema + `}}}`
	f.request = facts.Request{Method: "tools/call", Params: []byte(`{"name":"brew","arguments":{` + m.facts.arguments + `}}`), Tool: []byte(tool), Failure: m.text, IsTool: true}
	refusal := facts.Refusal{Body: []byte(m.text)}
	why, _ := f.ofReply(f.refused(situation{}, refusal), m.text)
	c := f.voiced(why.Candidate, words{m.text, refusal})
	return c.Cause + " " + c.Remedy.Text
}

// Forms of messages as programs write them.
func TestMessages_Forms(t *testing.T) {
	for _, m := range messageForms {
		got := m.explained(t)
		for _, want := range m.want {
			if !strings.Contains(got, want) {
				t.Errorf("%.100q: %s\n\twithout %q", m.text, got, want)
			}
		}
		t.Logf("%.90q\n\t%s", m.text, got)
	}
}

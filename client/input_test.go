package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// talk is a conversation with a server without handshake that asks for input.
type talk struct {
	c     *Client
	s     *scripted
	asked chan ServerRequest
	gone  chan jsonrpc.ID
}

// converse connects to a server that answers tools/call with the results, one
// after the other; "ID" in them is the id of the request.
func converse(t *testing.T, results ...string) *talk {
	t.Helper()
	k := &talk{asked: make(chan ServerRequest, 10), gone: make(chan jsonrpc.ID, 10)}
	k.s = script(newcomer(func(frame string) []string {
		r := results[0]
		if len(results) > 1 {
			results = results[1:]
		}
		return result(frame, r)
	}))
	k.c = NewOver(k.s, &noted{}, Config{
		Revision: revision.R20260728, Roots: []Root{{URI: "file:///w"}}, Elicitation: true, Sampling: true,
		OnServerRequest: func(a ServerRequest) { k.asked <- a }, OnInputDropped: func(id jsonrpc.ID) { k.gone <- id },
	})
	if err := k.c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.c.Close(context.Background()) })
	return k
}

// call calls the tool and returns what was sent after the first request, as
// params without _meta.
func (k *talk) call(ctx context.Context, params string) (Response, error) {
	return k.c.Do(ctx, k.c.NewRequest(k.c.NextID(), "tools/call", []byte(params)), WithInput())
}

// sentParams are the ids and params of the calls, without what every request
// says.
func (k *talk) sentParams() []string {
	var found []string
	for _, frame := range strings.Split(k.s.log(), "\n") {
		e := jsonrpc.Scan([]byte(frame))
		if e.MethodName([]byte(frame)) == "tools/call" {
			found = append(found, fmt.Sprintf("%s %s", e.ID.Of([]byte(frame)), without(e.Params.Of([]byte(frame)), "_meta")))
		}
	}
	return found
}

func (k *talk) expect(t *testing.T, want ...string) {
	t.Helper()
	if got := k.sentParams(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("sent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const form = `{"resultType":"input_required","inputRequests":{"sure":{"method":"elicitation/create","params":{"message":"Sure?"}}},"requestState":"a\u0062 1.0"}`

const done = `{"resultType":"complete","content":[]}`

// The retry has a new id, the same params, the answers under their keys, and
// the state byte for byte.
func TestWithInput_SendsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := converse(t, form, form, done)
		go func() {
			for range 2 {
				a := <-k.asked
				if a.Method != MethodElicitation || string(a.Params) != `{"message":"Sure?"}` || a.Key != "sure" || !a.Of.Present() {
					t.Errorf("asked %+v", a)
				}
				if err := k.c.Respond(t.Context(), a.ID, []byte(`{"action":"accept","content":{"n":1.0}}`)); err != nil {
					t.Error(err)
				}
			}
		}()
		answer, err := k.call(t.Context(), `{"name":"x","arguments":{"b":1, "a":2.0}}`)
		if err != nil || jsonrpc.Text(answer.Result(), "resultType") != "complete" {
			t.Fatalf("%s, %v", answer.Frame, err)
		}
		k.expect(
			t,
			`2 {"name":"x","arguments":{"b":1, "a":2.0}}`,
			`3 {"inputResponses":{"sure":{"action":"accept","content":{"n":1.0}}},"requestState":"a\u0062 1.0","name":"x","arguments":{"b":1, "a":2.0}}`,
			`4 {"inputResponses":{"sure":{"action":"accept","content":{"n":1.0}}},"requestState":"a\u0062 1.0","name":"x","arguments":{"b":1, "a":2.0}}`,
		)
	})
}

func TestWithInput_RootsAndState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := converse(
			t,
			`{"resultType":"input_required","inputRequests":{"where":{"method":"roots/list"}}}`,
			`{"resultType":"input_required","requestState":"s"}`,
			done,
		)
		if _, err := k.call(t.Context(), `{"name":"x"}`); err != nil {
			t.Fatal(err)
		}
		k.expect(
			t,
			`2 {"name":"x"}`,
			`3 {"inputResponses":{"where":{"roots":[{"uri":"file:///w"}]}},"name":"x"}`,
			`4 {"requestState":"s","name":"x"}`,
		)
	})
}

// What is refused is not sent: the server waits for nothing, and what else it asked for needs no
// response any more.
func TestWithInput_Refused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := converse(t, `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"},"b":{"method":"sampling/createMessage","params":{}}}}`)
		go func() {
			<-k.asked
			b := <-k.asked
			_ = k.c.RespondError(t.Context(), b.ID, -1, "no")
		}()
		answer, err := k.call(t.Context(), `{"name":"x"}`)
		if !errors.Is(err, ErrInputRefused) || !k.c.requestsInput("tools/call", answer) {
			t.Errorf("%s, %v", answer.Frame, err)
		}
		k.expect(t, `2 {"name":"x"}`)
	})
}

// Canceling the call drops its input requests.
func TestWithInput_CanceledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := converse(t, form)
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			<-k.asked
			cancel(ErrCancelled)
		}()
		if _, err := k.call(ctx, `{"name":"x"}`); !errors.Is(err, ErrCancelled) {
			t.Error(err)
		}
		if id := <-k.gone; !id.Same(jsonrpc.StringID("2 sure")) {
			t.Errorf("withdrawn: %s", id)
		}
		if k.c.provideInput(jsonrpc.StringID("2 sure"), []byte(`{}`)) {
			t.Error("a response without a pending input request was accepted")
		}
	})
}

func TestWithInput_InvalidInputRequests(t *testing.T) {
	tests := map[string]struct{ result, want string }{
		"nothing in it":     {`{"resultType":"input_required"}`, `neither "inputRequests" nor "requestState"`},
		"an unknown kind":   {`{"resultType":"input_required","inputRequests":{"k":{"method":"tea/brew"}}}`, `requests "tea/brew" (k), which mcptea did not declare as a capability`},
		"again and again":   {`{"resultType":"input_required","requestState":"s"}`, "20 rounds"},
		"no method at all":  {`{"resultType":"input_required","inputRequests":{"k":7}}`, `requests "" (k)`},
		"not from this one": {`{"resultType":"input_required","inputRequests":"?"}`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := converse(t, tt.result, tt.result)
				if name == "not from this one" {
					k = converse(t, tt.result, done)
				}
				_, err := k.call(t.Context(), `{"name":"x"}`)
				if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
					t.Error(err)
				}
			})
		})
	}
}

// Methods that may not ask, and servers with a handshake, get no second
// request.
func TestWithInput_OtherMethods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := converse(t, form)
		answer, err := k.c.Do(t.Context(), k.c.NewRequest(k.c.NextID(), "tools/list", nil), WithInput())
		if err != nil || jsonrpc.Text(answer.Result(), "resultType") != "input_required" {
			t.Errorf("%s, %v", answer.Frame, err)
		}
		if len(k.asked) > 0 {
			t.Error("OnServerRequest was called")
		}
	})
}

// A server that asks for input again and again is given it so many times: the last round
// may complete the call, and one more is not begun.
func TestWithInput_MaxRounds(t *testing.T) {
	state := `{"resultType":"input_required","requestState":"s"}`
	for rounds, tooMany := range map[int]bool{20: false, 21: true} {
		synctest.Test(t, func(t *testing.T) {
			k := converse(t, append(slices.Repeat([]string{state}, rounds), done)...)
			_, err := k.call(t.Context(), `{"name":"x"}`)
			if errors.Is(err, ErrTooManyRounds) != tooMany || !tooMany && err != nil {
				t.Errorf("%d rounds: %v", rounds, err)
			}
			if got := len(k.sentParams()); got != 21 {
				t.Errorf("%d rounds: %d requests were sent", rounds, got)
			}
		})
	}
}

package client

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// A server that sends requests without end, to a user who responds to none of them, gets error responses,
// and costs no memory.
func TestServerRequests_Bound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := 0
		s := script(friendly(func(string) []string { return nil }))
		c := NewOver(s, &checks{}, Config{
			Name: "test", Version: "0", Era: revision.EraHandshake, Elicitation: true, OnServerRequest: func(ServerRequest) { got++ },
		})
		if err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range maxServerRequests + 2 {
			s.push(fmt.Sprintf(`{"jsonrpc":"2.0","id":"s%d","method":"elicitation/create","params":{}}`, i))
		}
		synctest.Wait()
		if n := read(c, func(s *state) int { return len(s.serverRequests) }); n != maxServerRequests || got != n {
			t.Errorf("%d wait, %d were passed on", n, got)
		}
		if n := strings.Count(s.log(), `"error"`); n != 2 {
			t.Errorf("%d error responses, want 2", n)
		}
		if err := c.Respond(t.Context(), jsonrpc.IDOf(`"s0"`), []byte(`{}`)); err != nil {
			t.Error(err)
		}
		s.push(`{"jsonrpc":"2.0","id":"later","method":"elicitation/create","params":{}}`)
		if got != maxServerRequests+1 {
			t.Error("there is no room after a response")
		}
		_ = c.Close(t.Context())
	})
}

func TestWithInput_Bound(t *testing.T) {
	for n, refused := range map[int]bool{maxInputs: false, maxInputs + 1: true} {
		synctest.Test(t, func(t *testing.T) {
			var inputs []string
			for i := range n {
				inputs = append(inputs, fmt.Sprintf(`"k%d":{"method":"roots/list"}`, i))
			}
			k := converse(t, `{"resultType":"input_required","inputRequests":{`+strings.Join(inputs, ",")+`}}`, done)
			_, err := k.call(t.Context(), `{"name":"x"}`)
			var invalid *InputError
			if errors.As(err, &invalid) != refused {
				t.Errorf("%d input requests: %v", n, err)
			}
		})
	}
}

// A call whose input request waits for the user has an outcome when the server exits.
func TestWithInput_ConnectionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := converse(t, form)
		outcome := make(chan error, 1)
		go func() {
			_, err := k.call(t.Context(), `{"name":"x"}`)
			outcome <- err
		}()
		<-k.asked
		k.s.end(io.ErrUnexpectedEOF)
		var closed *ClosedError
		if err := <-outcome; !errors.As(err, &closed) || !errors.Is(err, io.ErrUnexpectedEOF) || closed.Method != "tools/call" {
			t.Errorf("the outcome is %v", err)
		}
		<-k.gone
	})
}

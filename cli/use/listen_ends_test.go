package use

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"mcptea/client/transport"
)

// endedStreams returns exchanges of GET whose event streams ended after a time.
func endedStreams(n int, after time.Duration, events int) (all []transport.Exchange) {
	for i := range n {
		all = append(all, transport.Exchange{
			ID: uint32(n - i), Purpose: transport.PurposeListen, Method: http.MethodGet, Status: http.StatusOK, Phase: transport.ExchangeDone, Took: after, Events: events,
			ResponseHeader: http.Header{"Content-Type": {"text/event-stream"}},
		})
	}
	return all
}

// A stream that ends as soon as it is opened is reported at the third time, once, and is a failure when the client
// gives it up.
func TestLookAtEnds_StreamEndsAtOnce(t *testing.T) {
	const said = "the stream of notifications ended as soon as it was opened, 3 times"
	p, out := printing()
	l := &listener{p: p}
	for n := range 5 {
		if err := l.lookAtEnds(endedStreams(n, time.Millisecond, 0)); err != nil {
			t.Fatalf("%d ends: %v", n, err)
		}
		if got, want := strings.Contains(out.String(), said), n >= 3; got != want {
			t.Errorf("%d ends are reported: %t, want %t:\n%s", n, got, want, out)
		}
	}
	if n := strings.Count(out.String(), "ended as soon as"); n != 1 {
		t.Errorf("it is reported %d times", n)
	}
	err := l.lookAtEnds(endedStreams(5, time.Millisecond, 0))
	if err == nil || !strings.Contains(err.Error(), "no notifications can arrive") {
		t.Errorf("five ends: %v", err)
	}
}

func TestLookAtEnds_OtherStreams(t *testing.T) {
	for name, all := range map[string][]transport.Exchange{
		"with events":      endedStreams(5, time.Millisecond, 1),
		"after a while":    endedStreams(5, time.Minute, 0),
		"the newest lasts": append(endedStreams(1, time.Minute, 0), endedStreams(4, time.Millisecond, 0)...),
	} {
		p, out := printing()
		if err := (&listener{p: p}).lookAtEnds(all); err != nil || out.Len() > 0 {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}

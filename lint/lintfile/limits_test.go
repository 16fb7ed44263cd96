package lintfile

import (
	"fmt"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

func TestReport_MaxProblems(t *testing.T) {
	var r Report
	for i := range 21 {
		r.problem(fmt.Sprint(i))
		if len(r.Problems) != min(i+1, 20) || r.Skipped != i+1 {
			t.Errorf("after %d problems %d are kept, %d counted", i+1, len(r.Problems), r.Skipped)
		}
	}
}

func TestGuess_Bounds(t *testing.T) {
	g := &guess{asked: map[jsonrpc.Key]transport.Direction{}}
	request := func(id string) {
		frame := []byte(`{"jsonrpc":"2.0","id":"` + id + `","method":"ping"}`)
		g.direction(nil, frame, jsonrpc.Scan(frame))
	}
	for i := range 200_000 {
		request(fmt.Sprint(i))
	}
	if len(g.asked) != 200_000 {
		t.Errorf("of 200,000 ids %d are kept", len(g.asked))
	}
	request("one more")
	if len(g.asked) != 1 {
		t.Errorf("with one id more %d are kept", len(g.asked))
	}
	request(strings.Repeat("x", 1022)) // 1,024 with its quotes
	request(strings.Repeat("x", 1023))
	if len(g.asked) != 2 {
		t.Errorf("%d ids are kept, one of which is too long", len(g.asked))
	}
}

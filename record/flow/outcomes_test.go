package flow_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mcptea/internal/test/recordingtest"
	"mcptea/record"
	"mcptea/record/flow"
	"mcptea/record/store"
)

// counted are the outcomes of the requests of a recording.
type counted struct{ requests, answered, failed, own int }

func countedIn(t *testing.T, events string) (c counted) {
	t.Helper()
	st, err := store.Open(recordingtest.Timed(t, record.Header{Transport: "stdio"}, events))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	outcomes, states := flow.NewOutcomes(), map[*flow.Outcome]flow.State{}
	changed := func(before flow.State, o *flow.Outcome) {
		if was := states[o]; was != before || before == o.State {
			t.Errorf("a request that was %v goes from %v to %v", was, before, o.State)
		}
		states[o] = o.State
		if before == flow.Unknown {
			c.requests++
		}
		if before == flow.Abandoned {
			c.failed--
		}
		if o.State == flow.Answered {
			c.answered++
		}
		if o.State != flow.Pending && o.IsFailed() {
			c.failed++
		}
		if o.State == flow.Answered && o.IsOwn {
			c.own++
		}
	}
	st.Observe(nil, func(e *record.Event, _ int32, _ store.Row, matches []store.Match) {
		for i := range matches {
			outcomes.Match(e, &matches[i], changed)
		}
	})
	if err := st.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// Each request of a sender is one outcome, whatever a tap has made of it on its way.
func TestOutcomes_CountARequestOnce(t *testing.T) {
	const call, result, failure = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a"}}`, `{"jsonrpc":"2.0","id":5,"result":{}}`, `{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no"}}`
	for _, tt := range []struct {
		name, events string
		want         counted
	}{
		{"answered", "1 > CALL\n2 < RESULT", counted{1, 1, 0, 0}},
		{"answered twice", "1 > CALL\n2 < RESULT\n3 < FAILURE", counted{1, 1, 0, 0}},
		{"no response", "1 > CALL", counted{1, 0, 0, 0}},
		{"lost", "0 opened 1\n1 > CALL\n2 closed 1", counted{1, 0, 1, 0}},
		{"sent again after a session has expired", "0 opened 1\n1 > CALL\n2 <withheld FAILURE\n3 closed 1\n4 opened 2\n5 >own CALL\n6 < RESULT", counted{1, 1, 0, 0}},
		{"sent again after the connection was lost", "0 opened 1\n1 > CALL\n3 closed 1\n4 opened 2\n5 >own CALL\n6 < RESULT", counted{1, 1, 0, 0}},
		{"refused by the tap", "1 >withheld CALL\n2 <injected FAILURE", counted{1, 1, 1, 1}},
		{"ended by the tap", "0 opened 1\n1 > CALL\n2 closed 1\n3 <injected FAILURE", counted{1, 1, 1, 1}},
		{"answered by the tap, and late by the server", "1 > CALL\n2 <injected FAILURE\n3 <withheld RESULT", counted{1, 1, 1, 1}},
		{"held and dropped", "1 >withheld CALL", counted{}},
		{"cancelled", "1 > CALL\n2 > CANCEL\n3 < RESULT", counted{1, 0, 0, 0}},
		{"timed out", "1 > CALL\n2 > TIMEOUT\n3 < RESULT", counted{1, 0, 1, 0}},
		{"sent twice by a fault", "1 > CALL\n1 >injected CALL\n2 < RESULT\n3 < RESULT", counted{1, 1, 0, 0}},
		{"the same id again", "1 > CALL\n2 > CALL\n3 < RESULT", counted{2, 1, 1, 0}},
		{"of a command beside one of the host", "1 > CALL\n2 >attached CALL\n3 < RESULT\n4 <attached RESULT", counted{2, 2, 0, 0}},
		{"the tap's own", "1 >own CALL\n2 <own RESULT", counted{}},
		{"a malformed response", `1 > CALL` + "\n" + `2 < {"jsonrpc":"2.0","id":5}`, counted{1, 1, 1, 0}},
		{"in a batch", "1 > [CALL]\n2 < [RESULT]", counted{1, 1, 0, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			events := strings.NewReplacer("CALL", call, "RESULT", result, "FAILURE", failure,
				"CANCEL", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`,
				"TIMEOUT", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"timed out"}}`).Replace(tt.events)
			if got := countedIn(t, events); got != tt.want {
				t.Errorf("%+v, want %+v\n%s", got, tt.want, events)
			}
		})
	}
}

// Whatever a recording has, there are never more responses or failures than requests.
func TestOutcomes_NeverMoreFailuresThanRequests(t *testing.T) {
	sides := []string{"", "", "injected", "withheld", "attached", "own"}
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		for i := range 60 {
			id, side := random.IntN(4), sides[random.IntN(len(sides))]
			event := cmp.Or(map[int]string{
				0: fmt.Sprintf(`<%s {"jsonrpc":"2.0","id":%d,"result":{"isError":true}}`, side, id),
				1: fmt.Sprintf(`<%s {"jsonrpc":"2.0","id":%d,"error":{"code":-1,"message":""}}`, side, id),
				2: fmt.Sprintf(`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id),
				3: fmt.Sprintf("closed %d", 1+i/20), 4: fmt.Sprintf("opened %d", 1+i/20),
				5: fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d}`, id),
				6: `< {"jsonrpc":"2.0","error":{"code":-1,"message":""}}`,
			}[random.IntN(14)], fmt.Sprintf(`>%s {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, side, id))
			fmt.Fprintf(&b, "%d %s\n", i, event)
		}
		if c := countedIn(t, b.String()); c.answered > c.requests || c.failed > c.requests || c.own > c.answered || c.failed < 0 {
			t.Errorf("seed %d: %+v\n%s", seed, c, b.String())
		}
	}
}

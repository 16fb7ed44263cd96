package flow

import (
	"math/rand/v2"
	"testing"

	"mcptea/client/transport"
)

// What is left of requests is found as long as they are among the newest, whatever came
// before and between.
func TestRests_Newest(t *testing.T) {
	const most = 1000
	r := newestIDs{max: most}
	newest := map[uint64]int32{}
	var order []uint64
	random := rand.New(rand.NewPCG(1, 2))
	for row := range int32(20_000) {
		key := random.Uint64N(3*most) << 50 // of many the lower or the upper bits are the same
		if row%2 == 0 {
			key >>= 50
		}
		r.put(key, rest{Ref: transport.RefTo(row, 0)})
		if row%3 == 0 {
			r.put(key, rest{Ref: transport.RefTo(row, 0), state: Answered})
		}
		newest[key], order = row, append(order, key)
		if row%500 != 0 {
			continue
		}
		for i, key := range order {
			v, ok := r.get(key)
			switch {
			case ok && v.Row() != newest[key], !ok && i >= len(order)-most:
				t.Fatalf("after row %d the request of row %d is found as %v, %t", row, newest[key], v, ok)
			case ok && (v.state == Answered) != (v.Row()%3 == 0):
				t.Fatalf("the state of row %d is %v", v.Row(), v.state)
			}
		}
	}
	if _, ok := r.get(order[0]); len(r.list) != most || ok && newest[order[0]] == 0 {
		t.Errorf("%d requests are kept", len(r.list))
	}
}

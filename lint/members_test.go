package lint

import (
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/record"
)

// A rule sees the same members, whether they were found ahead or not.
func TestLookAhead_SameMembers(t *testing.T) {
	many := `{"a":1` + strings.Repeat(`,"b":2`, maxMembers) + `}`
	for object, ahead := range map[string]bool{
		`{"name":"echo","arguments":{"x":[1,2]},"_meta":{"progressToken":1}}`: true,
		` { "a" : 1 , "a" : "two" } `:                                         true,
		`{"a":1,"é":"ü"}`:                                                     true,
		`{"a":1,"n\u0061me":"x"}`:                                             false,
		`{"":1,"a":2}`:                                                        false,
		`{}`:                                                                  false,
		`[{"a":1}]`:                                                           false,
		`null`:                                                                false,
		many:                                                                  false,
	} {
		for _, frame := range []string{`{"jsonrpc":"2.0","id":1,"method":"m","params":` + object + `}`, `{"jsonrpc":"2.0","id":1,"result":` + object + `}`} {
			e := record.Event{Kind: record.KindFrame}
			e.Frame.Bytes = []byte(frame)
			e.Frame.Envelope = jsonrpc.Scan(e.Frame.Bytes)
			m := &Message{Envelope: e.Frame.Envelope}
			raw := m.Envelope.Params.Of(e.Frame.Bytes)
			if raw == nil {
				raw = m.Envelope.Result.Of(e.Frame.Bytes)
			}
			before := []jsonrpc.Span{{Start: 1, End: 2}}
			parts := LookAhead(&e, before)[len(before):]
			if got := len(parts) > 0; got != ahead {
				t.Errorf("%s: found ahead: %v", frame, got)
			}
			var found, scanned objects
			found.know(e.Frame.Bytes, raw, parts)
			a, b := found.members(raw), scanned.members(raw)
			if len(a.members) != len(b.members) || a.long != b.long {
				t.Fatalf("%s: %d members ahead, %d scanned", frame, len(a.members), len(b.members))
			}
			for i := range a.members {
				if string(a.members[i].name) != string(b.members[i].name) || string(a.members[i].value) != string(b.members[i].value) {
					t.Errorf("%s: member %q is %s ahead, %q is %s scanned", frame, a.members[i].name, a.members[i].value, b.members[i].name, b.members[i].value)
				}
			}
		}
	}
}

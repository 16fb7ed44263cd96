package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// roots is the root of each row, as numbers.
func roots(s *Store) string {
	var text []string
	for _, root := range s.Roots(nil, 0, s.Snapshot().Rows) {
		text = append(text, fmt.Sprint(root))
	}
	return strings.Join(text, " ")
}

func TestRoot_OfWhatBelongsToARequest(t *testing.T) {
	const (
		task  = `{"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"t1","status":"working"}}`
		asks  = `"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{}}},"requestState":"s%d"}}`
		again = `"method":"tools/call","params":{"name":"ask","inputResponses":{"a":{}},"requestState":"s%d"}}`
	)
	for _, tt := range []struct {
		name, want string
		newest     int32 // of row 0
		frames     []string
	}{
		{"progress", "0 0 0 3", None, []string{
			`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"progressToken":7}}}`,
			`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`,
			`< {"jsonrpc":"2.0","id":1,"result":{}}`, `> {"jsonrpc":"2.0","id":2,"method":"ping"}`,
		}},
		{"a cancellation", "0 0", 1, []string{
			`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`, `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		}},
		{"a request of the server", "0 0 0 0", 1, []string{
			`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`, `< {"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`,
			`> {"jsonrpc":"2.0","id":1,"result":{}}`, `< {"jsonrpc":"2.0","id":1,"result":{}}`,
		}},
		{"a task", "0 0 0 0 4", 2, []string{
			`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brew"}}`, `< ` + task,
			`> {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"t1"}}`, `< {"jsonrpc":"2.0","id":2,"result":{"taskId":"t1","status":"working"}}`,
			`> {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"other"}}`,
		}},
		{"rounds of input", "0 0 0 0 0 0", 4, []string{
			`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}`, `< {"jsonrpc":"2.0","id":1,` + fmt.Sprintf(asks, 1),
			`> {"jsonrpc":"2.0","id":2,` + fmt.Sprintf(again, 1), `< {"jsonrpc":"2.0","id":2,` + fmt.Sprintf(asks, 2),
			`> {"jsonrpc":"2.0","id":3,` + fmt.Sprintf(again, 2), `< {"jsonrpc":"2.0","id":3,"result":{"content":[]}}`,
		}},
		{"another call with that name", "0 0 2", None, []string{
			`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}`, `< {"jsonrpc":"2.0","id":1,` + fmt.Sprintf(asks, 1),
			`> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}`,
		}},
		{"a batch of a response and a request", "0 0 2 0", None, []string{
			`> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `< [{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":5,"method":"roots/list"}]`,
			`> {"jsonrpc":"2.0","id":2,"method":"ping"}`, `> {"jsonrpc":"2.0","id":5,"result":{"roots":[]}}`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := create(t)
			before := ""
			for _, line := range tt.frames {
				if dir, frame, _ := strings.Cut(line, " "); dir == ">" {
					out(s, frame)
				} else {
					in(s, frame)
				}
				if now := roots(s); !strings.HasPrefix(now, before) {
					t.Errorf("the roots were %s and are %s", before, now)
				} else {
					before = now
				}
			}
			first, _ := s.Row(0)
			if got := roots(s); got != tt.want || first.Newest(0) != tt.newest {
				t.Errorf("roots %s, newest %d; want %s, %d", got, first.Newest(0), tt.want, tt.newest)
			}
		})
	}
}

func TestRoot_KnowsOtherResponses(t *testing.T) {
	s := create(t)
	call := func(id int) int32 {
		return out(s, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, id))
	}
	response := func(id int) { in(s, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id)) }
	once, twice, late := call(1), call(2), call(3)
	response(1)
	response(2)
	response(2)
	out(s, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	response(3)
	for row, want := range map[int32]bool{once: false, twice: true, late: true} {
		if r, _ := s.Row(row); r.HasOtherResponse() != want {
			t.Errorf("row %d: %v", row, !want)
		}
	}
}

func TestRow_AsksInput(t *testing.T) {
	s := create(t)
	out(s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`)
	asks := in(s, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{}}}`)
	out(s, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}`)
	says := in(s, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"inputRequests, requestState"}],"structuredContent":{"inputRequests":{}}}}`)
	for row, want := range map[int32]bool{asks: true, says: false} {
		if r, _ := s.Row(row); r.AsksInput() != want {
			t.Errorf("row %d: %v", row, !want)
		}
	}
}

// Whatever the two sides send: the root of a row is an earlier one, has none itself, and stays.
func TestRoot_StaysWhateverIsSent(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		s := create(t)
		message := func() string {
			id := random.IntN(4)
			switch random.IntN(6) {
			case 0:
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a","requestState":"%d","_meta":{"progressToken":%d}}}`, id, random.IntN(3), id)
			case 1:
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tasks/get","params":{"taskId":"%d"}}`, id, random.IntN(3))
			case 2:
				return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
			case 3:
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"taskId":"%d"}}`, id, random.IntN(3))
			case 4:
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"inputRequests":{},"requestState":"%d"}}`, id, random.IntN(3))
			}
			return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`, id)
		}
		var before []int32
		for range 200 {
			text := message()
			if random.IntN(5) == 0 {
				text = "[" + text + "," + message() + "]"
			}
			raw := []byte(text)
			s.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Dir: transport.Direction(random.IntN(2)), Ending: "\n"})
			now := s.Roots(nil, 0, s.Snapshot().Rows)
			for i, root := range now {
				if i < len(before) && before[i] != root || root > int32(i) || s.Root(root) != root {
					t.Fatalf("seed %d: after %s the root of row %d is %d", seed, text, i, root)
				}
			}
			before = now
		}
	}
}

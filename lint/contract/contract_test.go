package contract_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/lint/contract"
	"mcptea/record"
)

// recorded is what a judge says of a session. Each line is a frame, after the seconds since the
// one before: "> " is of the client, "< " of the server. "held 3s N" holds the frame with the
// number N, "closed" closes the connection, "gap" says that frames are missing. Before "> ",
// "app" is a request for an app, "attached" one of a command over --attach.
func recorded(t *testing.T, terms contract.Terms, text string) (found, unjudged []string) {
	t.Helper()
	j := contract.New(&terms, func(f lint.Finding) {
		text := fmt.Sprintf("%d %s %s", f.Row, f.Rule.ID, f.Message)
		if by := f.Document(0).By; by != "" {
			text += " (" + by + ")"
		}
		found = append(found, text)
	})
	at := time.Unix(1_800_000_000, 0)
	j.Event(&record.Event{Kind: record.KindConnection, Time: at, Connection: &record.Connection{What: record.ConnectionOpened, Number: 1, Transport: "stdio"}}, 1)
	line := int32(1)
	for row := range strings.Lines(strings.TrimSpace(text)) {
		line++
		var seconds int
		row = strings.TrimSpace(row)
		if n, rest, ok := strings.Cut(row, "s "); ok && n[0] >= '0' && n[0] <= '9' {
			_, _ = fmt.Sscan(n, &seconds)
			row = rest
		}
		at = at.Add(time.Duration(seconds) * time.Second)
		e := record.Event{Time: at}
		switch {
		case row == "closed":
			e.Kind, e.Connection = record.KindConnection, &record.Connection{What: record.ConnectionClosed, Number: 1}
		case row == "gap":
			e.Kind, e.Text = record.KindNote, record.NotComplete+", its temporary storage was full"
		case strings.HasPrefix(row, "held"):
			e.Kind, e.Change = record.KindChange, &record.Change{What: record.Forwarded}
			if _, err := fmt.Sscanf(row, "held %ds %d", &seconds, &e.Change.Row); err != nil {
				t.Fatal(row, err)
			}
			e.Change.Held = time.Duration(seconds) * time.Second
		default:
			from, text, _ := strings.Cut(row, " ")
			body := []byte(text)
			e.Kind, e.Frame = record.KindFrame, transport.Frame{Bytes: body, Envelope: jsonrpc.Scan(body), Time: at, Dir: transport.Out}
			switch from {
			case "<":
				e.Frame.Dir = transport.In
			case "app>":
				e.Frame.Cause = transport.RefTo(0, 0)
			case "attached>":
				e.Frame.Side = transport.Attached
			}
		}
		j.Event(&e, line)
	}
	return found, texts(j.End(true))
}

func texts(unjudged []contract.Unjudged) (texts []string) {
	for _, u := range unjudged {
		texts = append(texts, u.Text)
	}
	return texts
}

const session = `
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get/a"}}
2s < {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"delete"}}
held 5s 2
5s < {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"\u0061sk"}}
1s < {"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{}}
90s > {"jsonrpc":"2.0","id":"e","result":{"action":"accept"}}
2s < {"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"no"}}
> {"jsonrpc":"2.0","id":4,"method":"prompts/list"}
`

func TestContract_Judge_Session(t *testing.T) {
	for _, tt := range []struct {
		name  string
		terms contract.Terms
		tail  string
		want  []string // findings, then what is not judged
	}{
		{"what was called", contract.Terms{Expected: []string{"get*", "ask"}}, "closed", nil},
		{"what was not called", contract.Terms{Expected: []string{"put"}}, "closed", []string{`0 contract-expect No call of a tool matches "put"; the recording has 3 calls of other tools.`}},
		{"a gap before the end", contract.Terms{Expected: []string{"put"}}, "gap\nclosed", []string{"--expect-tool put is not judged: the recording is incomplete: missing frames may have been sent"}},
		{"cut off", contract.Terms{Expected: []string{"put", "ask"}, NoPending: true}, "", []string{
			"--expect-tool put is not judged: the recording is incomplete: missing frames may have been sent",
			"--no-pending is not judged: the recording is incomplete: missing frames may have been sent",
		}},
		{"forbidden", contract.Terms{Forbidden: []string{"delete", "put*"}}, "", []string{`4 contract-forbid "delete" was called; --forbid-tool delete forbids it.`}},
		{"nothing forbidden", contract.Terms{Forbidden: []string{"del", "*elete*x"}}, "closed", nil},
		// The breakpoint held the call of delete, and the user was asked in that of ask.
		{"duration", contract.Terms{MaxDuration: 3 * time.Second}, "closed", nil},
		{"too long", contract.Terms{MaxDuration: 1900 * time.Millisecond}, "closed", []string{`7 contract-duration The longest call took 3 s, of "ask"; at most 1.9 s are allowed. 2 of 3 calls took longer.`}},
		{"as often as allowed", contract.Terms{MaxCalls: []contract.Limit{{Calls: 3}, {Tool: "*a*", Calls: 2}}}, "closed", nil},
		{"too often", contract.Terms{MaxCalls: []contract.Limit{{Calls: 2}, {Tool: "delete", Calls: 0}}}, "closed", []string{
			"7 contract-calls Tools were called 3 times; --max-calls allows 2.",
			`4 contract-calls "delete" was called 1 time; --max-calls allows 0.`,
		}},
		{"pending", contract.Terms{NoPending: true}, "closed", []string{"0 contract-pending prompts/list with the id 4 has no response at the end."}},
		{"a method that is the name of a value", contract.Terms{NoPending: true}, `> {"jsonrpc":"2.0","id":5,"method":"id"}` + "\nclosed", []string{
			"0 contract-pending prompts/list with the id 4 has no response at the end.", "0 contract-pending id with the id 5 has no response at the end.",
		}},
		{"cancelled", contract.Terms{NoPending: true}, `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4.0}}` + "\nclosed", nil},
		{"nothing pending", contract.Terms{NoPending: true}, `< {"jsonrpc":"2.0","id":4,"result":{"prompts":[]}}` + "\nclosed", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, unjudged := recorded(t, tt.terms, session+tt.tail)
			if got, want := strings.Join(append(found, unjudged...), "\n"), strings.Join(tt.want, "\n"); got != want {
				t.Errorf("said\n%s\nexpected\n%s", got, want)
			}
		})
	}
}

// Calls of every caller count, and a finding says who has made them.
func TestContract_Judge_CallsOfOthers(t *testing.T) {
	app := `app> {"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"put"}}` + "\n"
	command := `attached> {"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"put"}}` + "\n"
	another := strings.Replace(command, "12", "13", 1)
	slow := `9s < {"jsonrpc":"2.0","id":%d,"result":{"content":[]}}` + "\n"
	for _, tt := range []struct {
		name, text string
		terms      contract.Terms
		want       []string
	}{
		{"expected of an app", app, contract.Terms{Expected: []string{"put"}}, nil},
		{"expected of a command", command, contract.Terms{Expected: []string{"put"}}, nil},
		{"forbidden", app + command, contract.Terms{Forbidden: []string{"put"}}, []string{
			`2 contract-forbid "put" was called by an app; --forbid-tool put forbids it. (app)`,
			`3 contract-forbid "put" was called by a command over --attach; --forbid-tool put forbids it. (attached)`,
		}},
		{"one too many", command, contract.Terms{MaxCalls: []contract.Limit{{Tool: "put"}}}, []string{`2 contract-calls "put" was called 1 time, by a command over --attach; --max-calls allows 0. (attached)`}},
		{"all of commands", command + another, contract.Terms{MaxCalls: []contract.Limit{{Calls: 1}}}, []string{`3 contract-calls Tools were called 2 times (over --attach 2); --max-calls allows 1. (attached)`}},
		{"of all three", session + app + command + another, contract.Terms{MaxCalls: []contract.Limit{{Calls: 3}}}, []string{`12 contract-calls Tools were called 6 times (by apps 1, over --attach 2); --max-calls allows 3. (app)`}},
		{"none of those expected", session + app, contract.Terms{Expected: []string{"x"}}, []string{`0 contract-expect No call of a tool matches "x"; the recording has 4 calls of other tools (by apps 1).`}},
		{"too long", app + fmt.Sprintf(slow, 11), contract.Terms{MaxDuration: time.Second}, []string{`2 contract-duration The longest call took 9 s, of "put", called by an app; at most 1 s are allowed. 1 of 1 calls took longer. (app)`}},
		{"too long of a command", command + fmt.Sprintf(slow, 12), contract.Terms{MaxDuration: time.Second}, []string{`2 contract-duration The longest call took 9 s, of "put", called by a command over --attach; at most 1 s are allowed. 1 of 1 calls took longer. (attached)`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, _ := recorded(t, tt.terms, tt.text+"closed")
			if got, want := strings.Join(found, "\n"), strings.Join(tt.want, "\n"); got != want {
				t.Errorf("said\n%s\nexpected\n%s", got, want)
			}
		})
	}
}

// A file of frames has no times, and no end.
func TestContract_Judge_FramesWithoutTimes(t *testing.T) {
	var found []string
	j := contract.New(&contract.Terms{Expected: []string{"put"}, MaxDuration: time.Second}, func(f lint.Finding) { found = append(found, f.Rule.ID) })
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`)
	j.Frame(&transport.Frame{Bytes: body, Envelope: jsonrpc.Scan(body), Dir: transport.Out}, 1)
	if unjudged := texts(j.End(true)); len(found) != 1 || found[0] != "contract-expect" || len(unjudged) != 1 || unjudged[0] != "--max-duration is not judged: the file has no times" {
		t.Errorf("found %v, not judged %v", found, unjudged)
	}
}

// What a peer sends does not make the judge hold more and more.
func TestContract_Judge_Bounds(t *testing.T) {
	found := 0
	j := contract.New(&contract.Terms{MaxDuration: time.Second, NoPending: true}, func(lint.Finding) { found++ })
	const maxOpen, maxPending = 50_000, 100
	for i := range maxOpen + 10 {
		body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, i)
		j.Frame(&transport.Frame{Bytes: body, Envelope: jsonrpc.Scan(body), Dir: transport.Out}, 1)
	}
	unjudged := texts(j.End(true))
	if found != maxPending || len(unjudged) != 2 || unjudged[1] != "--no-pending: 100 requests without a response are listed, and there are more" {
		t.Errorf("%d findings, %v", found, unjudged)
	}

	// Of calls that all took too long, those that were followed are counted.
	longest := ""
	j = contract.New(&contract.Terms{MaxDuration: time.Second}, func(f lint.Finding) { longest = f.Message })
	frame := func(dir transport.Direction, at int64, format string, id int) {
		body := fmt.Appendf(nil, format, id)
		j.Event(&record.Event{Kind: record.KindFrame, Time: time.Unix(at, 0), Frame: transport.Frame{Bytes: body, Dir: dir, Time: time.Unix(at, 0)}}, 1)
	}
	for i := range maxOpen + 10 {
		frame(transport.Out, 1, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, i)
	}
	for i := range maxOpen + 10 {
		frame(transport.In, 9, `{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i)
	}
	if j.End(true); !strings.Contains(longest, "50000 of 50000 calls took longer") {
		t.Error(longest)
	}
}

func TestContract_ParseLimit(t *testing.T) {
	for text, want := range map[string]string{"3": "{ 3}", "a=b=0": "{a=b 0}", "x*=2": "{x* 2}", "": "error", "a=": "error", "-1": "error", "=1": "error", "[=1": "error"} {
		limit, err := contract.ParseLimit(text)
		got := fmt.Sprint(limit)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

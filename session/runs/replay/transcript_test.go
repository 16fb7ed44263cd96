package replay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcptea/internal/test/recordingtest"
	"mcptea/offer/diff"
	"mcptea/session/runs/replay"
)

func read(t *testing.T, conversation string) *replay.Transcript {
	t.Helper()
	return replay.ReadFile(t, recordingtest.File(t, "stdio", conversation))
}

// describe writes a turn in one line, with the numbers of the frames.
func describe(turn *replay.Turn) string {
	numbers := func(rows []int32) string {
		var all []string
		for _, r := range rows {
			all = append(all, fmt.Sprint(r+1))
		}
		return strings.Join(all, ",")
	}
	return fmt.Sprintf("%d %s response %d before %s after %s", turn.Row+1, turn.Method, turn.Response+1, numbers(turn.Before), numbers(turn.After))
}

const conversation = `
> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":7}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"fast"}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}
< {"jsonrpc":"2.0","id":"ask","method":"elicitation/create","params":{}}
> {"jsonrpc":"2.0","id":"ask","result":{"action":"decline"}}
< {"jsonrpc":"2.0","id":3,"result":{}}
< {"jsonrpc":"2.0","id":2,"result":{}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}
> {"jsonrpc":"2.0","id":4,"method":"tools/list"}
< {"jsonrpc":"2.0","id":4,"result":{"tools":[{"name":"slow"}],"nextCursor":"c"}}
> {"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"c"}}
< {"jsonrpc":"2.0","id":5,"result":{"tools":[{"name":"fast"}]}}`

func TestRead_Turns(t *testing.T) {
	turns := read(t, conversation)
	var got []string
	for i := range turns.Turns {
		got = append(got, describe(&turns.Turns[i]))
	}
	want := []string{
		"1 initialize response 2 before  after ",
		"3 notifications/initialized response 0 before  after 4",
		"5 tools/call response 11 before 7 after 12",
		"6 tools/call response 10 before 8 after ",
		"13 tools/list response 14 before  after ",
		"15 tools/list response 16 before  after ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the turns are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestServer_PagesOfLists(t *testing.T) {
	s, err := read(t, conversation).Server()
	if err != nil || s.Revision != "" && s.Revision != "2025-06-18" || string(s.Capabilities) != `{"tools":{}}` || string(s.Info) != `{"name":"s"}` {
		t.Errorf("%+v, %v", s, err)
	}
	if list := s.Lists["tools"]; len(list) != 2 || string(list[1]) != `{"name":"fast"}` {
		t.Errorf("the tools are %s", list)
	}
	if _, ok := s.Lists["prompts"]; ok {
		t.Error("a list that was not requested is not absent")
	}
}

func TestAlign(t *testing.T) {
	old := read(t, `
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":1}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","arguments":{"n":2}}}
> {"jsonrpc":"2.0","id":4,"method":"ping"}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"c","_meta":{"progressToken":5}}}`)
	now := read(t, `
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"c","_meta":{"progressToken":1}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"arguments":{"n":2},"name":"a"}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a","arguments":{"n":3}}}
> {"jsonrpc":"2.0","id":4,"method":"prompts/list"}
> {"jsonrpc":"2.0","id":5,"method":"ping"}`)
	pairs := replay.Align(old, now)
	number := func(turn *replay.Turn) int32 {
		if turn == nil {
			return 0
		}
		return turn.Row + 1
	}
	var got []string
	for _, p := range pairs {
		got = append(got, fmt.Sprintf("%d-%d", number(p.Old), number(p.New)))
	}
	// 3 has the same arguments as 2, and 1 is the remaining call of the same tool.
	if want := "2-0 5-1 3-2 1-3 0-4 4-5"; strings.Join(got, " ") != want {
		t.Errorf("the pairs are %s, want %s", strings.Join(got, " "), want)
	}
}

// Of very many differences the details are left out.
func TestCompare_BoundsTheDetails(t *testing.T) {
	var old, now strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&old, "> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"m\",\"params\":{\"n\":%d}}\n< {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"v\":1}}\n", i, i, i)
		fmt.Fprintf(&now, "> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"m\",\"params\":{\"n\":%d}}\n< {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"v\":2}}\n", i, i, i)
	}
	all, err := replay.Compare(t.Context(), read(t, old.String()), read(t, now.String()), diff.Options{})
	if err != nil || len(all) != 1200 {
		t.Fatalf("%d differences, %v", len(all), err)
	}
	if d := all[999]; d.Note != "" || len(d.Rows) == 0 || len(d.Differences) != 1 {
		t.Errorf("the thousandth is %+v", d)
	}
	if d := all[1000]; d.Note != "1 difference" || d.Rows != nil || d.More != 1 {
		t.Errorf("the next is %+v", d)
	}
}

// Of many batches some are named.
func TestRead_MaxUnread(t *testing.T) {
	for batches, want := range map[int]int{20: 20, 21: 20} {
		unread := read(t, strings.Repeat("< [{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}]\n", batches)).Unread
		if len(unread) != want || unread[want-1] != "frame 20 is a batch and was left out" {
			t.Errorf("of %d batches %d are named: %q", batches, len(unread), unread)
		}
	}
}

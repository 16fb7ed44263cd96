package timeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/ui/keys"
)

func TestFold_HidesServerRequests(t *testing.T) {
	r := newRig(t)
	summarize(r)
	r.read()
	r.p.Select(5) // the progress notification of the call
	r.refresh()
	if row := r.p.Selected(); row != 2 {
		t.Fatalf("selected row %d", row)
	}
	r.do("fold.toggle")
	if screen := r.screen(120, 30); strings.Contains(screen, "└ sampling") || !strings.Contains(screen, "▸ tools/call summarize") {
		t.Errorf("it is not folded:\n%s", screen)
	}
	r.p.Motion(keys.Down)
	if row := r.p.Selected(); row != 7 {
		t.Errorf("down goes to row %d", row)
	}
}

// Equal calls after one another are one row, from the begin of the first one to the end of the last
// one; space shows them one by one, and an error among them is found.
func TestFold_EqualCallsAreOneRow(t *testing.T) {
	r := newRig(t)
	for id := range 50 {
		r.frame(transport.Out, time.Duration(id)*time.Millisecond, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"slow-answer"}}`, id))
	}
	r.frame(transport.Out, time.Second, `{"jsonrpc":"2.0","id":50,"method":"ping"}`)
	for id := range 50 {
		text := `{"jsonrpc":"2.0","id":%d,"result":{}}`
		if id == 30 {
			text = `{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":"no"}}`
		}
		r.frame(transport.In, 3*time.Second, fmt.Sprintf(text, id))
	}
	r.read()
	row := r.row(r.screen(120, 30), "50 × tools/call slow-ans")
	if !strings.Contains(row, "✗ 1") || !strings.Contains(row, " 3,000 ") || strings.Count(r.screen(120, 30), "tools/call slow-ans") != 1 {
		t.Errorf("the row is %q:\n%s", row, r.screen(120, 30))
	}
	r.p.Motion(keys.Top)
	r.row(r.screen(120, 30), "0 slow-answer  1 of 50 ─") // whose parts are in the box
	r.p.Motion(keys.Down)
	if r.p.Selected() != 50 {
		t.Errorf("down goes to row %d", r.p.Selected())
	}
	r.p.Motion(keys.Top)
	r.do("fold.toggle")
	if screen := r.screen(120, 60); strings.Contains(screen, "50 ×") || strings.Count(screen, "tools/call slow-answer") < 30 {
		t.Errorf("it is not unfolded:\n%s", screen)
	}
	r.do("fold.toggle")
	r.row(r.screen(120, 30), "50 × tools/call slow-ans")
	if r.do("match.next"); r.p.Selected() != 30 {
		t.Errorf("the error is at row 30, selected is %d", r.p.Selected())
	}
}

func TestFilter_RequestOrResponse(t *testing.T) {
	r := newRig(t)
	summarize(r)
	r.read()
	r.filter.Set("code:-32603")
	screen := r.screen(120, 16)
	if !strings.Contains(screen, "broken") || strings.Contains(screen, "summarize") {
		t.Errorf("the filter shows the wrong requests:\n%s", screen)
	}
	if a := r.do("frame.open"); a != "whole 7" {
		t.Errorf("%#v", a)
	}
	r.p.Motion(keys.Back)
	if screen := r.screen(120, 16); !strings.Contains(screen, "summarize") {
		t.Errorf("the filter is still in force:\n%s", screen)
	}
}

// The timeline has the requests of the exchanges that the list has: a word that is excluded is in neither
// of their frames, and two words may be in different ones.
func TestFilter_AsksTheExchange(t *testing.T) {
	r := newRig(t)
	for i, body := range []string{`"result":{"a":"kettle"}`, `"result":{"a":"cup"}`, `"error":{"code":1,"message":"kettle is broken"}`} {
		r.frame(transport.Out, time.Duration(i)*time.Second, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"tool%d"}}`, i, i))
		r.frame(transport.In, time.Duration(i)*time.Second+time.Millisecond, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i, body))
	}
	r.read()
	for filter, want := range map[string]string{"-kettle": "1", "tool0 kettle": "0", "kettle": "0 2", "tool2 -cup": "2", "cup or broken": "1 2", "tool1 kettle": ""} {
		r.filter.Set(filter)
		r.refresh()
		_, screen, _ := strings.Cut(r.screen(120, 16), "\n") // the filter is in the first line
		var got []string
		for i := range 3 {
			if strings.Contains(screen, fmt.Sprint("tool", i, " ")) {
				got = append(got, fmt.Sprint(i))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q shows %v, not %s:\n%s", filter, got, want, screen)
		}
	}
}

// A filter that takes several looks keeps the selected request, or the next one that passes.
func TestFilter_SelectionIsKept(t *testing.T) {
	r := newRig(t)
	for i := range 20_000 {
		method := []string{"ping", "tools/list"}[i%2]
		r.frame(transport.Out, time.Duration(i)*time.Millisecond, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, i, method))
		r.frame(transport.In, time.Duration(i)*time.Millisecond, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
	}
	r.read()
	for _, tc := range []struct {
		filter string
		want   int32
	}{{"tools/list", 32_002}, {"ping", 32_000}, {"tools/list", 32_002}} {
		r.filter.Set("")
		r.refresh()
		r.p.Select(32_000) // the request 16,000, a ping
		r.refresh()
		r.filter.Set(tc.filter)
		r.refresh()
		if got := r.p.Selected(); got != tc.want {
			t.Errorf("%q: row %d is selected, want %d", tc.filter, got, tc.want)
		}
		r.p.Motion(keys.Back)
		r.refresh()
		if got := r.p.Selected(); got != tc.want {
			t.Errorf("%q is cleared: row %d is selected, want %d", tc.filter, got, tc.want)
		}
	}
}

// The bar of a run shows when its requests were, and its figure says that it is a span.
func TestFold_BarShowsTheRequests(t *testing.T) {
	r := newRig(t)
	for id := range 6 {
		at := time.Duration(id) * time.Second
		r.frame(transport.Out, at, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
		r.frame(transport.In, at+10*time.Millisecond, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id))
	}
	r.read()
	row := r.row(r.screen(120, 30), "6 × ping")
	if strings.Count(row, "━") < 6 || strings.Count(row, "─") < 20 || !strings.Contains(row, "span 5,010") {
		t.Errorf("the row is %q", row)
	}
}

// The search for an error enters what is folded under a call, in both directions, and goes on where it
// has stopped.
func TestNextError_EntersFolded(t *testing.T) {
	const ms = time.Millisecond
	for _, id := range []string{"match.next", "match.previous"} {
		r := newRig(t)
		r.frame(transport.Out, 0, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		r.frame(transport.In, 1*ms, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		r.frame(transport.Out, 2*ms, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"long"}}`)
		r.frame(transport.In, 3*ms, `{"jsonrpc":"2.0","id":"s1","method":"roots/list"}`)
		r.frame(transport.Out, 4*ms, `{"jsonrpc":"2.0","id":"s1","error":{"code":-32601,"message":"no"}}`)
		r.frame(transport.In, 5*ms, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
		r.frame(transport.Out, 6*ms, `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
		r.frame(transport.In, 7*ms, `{"jsonrpc":"2.0","id":3,"result":{"tools":[]}}`)
		r.read()
		r.p.Motion(keys.Top)
		r.p.Motion(keys.Down)
		r.do("fold.toggle")
		if screen := r.screen(120, 30); strings.Contains(screen, "├ roots/list") || strings.Contains(screen, "└ roots/list") {
			t.Fatalf("it is not folded:\n%s", screen)
		}
		if r.p.Motion(keys.Top); id == "match.previous" {
			r.p.Motion(keys.Bottom)
		}
		if said := r.do(id); said != "" || r.p.Selected() != 3 {
			t.Errorf("%s: %q, row %d", id, said, r.p.Selected())
		}
		r.row(r.screen(120, 30), "└ roots/list")
	}
}

func TestNextError_GoesOn(t *testing.T) {
	r := newRig(t)
	for i := range maxSeek + 10 {
		r.frame(transport.Out, time.Duration(i)*time.Millisecond, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
	}
	r.frame(transport.In, time.Hour, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":"no"}}`, maxSeek+9))
	r.read()
	r.p.Motion(keys.Top)
	if said := r.do("match.next"); !strings.Contains(said, "No error in 20,000 requests: n looks on from here.") || r.p.Selected() != maxSeek {
		t.Errorf("%q, row %d", said, r.p.Selected())
	}
	if said := r.do("match.next"); said != "" || r.p.Selected() != maxSeek+9 {
		t.Errorf("%q, row %d", said, r.p.Selected())
	}
}

func TestNextError(t *testing.T) {
	r := newRig(t)
	summarize(r)
	r.read()
	r.p.Motion(keys.Top)
	if a := r.do("match.next"); a != "" || r.p.Selected() != 7 {
		t.Errorf("%v, row %d", a, r.p.Selected())
	}
	if a := r.do("match.next"); a == "" || r.p.Selected() != 7 {
		t.Errorf("%v, row %d", a, r.p.Selected())
	}
}

package record

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

func TestChange_RoundTrip(t *testing.T) {
	at := time.Unix(1780000000, 5)
	for _, c := range []*Change{
		{Row: 0, What: Forwarded, Breakpoint: 2, Held: 60 * time.Second, Why: "time limit"},
		{Row: 7, What: Edited, Breakpoint: 1, Held: time.Second, Sent: [][]byte{[]byte(`{"a":"<é & \u0000>"}`)}},
		{Row: 7, What: Edited, Received: []byte("not \xff UTF-8\r\n")},
		{Row: 7, What: Edited, Received: []byte{}, Sent: [][]byte{}},
		{Row: 1<<31 - 2, What: Dropped, Sent: [][]byte{}},
		{Row: 3, What: ByFault, Faults: []string{"cut", "delay"}, Sent: [][]byte{[]byte("a\nb"), {0xff}, {}}},
		{Row: 3, What: Duplicated, Sent: [][]byte{[]byte("[1]"), []byte("[1]")}},
		{Row: 3, What: AnsweredByHand, Sent: [][]byte{}},
		{Row: 3, What: Delayed, Held: 1},
		{Row: 3, What: Added},
	} {
		line := AppendEvent(nil, 4, &Event{Kind: KindChange, Time: at, Change: c})
		var d Decoder
		e, err := d.Decode(line)
		if err != nil || e.Kind != KindChange || e.Seq != 4 || !e.Time.Equal(at) || !reflect.DeepEqual(e.Change, c) {
			t.Errorf("%s is read as %+v, %v", line, e.Change, err)
		}
	}
}

func TestChange_Unreadable(t *testing.T) {
	for _, line := range []string{
		`{"s":1,"t":1,"k":"change","what":"edited"}`,
		`{"s":1,"t":1,"k":"change","row":0,"what":"edited"}`,
		`{"s":1,"t":1,"k":"change","row":2147483648,"what":"edited"}`,
		`{"s":1,"t":1,"k":"change","row":1,"what":""}`,
		`{"s":1,"t":1,"k":"change","row":1,"what":"nonsense"}`,
		`{"s":1,"t":1,"k":"change","row":1,"what":"edited","received":7}`,
		`{"s":1,"t":1,"k":"change","row":1,"what":"edited","sent":[["!"]]}`,
	} {
		var d Decoder
		if e, err := d.Decode([]byte(line)); err == nil {
			t.Errorf("%s is read as %+v", line, e.Change)
		}
	}
}

func TestFrame_Side(t *testing.T) {
	body := []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	for _, side := range []transport.Side{transport.Both, transport.Injected, transport.Withheld} {
		line, _ := AppendFrame(nil, 1, 0, &transport.Frame{Bytes: body, Envelope: jsonrpc.Scan(body), Ending: "\n", Note: transport.Note{Side: side}})
		var d Decoder
		if e, err := d.Decode(line); err != nil || e.Frame.Side != side || string(e.Frame.Bytes) != string(body) {
			t.Errorf("%s is read as side %q, %v", line, e.Frame.Side, err)
		}
	}
	if s := transport.ParseSide("of a newer version"); s != transport.Both {
		t.Errorf("an unknown side is %q", s)
	}
}

func TestDrift_RoundTrip(t *testing.T) {
	at := time.Unix(1780000000, 5)
	line := AppendEvent(nil, 4, &Event{Kind: KindDrift, Time: at, Text: "tools echo changed", Drift: &Drift{Row: 6}})
	var d Decoder
	e, err := d.Decode(line)
	if err != nil || e.Kind != KindDrift || e.Text != "tools echo changed" || e.Drift.Row != 6 {
		t.Errorf("%s is read as %+v, %v", line, e, err)
	}
	if row, ok := e.About(); !ok || row != 6 {
		t.Errorf("it is about row %d, %v", row, ok)
	}
}

// A delivery is read as written; a program that does not know the kind leaves it out, and the rows stay
// the same.
func TestDelivery_RoundTrip(t *testing.T) {
	at := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	for _, want := range []Delivery{
		{Callback: "https://a/b", Message: "evt_1", Timestamp: "1", Signature: "v1,x", Subscription: "sub", ContentType: "application/json", Status: 200, What: "event", Again: true},
		{Callback: "https://a/b", Status: 401, Trouble: "the signature is hexadecimal"},
		{Callback: "https://a/b", Status: 500, What: "event", Retry: 2, After: 4100 * time.Millisecond, Asked: true, Took: time.Second},
		{Callback: "https://a/b", Status: 200, What: "verification", Asked: true, WrongEcho: true},
		{Callback: "https://a/b", Status: 200, Redirected: true, Method: "GET", Path: "/b/redirected"},
	} {
		for _, body := range []string{`{"eventId":"evt_1"}`, "\xff"} {
			line := AppendEvent(nil, 4, &Event{Kind: KindDelivery, Time: at, Text: body, Delivery: &want})
			var d Decoder
			e, err := d.Decode(bytes.TrimSuffix(line, []byte("\n")))
			if err != nil || e.Kind != KindDelivery || e.Text != body || *e.Delivery != want || !e.IsRow() {
				t.Errorf("%s: %+v, %v", line, e, err)
			}
			later := bytes.Replace(line, []byte(`"delivery"`), []byte(`"parcel"`), 1)
			if e, err := d.Decode(bytes.TrimSuffix(later, []byte("\n"))); err != nil || e.Kind != KindUnknown || e.IsRow() {
				t.Errorf("%s: %+v, %v", later, e, err)
			}
		}
	}
}

// What a delivery was and how it was answered is told with what is cut last at its begin.
func TestDelivery_Words(t *testing.T) {
	for _, tt := range []struct {
		d              Delivery
		line, response string
		method, url    string
	}{
		{Delivery{Callback: "https://a/b", Status: 200, What: "event", Signed: SignedBoth, Again: true}, "200  verified with both secrets, received before", "", "POST", "https://a/b"},
		{Delivery{Callback: "https://a/b", Status: 500, What: "event", Signed: SignedCurrent, Asked: true, Retry: 2, After: 4100 * time.Millisecond}, "500  retry 2 after 4.1 s  refused, as asked  verified", "refused, as asked\n", "POST", "https://a/b"},
		{Delivery{Callback: "https://a/b", Status: 307, What: "event", Signed: SignedCurrent, Asked: true}, "307  redirected, as asked  verified", "redirected, as asked\n", "POST", "https://a/b"},
		{Delivery{Callback: "https://a/b", Status: 200, Method: "GET", Path: "/b/redirected", Redirected: true}, "200  by the requested redirect", "", "GET", "https://a/b/redirected"},
		{Delivery{Callback: "https://a/b", Status: 404, Path: "/c", Trouble: "a request is not for the callback"}, "404  a request is not for the callback", "a request is not for the callback\n", "POST", "https://a/c"},
		{Delivery{Callback: "https://a/b", What: "event", Signed: SignedCurrent, Asked: true, Took: 5 * time.Second}, "the sender did not wait for the response, held back for 5 s  verified", "", "POST", "https://a/b"},
	} {
		response, _ := tt.d.Response([]byte(`{"eventId":"e1"}`))
		method, address := tt.d.Request()
		if tt.d.Line() != tt.line || response != tt.response || method != tt.method || address != tt.url {
			t.Errorf("%+v: %q, %q, %s %s", tt.d, tt.d.Line(), response, method, address)
		}
	}
}

// A row says who has changed a frame: the user, or mcptea by itself.
func TestChange_Mark(t *testing.T) {
	for want, c := range map[string]Change{
		"edited, 2 s":       {What: Edited, Breakpoint: 1, Held: 2 * time.Second, Why: "time limit"},
		"edited":            {What: Edited},
		"changed by mcptea": {What: Edited, Why: "mcptea declares listChanged for tools, and sends the notifications"},
	} {
		if got := c.Mark(); got != want {
			t.Errorf("the mark is %q, want %q", got, want)
		}
	}
}

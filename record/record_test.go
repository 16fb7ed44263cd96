package record

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

func frame(b []byte) *transport.Frame {
	return &transport.Frame{
		Bytes: b, Envelope: jsonrpc.Scan(b), Time: time.Unix(1780000000, 5),
		Dir: transport.In, Ending: "\n",
	}
}

func TestFrames_ByteForByte(t *testing.T) {
	frames := []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		` {"jsonrpc" : "2.0","id":"a\"b","result":{"x":1.0e5}}  `,
		`{"jsonrpc":"2.0","id":{"x":1,"n":5,"msg":7},"method":"odd"}`,
		`{"jsonrpc":"2.0","id":",\"n\":1,\"msg\":","error":{"code":-32000,"message":"x"}}`,
		"{\"jsonrpc\":\"2.0\",\n\"id\":1}", "caf\xe9", "", "Server listening", "\xef\xbb\xbf{}", `{"jsonrpc":"2.0"`,
		`[1,2,3]`, "\x00\x1b[31m",
	}
	for _, f := range frames {
		line, p := AppendFrame(nil, 7, 0, frame([]byte(f)))
		if !json.Valid(line) || bytes.Count(line, []byte("\n")) != 1 {
			t.Errorf("%q gives a line that is not JSON: %s", f, line)
			continue
		}
		var d Decoder
		e, err := d.Decode(line)
		if err != nil {
			t.Errorf("%q: %v", f, err)
			continue
		}
		if e.Payload != p {
			t.Errorf("%q: the payload is at %+v, was written at %+v", f, e.Payload, p)
		}
		if string(e.Frame.Bytes) != f || e.Seq != 7 || !e.Time.Equal(time.Unix(1780000000, 5)) {
			t.Errorf("wrote %q, read %q (%+v)", f, e.Frame.Bytes, e)
		}
		if stored := line[p.Offset : p.Offset+p.stored]; !p.Base64 && string(stored) != f {
			t.Errorf("the payload of %q is said to stand at %d: %q", f, p.Offset, stored)
		}
	}
}

func TestLine_HowTheFrameEnded(t *testing.T) {
	f := frame([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	f.Ending, f.Truncated, f.Exchange, f.EventID, f.Cause = "", true, 3, "e1", transport.RefTo(11, 0)
	line, _ := AppendFrame(nil, 1, 0, f)
	var d Decoder
	e, err := d.Decode(line)
	if err != nil || e.Frame.Ending != "" || !e.Frame.Truncated || e.Frame.Exchange != 3 || e.Frame.EventID != "e1" || e.Frame.Cause.Row() != 11 {
		t.Errorf("got %+v, %v", e, err)
	}
}

func TestHeaderRoundTrip(t *testing.T) {
	h := Header{Version: Version, Time: 5, Tool: "mcptea 1", Transport: "stdio", Target: `node "x"`}
	got, err := ParseHeader(AppendHeader(nil, h))
	if err != nil || got != h {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := ParseHeader([]byte(`{"log":{}}`)); err == nil {
		t.Error("another format is taken for a recording")
	}
}

func FuzzFrameRoundTrip(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"n":1,"msg":2}}`), uint8(0))
	f.Add([]byte("text \xff"), uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, bits uint8) {
		in := frame(b)
		in.Truncated = bits&1 != 0
		if bits&2 != 0 {
			in.Ending = "\r\n"
		}
		line, _ := AppendFrame(nil, 1, 0, in)
		var d Decoder
		e, err := d.Decode(line)
		if err != nil || !bytes.Equal(e.Frame.Bytes, b) || e.Frame.Ending != in.Ending || e.Frame.Truncated != in.Truncated {
			t.Fatalf("wrote %q, read %q, %v\n%s", b, e.Frame.Bytes, err, line)
		}
		if !json.Valid(line) {
			t.Fatalf("not JSON: %s", line)
		}
	})
}

func FuzzParse(f *testing.F) {
	line, _ := AppendFrame(nil, 1, 0, frame([]byte(`{"jsonrpc":"2.0","id":1}`)))
	f.Add(line)
	f.Fuzz(func(_ *testing.T, b []byte) {
		var d Decoder
		_, _ = d.Decode(b)
		_, _ = ParseHeader(b)
	})
}

// No number of a foreign recording is outside of what can be painted and summed.
func TestDecode_NumbersAreClamped(t *testing.T) {
	members := []string{"s", "t", "c", "x", "n", "conn", "pid", "code", "start", "repeats", "status", "first", "took", "sent", "received", "events", "retry", "row"}
	heads := []string{
		`"k":"connection","what":"opened"`, `"k":"http","phase":"end","method":"POST"`, `"k":"http","phase":"response"`, `"k":"process","what":"exited"`,
		`"k":"step","step":"x"`, `"k":"auth","step":"x"`, `"k":"mark","marked":true`, `"k":"err"`, `"k":"note"`, `"k":"ended","id":1`, `"k":"in"`,
	}
	for _, n := range []string{"-9223372036854775808", "9223372036854775807", "-1", "0", "4294967296", "1e400", "99999999999999999999999"} {
		for _, head := range heads {
			for _, m := range members {
				var d Decoder
				e, _ := d.Decode([]byte(`{` + head + `,"` + m + `":` + n + `}`))
				durations := map[string]time.Duration{}
				times := map[string]time.Time{"time": e.Time}
				sizes := map[string]int64{"seq": e.Seq}
				if x := e.Exchange; x != nil {
					durations["first"], durations["took"], durations["retry"] = x.FirstByte, x.Took, x.Retry
					times["start"] = x.Start
					sizes["sent"], sizes["received"], sizes["events"], sizes["status"] = x.Sent, x.Received, int64(x.Events), int64(x.Status)
				}
				if e.Step != nil {
					durations["took"] = e.Step.Took
				}
				for name, v := range durations {
					if v < 0 || v > maxTook {
						t.Errorf("%s of %s with %s=%s is %d", name, head, m, n, v)
					}
				}
				for name, v := range times {
					if !v.IsZero() && (v.UnixNano() < 0 || v.UnixNano() > maxTime) {
						t.Errorf("%s of %s with %s=%s is %v", name, head, m, n, v)
					}
				}
				for name, v := range sizes {
					if v < 0 {
						t.Errorf("%s of %s with %s=%s is %d", name, head, m, n, v)
					}
				}
			}
		}
	}
	h, err := ParseHeader([]byte(`{"mcptea":9223372036854775807,"t":-9223372036854775808}`))
	if err != nil || h.Version < 1 || h.Time != 0 {
		t.Errorf("%+v, %v", h, err)
	}
}

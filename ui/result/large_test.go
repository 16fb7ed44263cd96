package result

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"runtime"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/test/raced"
)

// huge is a result with so many megabytes of text.
func huge(megabytes int, line string) client.Response {
	text, _ := json.Marshal(strings.Repeat(line, megabytes<<20/len(line)) + "the end")
	return answer(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + string(text) + `}]}}`)
}

func TestHugeTexts(t *testing.T) {
	for name, line := range map[string]string{"lines": "many short lines\n", "one line": "one line without an end "} {
		v := NewBody("tools/call", huge(8, line), nil)
		v.Window().End()
		if got := rows(t, v, 80, 5); !strings.HasSuffix(got[4], "the end") {
			t.Errorf("%s: it ends with %q", name, got[4])
		}
		turn(v, -1)
		if got := rows(t, v, 80, 5)[0]; !strings.Contains(got, line[:8]) {
			t.Errorf("%s: before the end stands %q", name, got)
		}
	}
}

func TestPicture_HugeIsNotDecoded(t *testing.T) {
	header := []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00")
	v := resultOf("tools/call", `{"content":[{"type":"image","data":"`+base64.StdEncoding.EncodeToString(header)+`"}]}`)
	if got := rows(t, v, 60, 2)[0]; got != "image  GIF 65535×65535  13 B" {
		t.Errorf("got %q", got)
	}
}

func TestSwitch_ParsesALargeResultInTheBackground(t *testing.T) {
	frame := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"text":"` + strings.Repeat("x", 2<<20) + `"}}}`)
	v := NewBody("tools/call", client.Response{Frame: frame, Envelope: jsonrpc.Scan(frame)}, nil)
	var work later
	v.Start(work.run)
	if !v.Switch() {
		t.Fatal("there is nothing to switch to")
	}
	if v.Raw() || !v.Busy() {
		t.Error("the JSON is shown before it is parsed")
	}
	work.do()
	if !v.Raw() || v.Tree() == nil {
		t.Error("the JSON is not shown once it is parsed")
	}
	if v.Switch(); v.Raw() {
		t.Error("the JSON is still shown")
	}
	if v.Switch(); !v.Raw() || v.Busy() {
		t.Error("the JSON is parsed again")
	}
}

func TestPicture_LargeIsDecodedInTheBackground(t *testing.T) {
	var data bytes.Buffer
	if err := png.Encode(&data, image.NewGray(image.Rect(0, 0, 600, 600))); err != nil {
		t.Fatal(err)
	}
	v := resultOf("tools/call", `{"content":[{"type":"image","mimeType":"image/png","data":"`+base64.StdEncoding.EncodeToString(data.Bytes())+`"}]}`)
	var work later
	v.Start(work.run)
	if got := screen(t, v, 60, 20); !strings.Contains(got, "decoding the image") {
		t.Errorf("while it is decoded: %s", got)
	}
	work.do()
	if got := screen(t, v, 60, 20); !strings.Contains(got, "▀▀▀") {
		t.Errorf("not shown: %s", got)
	}
}

// A large result is shown like a small one, and searched and copied, without its lines in memory.
func TestView_LargeJSON(t *testing.T) {
	raw := []byte(`{"items":[` + strings.Repeat(`{"id":1234567,"name":"the measurement of something","value":12345.6},`, 40_000) + `{"id":"the last one"}]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b := newJSON(raw)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(len(raw))/10 && !raced.Enabled { // which allocates, too
		t.Errorf("%d bytes of JSON have taken %d bytes", len(raw), took)
	}
	want := strings.Split(b.whole(), "\n")
	if b.lines() != len(want) || len(want) != 5*40_000+7 {
		t.Fatalf("%d lines, %d as text", b.lines(), len(want))
	}
	for _, i := range []int{0, 1, 5, 63, 64, 65, 100_000, 99_999, len(want) - 3, len(want) - 1} {
		if b.line(i) != want[i] {
			t.Errorf("line %d is %q, want %q", i, b.line(i), want[i])
		}
	}
}

// A long text is shown, searched and copied like a short one, without its text in memory.
func TestView_LongText(t *testing.T) {
	line := "the \"measurement\" of something, which is égal\r\n"
	text := strings.Repeat(line, 40_000) + "the last one"
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	frame := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + string(quoted) + `}]}}`)
	answer := client.Response{Frame: frame, Envelope: jsonrpc.Scan(frame)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v := NewBody("tools/call", answer, nil)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(len(text))/10 {
		t.Errorf("%d bytes of text have taken %d bytes", len(text), took)
	}
	if got := screen(t, v, 60, 3); strings.Count(got, `the "measurement" of something, which is égal`) != 3 {
		t.Errorf("the first lines are not shown:\n%s", got)
	}
	v.Search().Open()
	v.Search().Paste("last one")
	for v.Busy() {
	}
	if got := screen(t, v, 60, 3); !strings.Contains(got, "the last one") {
		t.Errorf("the match is not shown:\n%s", got)
	}
	if whole, _ := v.Whole(); whole != text {
		t.Errorf("copied are %d bytes of %d", len(whole), len(text))
	}
}

// The detail of a frame takes its result apart only when that is to be shown.
func TestView_FrameIsTakenApartLate(t *testing.T) {
	frame := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"what it means"}]}}`)
	v := BodyOfFrame("tools/call", client.Response{Frame: frame, Envelope: jsonrpc.Scan(frame)})
	if v.later == nil || !v.Raw() || !strings.Contains(screen(t, v, 60, 12), "jsonrpc") {
		t.Error("the frame is not shown as it was sent, or was taken apart before")
	}
	if !v.Switch() || v.Raw() || !strings.Contains(screen(t, v, 60, 3), "what it means") {
		t.Error("the result is not shown")
	}
	if !v.Switch() || !v.Raw() {
		t.Error("there is no way back")
	}
}

package result

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport/stdio"
	"mcptea/session/session"
	"mcptea/themes"
	"mcptea/ui/paint"
)

var (
	palette = paint.NewPalette(themes.ForBackground(true), false)
	colours = paint.NewJSONStyles(palette.Theme)
)

func answer(frame string) client.Response {
	return client.Response{Frame: []byte(frame), Envelope: jsonrpc.Scan([]byte(frame))}
}

func resultOf(method, raw string) *Body {
	return NewBody(method, answer(`{"jsonrpc":"2.0","id":1,"result":`+raw+`}`), nil)
}

func rows(t testing.TB, v *Body, w, h int) []string {
	t.Helper()
	lines := v.Rows(palette, colours, w, h, true)
	if len(lines) != h {
		t.Errorf("%d rows, want %d", len(lines), h)
	}
	for i, l := range lines {
		if ansi.StringWidth(l) != w {
			t.Errorf("row %d is %d cells wide, want %d: %q", i, ansi.StringWidth(l), w, ansi.Strip(l))
		}
		lines[i] = strings.TrimRight(ansi.Strip(l), " ")
	}
	return lines
}

func screen(t testing.TB, v *Body, w, h int) string {
	t.Helper()
	return strings.TrimRight(strings.Join(rows(t, v, w, h), "\n"), "\n") + "\n"
}

var everything = map[string]struct{ method, result string }{
	"text":       {"tools/call", `{"content":[{"type":"text","text":"The sum of 1 and 2 is 3.\n\nAnd a second paragraph that is a good deal longer than a row of forty cells."}]}`},
	"json":       {"tools/call", `{"content":[{"type":"text","text":"{\"a\":1.50,\"long\":\"words and more words and words without end, until the row is full\",\"list\":[true,null]}"}]}`},
	"error":      {"tools/call", `{"isError":true,"content":[{"type":"text","text":"no such city: Atlantis"}]}`},
	"structured": {"tools/call", `{"content":[{"type":"text","text":"{\"city\":\"Lisbon\", \"unit\":\"celsius\"}"},{"type":"text","text":"and a remark"}],"structuredContent":{"city":"Lisbon","unit":"celsius"}}`},
	"blocks": {"tools/call", `{"content":[{"type":"text","text":"for you","annotations":{"audience":["user","assistant"],"priority":0.8}},` +
		`{"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"audio","mimeType":"audio/wav","data":"no!"},` +
		`{"type":"resource","resource":{"uri":"demo://x","mimeType":"text/x-go","text":"package x\n"}},` +
		`{"type":"resource_link","uri":"demo://go","name":"go","description":"A program","mimeType":"text/x-go","size":2048},` +
		`{"type":"hologram","depth":3},{"text":"no type"},7]}`},
	"hostile":   {"tools/call", `{"content":[{"type":"text\u001b[2J","text":"x"},{"type":"text","text":"a\u001b]0;owned\u0007b\u202ec"}]}`},
	"empty":     {"tools/call", `{"content":[]}`},
	"unknown":   {"tools/call", `{"task":{"taskId":"1"}}`},
	"odd":       {"tools/call", `[1,"two"]`},
	"resource":  {"resources/read", `{"contents":[{"uri":"demo://menu","mimeType":"application/json","text":"{\"teas\":[]}"},{"uri":"demo://b","mimeType":"application/gzip","blob":"aGVsbG8="}]}`},
	"prompt":    {"prompts/get", `{"description":"A talk","messages":[{"role":"user","content":{"type":"text","text":"Which tea?"}},{"role":"assistant","content":{"type":"text","text":"Strong or light?"}}]}`},
	"other":     {"completion/complete", `{"completion":{"values":["a"]}}`},
	"table":     {"tools/call", `{"content":[],"structuredContent":{"total":2,"rows":[{"id":1,"name":"Assam","note":"a long note that is not shown in full because it takes more than the widest column may have"},{"id":20,"name":"Dar\u001b[2Jjeeling","tags":["a","b"],"fresh":true}]}}`},
	"nothing":   {"resources/read", `{"contents":[]}`},
	"noMessage": {"prompts/get", `{"messages":[]}`},
}

func TestWhatAResultSays(t *testing.T) {
	for name, tc := range everything {
		t.Run(name, func(t *testing.T) {
			v := resultOf(tc.method, tc.result)
			golden.RequireEqual(t, screen(t, v, 40, 40)+"--\n"+screen(t, v, 110, 30))
		})
	}
}

// How a call ended is said in the first lines of its result.
func TestOutcome_Sentences(t *testing.T) {
	response := func(rest string) client.Response { return answer(`{"jsonrpc":"2.0","id":1,` + rest + `}`) }
	for name, tt := range map[string]struct {
		response client.Response
		err      error
		want     string
	}{
		"result":               {response(`"result":{"content":[{"type":"text","text":"hi"}]}`), nil, "hi"},
		"tool error":           {response(`"result":{"content":[{"type":"text","text":"no tea"}],"isError":true}`), nil, "tool error no tea"},
		"known code":           {response(`"error":{"code":-32602,"message":"Unknown tool: x"}`), nil, "error -32602 JSON-RPC error Unknown tool: x"},
		"unknown code":         {response(`"error":{"code":-7,"message":"no"}`), nil, "error -7 JSON-RPC error no"},
		"known cause":          {response(`"result":{"content":[{"type":"text","text":"no tea"}],"isError":true}`), &Explained{Cause: "The kettle is cold.", Try: "Heat it."}, "tool error no tea The kettle is cold. → Heat it."},
		"evidence":             {response(`"result":{"content":[{"type":"text","text":"no tea"}],"isError":true}`), &Explained{Sentence: "stderr: no gas", Cause: "The kettle is cold."}, "tool error no tea stderr: no gas The kettle is cold."},
		"cause of an error":    {response(`"error":{"code":-7,"message":"no"}`), &Explained{Cause: "The kettle is cold."}, "no The kettle is cold."},
		"no content":           {response(`"result":{"toolResult":{"content":[]}}`), nil, "neither content nor structuredContent"},
		"timeout":              {err: &client.TimeoutError{Method: "tools/call", After: time.Minute}, want: "No response within 1m00s. mcptea has cancelled the request. A response that still arrives is in Traffic."},
		"explained":            {err: &Explained{Err: &client.TimeoutError{Method: "tools/call", After: time.Minute}, Sentence: "Timed out after 1m waiting: \"sh\" has the stdin of the server.", Cause: "The server may wait for that program.", Try: "Give it no stdin."}, want: "Timed out after 1m waiting: \"sh\" has the stdin of the server. The server may wait for that program. → Give it no stdin. mcptea has cancelled the request. A response that still arrives is in Traffic."},
		"cancelled":            {err: session.ErrCancelled, want: "cancelled by you The server was notified. A response that still arrives is in Traffic."},
		"task cancelled":       {err: client.ErrTaskCancelled, want: "cancelled by the server The task was cancelled: it has no result."},
		"the server ended":     {err: &client.ClosedError{Method: "tools/call", Err: &stdio.ExitError{Code: 3, After: time.Second}}, want: "tools/call got no response: the server process exited with code 3 after 1 s"},
		"the response is torn": {err: &client.InvalidResponseError{ID: jsonrpc.IDOf("1"), Fault: jsonrpc.FaultNotJSON, At: 7}, want: "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			said := strings.Join(strings.Fields(screen(t, NewBody("tools/call", tt.response, tt.err), 200, 8)), " ")
			if !strings.Contains(said, tt.want) {
				t.Errorf("%q, want %q", said, tt.want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	protocol := NewBody("tools/call", answer(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: x","data":{"name":"x"}}}`), nil)
	cancelled := NewBody("tools/call", client.Response{}, session.ErrCancelled)
	lost := NewBody("tools/call", client.Response{}, &client.ClosedError{Method: "tools/call", Err: errors.New("exit status 1")})
	golden.RequireEqual(t, screen(t, protocol, 80, 12)+"--\n"+screen(t, cancelled, 80, 5)+"--\n"+screen(t, lost, 80, 5))
	if lost.Switch() || lost.Raw() {
		t.Error("there is JSON where nothing was answered")
	}
	if !protocol.Switch() || !strings.Contains(screen(t, protocol, 80, 12), `"code": -32602`) {
		t.Error("the error does not show as it was sent")
	}
}

func TestWhatIsCopied(t *testing.T) {
	v := resultOf("tools/call", `{"content":[{"type":"text","text":"a\u001b[1m\n b "}]}`)
	if got, _ := v.Whole(); got != "a\x1b[1m\n b " {
		t.Errorf("text is copied as %q", got)
	}
	v.Switch()
	if _, got := v.Whole(); string(got) != `{"content":[{"type":"text","text":"a\u001b[1m\n b "}]}` {
		t.Errorf("JSON is copied as %q", got)
	}
}

func TestScrolling(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "line %02d\\n", i)
	}
	v := resultOf("tools/call", `{"content":[{"type":"text","text":"`+b.String()+`"}]}`)
	first := func() string { return strings.Fields(rows(t, v, 20, 10)[0])[1] }
	for _, tc := range []struct {
		do   func()
		want string
	}{
		{func() {}, "00"},
		{func() { v.Window().Move(3) }, "03"},
		{func() { turn(v, 1) }, "12"},
		{func() { turn(v, -1); v.Window().Move(-1) }, "02"},
		{func() { v.Window().Move(-50) }, "00"},
		{v.Window().End, "90"},
		{func() { v.Window().Move(5) }, "90"},
		{func() { v.Window().Move(-v.Window().Screen() / 2) }, "85"},
		{v.Window().Home, "00"},
		{func() { turn(v, 1000) }, "90"},
	} {
		tc.do()
		if got := first(); got != tc.want {
			t.Errorf("the first line is %s, want %s", got, tc.want)
		}
	}
}

func TestPicture_MeasuredAndDrawn(t *testing.T) {
	// A GIF of one pixel.
	gif := "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
	v := resultOf("tools/call", `{"content":[{"type":"image","mimeType":"image/gif","data":"`+gif+`"}]}`)
	lines := rows(t, v, 60, 4)
	if lines[0] != "image  image/gif  GIF 1×1  42 B" || !strings.HasPrefix(lines[1], "▀") {
		t.Errorf("got %q", lines)
	}
	plain := paint.NewPalette(themes.ForBackground(true), true)
	if got := ansi.Strip(strings.Join(v.Rows(plain, colours, 60, 4, true), "")); strings.Contains(got, "▀") {
		t.Error("half blocks where only ASCII is wanted")
	}
}

func FuzzNew(f *testing.F) {
	for _, tc := range everything {
		f.Add(tc.method, tc.result, 40, 10)
	}
	f.Fuzz(func(t *testing.T, method, raw string, w, h int) {
		if !json.Valid([]byte(raw)) || w < 1 || w > 200 || h < 1 || h > 100 {
			return
		}
		v := resultOf(method, raw)
		rows(t, v, w, h)
		v.Window().End()
		rows(t, v, w, h)
		v.Window().Move(-3)
		rows(t, v, w, h)
		v.NextSection(1)
		v.Window().Toggle()
		rows(t, v, w, h)
		v.Window().FoldDepth(2)
		v.Search().Open()
		v.Search().Paste("a")
		rows(t, v, w, h)
		v.Window().UnfoldAll()
		v.ToggleWrap()
		v.ScrollSide(1)
		rows(t, v, w, h)
		v.SearchNext(-1)
		rows(t, v, w, h)
		if v.Switch() {
			rows(t, v, w, h)
		}
	})
}

// later keeps the work of a view until it is done.
type later []func(context.Context) func()

func (l *later) run(work func(context.Context) func()) { *l = append(*l, work) }

func (l *later) do() {
	for _, work := range *l {
		work(context.Background())()
	}
	*l = nil
}

// A picture takes the room that there is, up to a pixel for a pixel.
func TestPicture_GrowsWithTheWindow(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range img.Pix {
		img.Pix[i] = byte(i)
	}
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		t.Fatal(err)
	}
	v := resultOf("tools/call", `{"content":[{"type":"image","mimeType":"image/png","data":"`+base64.StdEncoding.EncodeToString(data.Bytes())+`"}]}`)
	for _, tc := range []struct{ w, h, cells, rows int }{{100, 60, 64, 32}, {100, 20, 36, 18}, {30, 40, 30, 15}, {100, 6, 24, 5}} {
		got := v.Rows(palette, paint.NewJSONStyles(palette.Theme), tc.w, tc.h, true)
		rows, cells := 0, 0
		for _, row := range got {
			if n := strings.Count(row, "▀"); n > 0 {
				rows, cells = rows+1, n
			}
		}
		if rows != tc.rows || cells != tc.cells || len(got) != tc.h {
			t.Errorf("in %d×%d cells it takes %d×%d, want %d×%d", tc.w, tc.h, cells, rows, tc.cells, tc.rows)
		}
	}
}

func TestTable_MovesSideways(t *testing.T) {
	v := resultOf("tools/call", `{"content":[{"type":"text","text":"[{\"a\":\"`+strings.Repeat("x", 30)+`\",\"b\":\"`+strings.Repeat("y", 30)+`\",\"c\":\"the end\"}]"}]}`)
	if got := screen(t, v, 40, 5); strings.Contains(got, "the end") || !strings.Contains(got, "…") {
		t.Errorf("at the start: %s", got)
	}
	for range 10 {
		v.ScrollSide(1)
		rows(t, v, 40, 5)
	}
	if got := screen(t, v, 40, 5); !strings.Contains(got, "the end") || strings.Contains(got, "xxx") {
		t.Errorf("at the right: %s", got)
	}
	for range 20 {
		v.ScrollSide(-1)
	}
	if got := screen(t, v, 40, 5); !strings.Contains(got, "xxx") {
		t.Errorf("back at the left: %s", got)
	}
}

func TestToggleWrap(t *testing.T) {
	v := resultOf("tools/call", `{"content":[{"type":"text","text":"`+strings.Repeat("word ", 30)+`the end\nnext"}]}`)
	if got := rows(t, v, 40, 6); got[1] == "next" || got[3] == "" {
		t.Errorf("wrapped: %q", got)
	}
	v.ToggleWrap()
	if got := rows(t, v, 40, 6); got[1] != "next" || !strings.HasSuffix(got[0], "…") {
		t.Errorf("cut: %q", got)
	}
	for range 30 {
		v.ScrollSide(1)
	}
	if got := rows(t, v, 40, 6); !strings.HasSuffix(got[0], "the end") {
		t.Errorf("at the right: %q", got)
	}
}

func TestSearch_FindsAndHighlights(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "line %02d\\n", i)
	}
	v := resultOf("tools/call", `{"content":[{"type":"text","text":"`+b.String()+`Straße Ende"}]}`)
	rows(t, v, 40, 10)
	v.Search().Open()
	v.Search().Paste("LINE 250")
	rows(t, v, 40, 10)
	if !v.text.search.line.Missed {
		t.Error("capitals match small letters")
	}
	v.Search().Drop()
	v.Search().Open()
	v.Search().Paste("line 25")
	for _, want := range []string{"25", "250", "251"} {
		painted := strings.Join(v.Rows(palette, colours, 40, 10, true), "\n")
		if !strings.Contains(ansi.Strip(painted), "line "+want) || !strings.Contains(painted, palette.Found.Render("line 25")) {
			t.Errorf("line %s is not shown: %s", want, ansi.Strip(painted))
		}
		v.SearchNext(1)
	}
	v.SearchNext(-1)
	v.SearchNext(-1)
	v.SearchNext(-1)
	if got := screen(t, v, 40, 10); !strings.Contains(got, "line 25\n") {
		t.Errorf("back at the first match: %s", got)
	}
	if v.Search().Only {
		t.Error("one match of several counts as the only one")
	}
}

// A line of code is found where it is, also after one that is very long.
func TestSearch_CodeAfterALongLine(t *testing.T) {
	v := resultOf("resources/read", `{"contents":[{"uri":"file:///a.js","mimeType":"text/javascript","text":"`+strings.Repeat("x+", 20<<10)+`1\nconst needle = 1\nlast()"}]}`)
	rows(t, v, 80, 6)
	v.Search().Open()
	v.Search().Paste("needle")
	if got := screen(t, v, 80, 6); !strings.Contains(got, "const needle = 1") || v.text.search.line.Missed {
		t.Errorf("not shown: %s", got)
	}
}

func TestFold_Sections(t *testing.T) {
	v := resultOf("tools/call", `{"content":[{"type":"text","text":"first text"},{"type":"text","text":"second text"},{"type":"text","text":"third text"}]}`)
	v.NextSection(1)
	v.Window().Toggle()
	if got := screen(t, v, 40, 12); !strings.Contains(got, "first text") || strings.Contains(got, "second text") || !strings.Contains(got, "third text") {
		t.Errorf("the second section is not folded alone: %s", got)
	}
	v.Window().FoldDepth(2)
	if got := screen(t, v, 40, 12); strings.Contains(got, "first text") || strings.Count(got, "text") != 3 {
		t.Errorf("not all are folded: %s", got)
	}
	v.NextSection(1)
	v.Window().Unfold()
	if got := screen(t, v, 40, 12); !strings.Contains(got, "third text") || strings.Contains(got, "second text") {
		t.Errorf("the third section is not unfolded: %s", got)
	}
	v.Window().UnfoldAll()
	if text, _ := v.Whole(); !strings.Contains(screen(t, v, 40, 12), "first text") || !strings.Contains(text, "second text") {
		t.Error("something is still folded")
	}
	if v.NextSection(1) || !v.NextSection(-1) || !v.NextSection(-1) || v.NextSection(-1) {
		t.Error("the ends of the sections are not told")
	}
}

// turn moves by pages as a key does.
func turn(v *Body, pages int) { v.Window().Move(pages * max(v.Window().Screen()-1, 1)) }

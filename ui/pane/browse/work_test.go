//go:build unix

package browse_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/test/guard"
	"mcptea/offer"
	sessioncontent "mcptea/offer/content"
	"mcptea/ui/app"
)

// Painting a result and moving in it must not read the response again: that
// would take as long as the response is.
func TestPaint_DoesNotReadTheResponseAgain(t *testing.T) {
	for name, result := range map[string]string{
		"text":       `"result":{"content":[{"type":"text","text":"` + strings.Repeat("many words ", 90000) + `"}]}`,
		"structured": `"result":{"structuredContent":{"a":[` + strings.Repeat("1,", 500000) + `1]},"content":[]}`,
		"tool error": `"result":{"content":[{"type":"text","text":"` + strings.Repeat("many words ", 90000) + `"}],"isError":true}`,
		"cached":     `"result":{"content":[{"type":"text","text":"` + strings.Repeat("many words ", 90000) + `"}],"ttlMs":5000}`,
		"error":      `"error":{"code":-32603,"message":"` + strings.Repeat("many words ", 90000) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			tb := open(t, "tools")
			tb.Press("enter", "a", "enter")
			e := tb.item()
			response := guard.New(t, []byte(`{"jsonrpc":"2.0","id":8,`+result+`}`))
			answer := client.Response{Frame: response.Bytes, Envelope: jsonrpc.Scan(response.Bytes)}
			answer.Took = time.Millisecond
			e.End(0, answer, nil, sessioncontent.ToolFailed(answer.Result()))
			tb.refresh()
			response.Forbid(0, len(response.Bytes), "painting", func() {
				tb.screen(120, 30)
				tb.Press("b", "ctrl+o")
				tb.screen(120, 30)
				tb.Press("down", "G", "g", "pgdown", "esc", "esc", "down", "up")
				tb.screen(120, 30)
			})
		})
	}
}

// The raw view reads the part of the response that is on the screen.
func TestPaint_RawViewReadsWhatIsOnTheScreen(t *testing.T) {
	tb := open(t, "tools")
	tb.Press("enter", "a", "enter")
	e := tb.item()
	response := guard.New(t, []byte(`{"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"image","data":"`+strings.Repeat("QUJD", 1<<20)+`","mimeType":"image/png"}]}}`))
	e.End(0, client.Response{Frame: response.Bytes, Envelope: jsonrpc.Scan(response.Bytes), Took: time.Millisecond}, nil, false)
	tb.refresh()
	tb.Press("ctrl+o", "v")
	for e.View(0).Refresh(app.Tick{}) {
		runtime.Gosched() // until it is parsed
	}
	response.Forbid(64<<10, len(response.Bytes)-64<<10, "the raw view", func() {
		for range 8 {
			tb.Press("down")
			tb.sees(120, 30, `"data": "QUJDQUJD`, "4.2 MB", `"mimeType": "image/png"`)
		}
	})
}

// A long text is read where it is on the screen.
func TestPaint_LongTextReadsWhatIsOnTheScreen(t *testing.T) {
	tb := open(t, "tools")
	tb.Press("enter", "a", "enter")
	e := tb.item()
	response := guard.New(t, []byte(`{"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text","text":"`+strings.Repeat(`many words\n`, 1<<18)+`"}]}}`))
	e.End(0, client.Response{Frame: response.Bytes, Envelope: jsonrpc.Scan(response.Bytes), Took: time.Millisecond}, nil, false)
	for e.View(0).Refresh(app.Tick{}) {
		runtime.Gosched() // until it is taken apart
	}
	tb.refresh()
	response.Forbid(64<<10, len(response.Bytes)-64<<10, "painting", func() {
		tb.Press("ctrl+o")
		for range 8 {
			tb.Press("down")
			tb.sees(120, 30, "many words")
		}
	})
}

// A schema is read when its tool is looked at first, and never while painting.
func TestPaint_DoesNotReadTheSchemaAgain(t *testing.T) {
	var properties strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&properties, `"p%d":{"type":"string","x-mcp-header":"H%d"},`, i, i)
	}
	raw := guard.New(t, []byte(`{"name":"large","inputSchema":{"type":"object","properties":{`+strings.TrimSuffix(properties.String(), ",")+`}},"annotations":{"readOnlyHint":true}}`))
	tb := open(t, "tools")
	it := item("tools", string(raw.Bytes))
	it.Raw = raw.Bytes
	tb.state.Lists["tools"] = offer.List{Items: []offer.Item{it}, Offered: true, Loaded: start.Add(time.Second)}
	tb.Hold = true
	tb.refresh()
	tb.sees(120, 30, "large", "reading the schema")
	tb.expect("off: The schema is still being read.", "enter", "ctrl+s")
	tb.Finish()
	tb.Press("esc")
	tb.refresh()
	tb.sees(120, 30, "large", "read-only", "also sent in HTTP headers: H0, H1")
	raw.Forbid(0, len(raw.Bytes), "painting the tool", func() {
		tb.Press("enter", "a", "tab", "b", "backspace", "shift+tab", "down", "pgdown")
		tb.sees(120, 30, "large", "read-only", "also sent in HTTP headers: H0, H1")
	})
}

package inspector

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/demo"
)

// lastSent is the newest frame that mcptea has sent.
func (d *driver) lastSent() string {
	d.t.Helper()
	st := d.session.Store()
	for i := int32(st.Snapshot().Rows) - 1; i >= 0; i-- {
		if row, ok := st.Row(i); ok && row.IsFrame() && row.Dir == transport.Out {
			body, err := st.Body(i)
			if err != nil {
				d.t.Fatal(err)
			}
			return string(body)
		}
	}
	d.t.Fatal("nothing was sent")
	return ""
}

func TestComposer_FirstRequestSucceedsInEveryRevision(t *testing.T) {
	for _, r := range revision.All() {
		t.Run(string(r), func(t *testing.T) {
			driveIn(t, r, 120, 36, demo.Options{}, func(d *driver) {
				d.press("1ctools/call<enter>")
				d.press("ech<enter>hello<ctrl+s>")
				d.sees("response to id", "ok", "hello")
				d.lacks("twice sends it unchanged")
				if r.IsStateless() {
					d.sees(`"_meta": { 4 members, filled in }`)
				}
				if !strings.Contains(d.lastSent(), `"progressToken":`) {
					t.Errorf("sent %s", d.lastSent())
				}
			})
		})
	}
}

// What is called bytes is all bytes of the frame; where there is no room it is called their start.
func TestComposer_BytesAreBytes(t *testing.T) {
	for _, size := range [][2]int{{200, 60}, {60, 18}} {
		driveIn(t, revision.R20260728, size[0], size[1], demo.Options{}, func(d *driver) {
			d.press("1ctools/list<enter>")
			if size[1] == 60 {
				d.sees("bytes  362 B", `}}}}}}`)
				return
			}
			d.sees("start of the frame  362 B", `"_meta":{…}`)
			d.lacks("bytes  ")
		})
	}
}

func TestComposer_MetaCanBeLeftOut(t *testing.T) {
	driveIn(t, revision.R20260728, 120, 36, demo.Options{}, func(d *driver) {
		d.press("1ctools/list<enter>")
		d.sees(`"_meta": { 3 members, filled in }`)
		d.within(func() { d.model.Run("compose.meta") })
		d.press("<end>")
		d.sees(`"_meta" is left out`, "tools/list requires _meta in its params.", "ctrl+s twice sends it unchanged")
		d.press("<ctrl+s><ctrl+s>")
		if sent := d.lastSent(); strings.Contains(sent, "_meta") {
			t.Errorf("sent %s", sent)
		}
		d.sees("error -32602")
	})
}

func TestComposer_IDs(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("1ctools/call<enter>ech<enter>by hand")
		d.within(func() { d.model.Run("compose.id") })
		d.press("abc")
		d.sees(`sent as "abc"`)
		d.press("<ctrl+s>")
		d.sees(`response to id "abc"`, "by hand", "ok")
		d.press("<f4>")
		d.sees("result", `"abc"`)
	})
}

func TestComposer_PastedFrameReplacesTheDraft(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		for _, message := range []string{"first", "second"} {
			d.program.Send(tea.PasteMsg{Content: `{"jsonrpc":"2.0","id":"p","method":"tools/call","params":{"name":"echo","arguments":{"message":"` + message + `"}}}`})
			d.press("<ctrl+s>")
			d.sees(`"text": "` + message + `"`)
			d.press("<esc>")
		}
	})
}

// What is wrong is whole in a narrow window; what sends it anyway is said when the user sends it.
func TestComposer_WarningIsWhole(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		d.press("1cping<enter>9ttt16{")
		d.sees("Invalid character 't' at line 1, column 2 after top-level value.")
		d.press("<ctrl+s>")
		d.sees("ctrl+s again sends it unchanged")
	})
}

func TestComposer_BrokenParamsAreSentTheSecondTime(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("1cping<enter>{\"a\": \"oops<ctrl+s>")
		d.sees("String not closed at line 1, column 7. ctrl+s again sends it unchanged")
		before := d.session.Store().Snapshot().Out
		d.press("<ctrl+s>")
		if after := d.session.Store().Snapshot().Out; after != before+1 {
			t.Errorf("%d frames were sent", after-before)
		}
		if want := `{"a": "oops}`; !strings.HasSuffix(d.lastSent(), want) {
			t.Errorf("sent %s", d.lastSent())
		}
	})
}

func TestComposer_MalformationIsChosenFromAList(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			d.press("1cping<enter><tab><down><down>")
			d.sees("trailing comma", "J001", "preview", "instead of", "expected: error -32700")
			d.press("<enter>")
			d.sees("broken: trailing comma")
			d.press("<ctrl+s>")
			if sent := d.lastSent(); !strings.HasSuffix(sent, ",}") {
				t.Errorf("sent %s", sent)
			}
		})
	}
}

// A way to break a frame that is found among all commands breaks the call that is selected.
func TestComposer_BreakOfTheSelectedCall(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2/echo<enter><enter>tea<ctrl+p>trailing<enter>")
		d.sees("broken: trailing comma", "tools/call", `"tea"`)
		d.press("<ctrl+s>")
		if sent := d.lastSent(); !strings.Contains(sent, `"message":"tea"`) || !strings.HasSuffix(sent, ",}") {
			t.Errorf("sent %s", sent)
		}
	})
}

// The ring of parts stays in the composer, in both directions; esc leaves it.
func TestComposer_TabStaysInside(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2c<ctrl+s>e")
		for _, key := range []string{"<tab>", "<shift+tab>"} {
			for range 7 {
				d.press(key)
				d.sees("Break it", "History")
			}
		}
	})
}

// What is sent several times from a form or a result is sent from there: the page of the tool stays, and says how far
// that is.
func TestRepeat_StaysAtTheForm(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2/echo<enter><enter>tea") // its form
		d.palette("parallel")
		d.sees("Send several times", "50 at once")
		d.press("2<enter>")
		d.sees("message* string tea", "many times", "2 of 2 sent", "2 ok", "median")
		d.lacks("Break it")
		d.press("<ctrl+u>hi<enter><ctrl+u>later<ctrl+o>") // its result
		d.lacks("2 of 2 sent")
		d.press("*3<enter>")
		d.sees("many times", "3 of 3 sent", "call id")
		if got := strings.Count(d.allSent(), `"message":"hi"`); got != 4 {
			t.Errorf("the call was sent %d times:\n%s", got, d.term.screen())
		}
		d.press("<esc><esc>*<ctrl+u>1000 1s<enter>") // from the list
		d.sees("of 1,000 sent", "x stop")
		d.press("*")
		d.sees("Frames are still being sent: x stops that.")
		d.press("x")
		d.sees("Stopped: stopped by the user")
	})
}

// What is not filled in is said at the form, before anything is sent.
func TestRepeat_ChecksTheForm(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		before := d.allSent()
		d.press("2*")
		d.lacks("Send several times")
		d.sees("required")
		if d.allSent() != before {
			t.Error("something was sent")
		}
	})
}

// In raw mode a malformation changes the text, another one takes its place, and nothing is added when it is sent.
func TestComposer_RawModeSendsWhatItShows(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("1cping<enter><tab><down><down><enter><alt+v>")
		d.sees("raw bytes", `"method":"ping",}`, "broken: trailing comma")
		d.press("<tab><down><down><enter>") // without "jsonrpc", and with nothing else wrong
		d.sees(`{"id":`, `broken: no "jsonrpc" member`)
		d.press(`<ctrl+end>\x1b\xff `)
		d.sees(`"}\x1b\xff `)
		d.lacks("broken: ") // the text is another one
		d.press("<ctrl+s><ctrl+s>")
		if sent := d.lastSent(); !strings.HasSuffix(sent, "\"}\x1b\xff ") || strings.Contains(sent, "jsonrpc") {
			t.Errorf("sent %q", sent)
		}
	})
}

func TestComposer_CompletesInTheBody(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("1ctools/call<enter>wea")
		d.sees("weather", "city, unit?", "enter insert with arguments", "esc close")
		d.press("<enter>Berlin")
		d.sees(`"city": "Berlin"`)
		d.press("<right>,<ctrl+space>")
		d.sees(`"unit": `)
		d.press("<ctrl+space>")
		d.sees("celsius", "fahrenheit")
		d.press("<down><tab><ctrl+s>")
		d.sees("ok", "Berlin")
		if want := `"unit":"fahrenheit"`; !strings.Contains(d.lastSent(), want) {
			t.Errorf("sent %s", d.lastSent())
		}
	})
}

func TestComposer_EscClosesAnEmptyOneFromAnywhere(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("1c<alt+9>")
		d.sees("Compose", "c edit", "Traffic")
		d.press("<esc><esc><esc>")
		d.lacks("c edit")
		d.press("1cping<alt+9>")
		d.sees("ping", "c edit")
	})
}

// The commands of the composer work while candidates show.
func TestComposer_SendsWhileCandidatesShow(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("1ctools/call<enter>no-argument")
		d.sees("no-arguments", "esc close")
		before := d.session.Store().Snapshot().Out
		d.press("<ctrl+s>")
		d.lacks("name only")
		if after := d.session.Store().Snapshot().Out; after != before+1 {
			t.Errorf("%d frames were sent", after-before)
		}
	})
}

func TestComposer_ErrorIsExplainedWithTheNameThatWasMeant(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("1c")
		d.within(func() { d.model.composer.Compose("tools/call", `{"name":"wether","arguments":{"city":"Berlin"}}`) })
		d.press("<ctrl+s>")
		d.sees("error -32602", `no tool has the name "wether"`, "→ Did you mean weather?")
	})
}

func TestComposer_HistoryIsSearched(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			for _, message := range []string{"one", "two"} {
				d.press("1c")
				d.within(func() {
					d.model.composer.Compose("tools/call", `{"name":"echo","arguments":{"message":"`+message+`"}}`)
				})
				d.press("<ctrl+s>")
			}
			d.within(func() { d.model.composer.Compose("", "") })
			d.press("<up>")
			d.sees("History", "tools/call echo", "ok")
			d.press("one<enter>")
			d.sees(`"message": "one"`)
			d.press("<ctrl+s>")
			if sent := d.lastSent(); !strings.Contains(sent, `"message":"one"`) {
				t.Errorf("sent %s", sent)
			}
		})
	}
}

func TestComposer_SendsRepeatedly(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("1cping<alt+r>")
		d.sees("Send several times", "“50 20ms”", "enter send")
		d.press("<ctrl+u>7 x<enter>")
		d.sees(`"x" is not an interval`)
		before := d.session.Store().Snapshot().Out
		d.press("<backspace>100ms<enter>")
		d.sees("7 of 7 sent", "7 ok", "median")
		if n := d.session.Store().Snapshot().Out - before; n != 7 {
			t.Errorf("%d frames were sent", n)
		}
		d.press("<alt+r><ctrl+u>1000 1s<enter>")
		d.press("<esc>")
		d.sees("of 1,000 sent") // in the background
		d.press("c<alt+x>")
		d.sees("Stopped: stopped by the user")
	})
}

// The strip of a composer that was left while it was sending stays until something else is sent.
func TestComposer_StripOfWhatWasSentGoes(t *testing.T) {
	drive(t, 200, 60, demo.Options{}, func(d *driver) {
		d.press("1cping<alt+r><ctrl+u>3 50ms<enter><esc>")
		d.sees("3 of 3 sent")
		d.press("2<enter>hi<enter>")
		d.sees("echo message: hi")
		d.lacks("3 of 3 sent")
	})
}

func TestComposer_EditedFrameOfAFaultyServer(t *testing.T) {
	drive(t, 120, 36, demo.Options{Fault: "not-utf8"}, func(d *driver) {
		d.press("<enter>hi<enter><esc><esc>9G]")
		st := d.session.Store()
		row := d.model.views.traffic.Selected()
		body, err := st.Body(row)
		if err != nil || !strings.Contains(string(body), "caf\xe9") {
			t.Fatalf("row %d is selected: %q, %v", row, body, err)
		}
		d.press("e")
		d.sees(`caf\xe9`, "invalid UTF-8")
		d.press("<ctrl+s>")
		d.sees("Byte that is not UTF-8 at line 1", "ctrl+s again sends it unchanged")
		d.press("<ctrl+s>")
		if got, want := sha256.Sum256([]byte(d.lastSent())), sha256.Sum256(body); got != want {
			t.Errorf("sent %q, want %q", d.lastSent(), body)
		}
	})
}

// byteServer sends given lines after the handshake, and hashes each line that it
// reads from then on.
type byteServer struct {
	lines []string
	mu    sync.Mutex
	read  []string
}

func (b *byteServer) serve(_ context.Context, in io.Reader, out io.Writer) error {
	reader := bufio.NewReader(in)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return nil //nolint:nilerr // the end of the input ends the server
		}
		sum := sha256.Sum256(line)
		b.mu.Lock()
		b.read = append(b.read, hex.EncodeToString(sum[:]))
		b.mu.Unlock()
		e := jsonrpc.Scan(line)
		reply := ""
		switch e.MethodName(line) {
		case "initialize":
			reply = `{"jsonrpc":"2.0","id":` + e.ID.Of(line).String() + `,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"bytes","version":"1"}}}` + "\n"
		case "notifications/initialized":
			reply = strings.Join(b.lines, "")
		}
		if _, err := io.WriteString(out, reply); err != nil {
			return err
		}
	}
}

func (b *byteServer) hashes() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.read
}

// A recorded frame that is opened and sent unchanged puts the same bytes on the wire.
func TestComposer_EditedFrameKeepsItsBytes(t *testing.T) {
	server := &byteServer{lines: []string{
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":\"caf\xe9 \x01\x1b[31m \x9b\"}}\n",
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":\"\u202ertl\u200b\u0085\"}}\n",
		"{\"jsonrpc\":\"2.0\", \"method\":\"notifications/message\",\"params\":{}}\r\n",
		"\n",
		"   \t\n",
		"\xff\xfe\x00\x00\n",
		"not JSON \\xff \\u{202e} \\x5c\\\n",
		"{\"jsonrpc\":\"2.0\",\"id\":\"\x7f\",\"result\":{\"a\":\"\\u001b\\n\"}}\n",
		"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n",
		"a\rb\r\r\n",
		strings.Repeat("{\"key\": \"caf\xe9\"} ", 3000) + "\n",
	}}
	driveServer(t, 120, 36, server.serve, func(d *driver) {
		st := d.session.Store()
		first := int32(-1)
		for i := range int32(st.Snapshot().Rows) {
			if row, _ := st.Row(i); row.IsFrame() && row.Dir == transport.In && row.Kind != jsonrpc.Response {
				first = i
				break
			}
		}
		sent := 0
		for i := first; i < int32(st.Snapshot().Rows); i++ {
			row, _ := st.Row(i)
			if row.Dir != transport.In || !row.IsFrame() || sent == len(server.lines) {
				continue
			}
			d.within(func() {
				d.model.ShowFrame(i)
				d.model.setFocus(slotTraffic)
			})
			before := len(server.hashes())
			d.press("e")
			d.press("<ctrl+s>")
			if len(server.hashes()) == before {
				d.press("<ctrl+s>") // what is not JSON is sent the second time
			}
			sum := sha256.Sum256([]byte(server.lines[sent]))
			got := server.hashes()
			if len(got) != before+1 || got[before] != hex.EncodeToString(sum[:]) {
				t.Errorf("line %d, %.60q: %d lines were read and the last one is %q", sent, server.lines[sent], len(got)-before, d.lastSent())
			}
			sent++
		}
		if sent != len(server.lines) {
			t.Errorf("%d of %d lines are recorded", sent, len(server.lines))
		}
	})
}

// tab goes from the method to the params, then to Break it, on a small screen too, and the draft says so.
func TestComposer_TabIsNamed(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		d.press("9c")
		d.sees("Write the method, then its params.", "↑ history  tab params")
		d.press("<tab>")
		d.sees("tab Break it")
		d.press("<tab>")
		d.sees("─ Break it ─", "trailing comma")
	})
}

// A slash begins the search in the list of all keys too.
func TestFind_SlashBeginsTheSearch(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("??/next tab<enter>")
		d.press("??/unmark")
		d.sees("Unmark all", "› unmark")
	})
}

// A key that is punctuation has its name, in sentences and in the last row.
func TestKeyName_Punctuation(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("5")
		d.sees("comma change", "comma policies")
		d.lacks(" , change")
	})
}

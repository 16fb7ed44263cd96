package composer

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/sessiontest"
	"mcptea/offer/compose"
	"mcptea/session/session"
)

// demoSession runs a script on a session with the demo server.
func demoSession(t *testing.T, r revision.Revision, script func(t *testing.T, s *session.Session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := session.Open(session.Config{
			Target: client.Target{Argv: []string{"demo"}}, Record: "off", Lint: true, Lists: client.ListKinds,
			Client: client.Config{Name: "mcptea", Version: "test", Revision: r},
			Dial: func(tap client.Tap, cfg client.Config) *client.Client {
				return client.NewOver(inmemory.New(func(ctx context.Context, in io.Reader, out io.Writer) error {
					return demo.New(demo.Options{Exit: func(int) {}}).ServeStdio(ctx, in, out, io.Discard)
				}), tap, cfg)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close(context.Background()) }()
		if err := s.Connect(context.Background()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		script(t, s)
	})
}

// The list names the rule that reports a malformation: the linter has to agree.
func TestMalformations_RuleIsReported(t *testing.T) {
	for _, m := range jsonrpc.Mutations() {
		t.Run(m.Name, func(t *testing.T) {
			demoSession(t, revision.R20251125, func(t *testing.T, s *session.Session) {
				first := int32(s.Store().Snapshot().Rows)
				id, err := s.NextID()
				if err != nil {
					t.Fatal(err)
				}
				s.StartFrame(m.Apply(jsonrpc.EncodeRequest(id, "tools/call", []byte(`{"name":"echo","arguments":{"message":"x"}}`))))
				synctest.Wait()
				s.Disconnect(context.Background())
				found := map[string]bool{}
				for i := first; i < int32(s.Store().Snapshot().Rows); i++ {
					if row, _ := s.Store().Row(i); row.Dir == transport.Out && row.IsFrame() {
						for _, f := range s.FindingsAt(i) {
							found[f.Rule.ID] = true
						}
					}
				}
				want := compose.Provokes(m.Name)
				if want == "" && len(found) > 0 || want != "" && !found[want] {
					t.Errorf("the list says %q, the linter reports %v", want, found)
				}
			})
		})
	}
}

func TestBreak_IsUndoneInRawMode(t *testing.T) {
	const frame = `{"jsonrpc":"2.0","id":7,"method":"ping"} `
	b := newBench(t)
	b.ComposeFrame([]byte(frame))
	b.enter(ofBreaks)
	b.Press("down", "down", "down", "enter")
	if got, want := b.params.Value(), `{'jsonrpc':'2.0','id':7,'method':'ping'} `; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if b.malformed != 0 {
		t.Error("the malformation would be applied again when the frame is sent")
	}
	b.Press("ctrl+z")
	if got := b.params.Value(); got != frame {
		t.Errorf("undo gives %q", got)
	}
}

// In raw mode the command of a malformation applies it, also from the list of commands; the draft says that it is
// broken, the history names it, and another one takes its place. What is only selected is not sent.
func TestBreak_RawModeSendsWhatItSays(t *testing.T) {
	const frame = `{"jsonrpc":"2.0","id":7,"method":"ping"} `
	b := newBench(t)
	b.ComposeFrame([]byte(frame))
	batch := 1 + slices.IndexFunc(jsonrpc.Mutations(), func(m jsonrpc.Mutation) bool { return m.Name == "batch" })
	b.selectBreak(batch)
	if got := b.params.Value(); got != string(jsonrpc.Mutations()[batch-1].Apply([]byte(frame))) {
		t.Fatalf("the command of a batch leaves %q", got)
	}
	if b.focus != ofDraft {
		t.Error("the draft, which is sent next, has not the focus")
	}
	b.enter(ofBreaks)
	b.Press("down")
	if said := b.Press("ctrl+s"); len(b.history.list) != 0 || !strings.Contains(said, "The text is not changed yet: enter applies") {
		t.Fatalf("a preview is sent, or nothing is said: %d, %q", len(b.history.list), said)
	}
	b.Press("up")
	b.Press("ctrl+s")
	if len(b.history.list) != 1 || b.history.list[0].malformed != batch || b.breaks.tried[batch] == nil {
		t.Fatalf("the history has %+v", b.history.list)
	}
	if text := b.Program.Paint(120, 36, true); !strings.Contains(text, "broken: "+jsonrpc.Mutations()[batch-1].Summary) {
		t.Errorf("the frame does not say that it is broken:\n%s", text)
	}
	b.selectBreak(1)
	if got := b.params.Value(); got != string(jsonrpc.Mutations()[0].Apply([]byte(frame))) {
		t.Errorf("another one is applied to the broken text: %q", got)
	}
	b.selectBreak(0)
	if got := b.params.Value(); got != frame {
		t.Errorf("as it is: %q", got)
	}
}

func TestBreak_SaysWhatIsExpected(t *testing.T) {
	b := newBench(t)
	b.Compose("ping", "{}")
	b.enter(ofBreaks)
	b.Press("down")
	if screen := b.Program.Paint(120, 36, true); !strings.Contains(screen, "expected: error -32700 or no response") {
		t.Errorf("the preview does not say it:\n%s", screen)
	}
	if o := (outcome{text: "-32700", isError: true, expected: true}); o.span(b.Screen.Pal).Text != "✓ -32700" {
		t.Errorf("got %q", o.span(b.Screen.Pal).Text)
	}
}

// What is sent is what the preview shows, without another key.
func TestBreak_PreviewIsSent(t *testing.T) {
	b := newBench(t)
	b.Compose("ping", "{}")
	b.enter(ofBreaks)
	b.Press("down", "down")
	made, ok := b.broken()
	if !ok || made.at != 2 {
		t.Fatalf("the preview is of %d", made.at)
	}
	b.Press("ctrl+s")
	frames := b.history.list
	if len(frames) != 1 || frames[0].malformed != 2 {
		t.Fatalf("sent: %+v", frames)
	}
	if text := b.Program.Paint(120, 36, true); !strings.Contains(text, "broken: "+jsonrpc.Mutations()[1].Summary) {
		t.Errorf("the frame does not say that it is broken:\n%s", text)
	}
	b.Press("enter")
	b.enter(ofBreaks)
	b.Press("esc")
	if b.malformed != 2 {
		t.Error("esc without a choice has changed the draft")
	}
	b.enter(ofBreaks)
	b.Press("down", "esc")
	if b.malformed != 2 {
		t.Errorf("after esc the frame is broken in way %d", b.malformed)
	}
}

// In raw mode nothing is broken before it is applied, and the preview says so.
func TestBreak_RawPreviewSaysWhatAppliesIt(t *testing.T) {
	b := newBench(t)
	b.ComposeFrame([]byte(`{"jsonrpc":"2.0","id":7,"method":"ping"} `))
	b.enter(ofBreaks)
	b.Press("down")
	if text := b.Program.Paint(120, 36, true); !strings.Contains(text, "preview: enter applies it") {
		t.Errorf("the preview does not say it:\n%s", text)
	}
}

// The lists beside a draft are as wide as their rows: the names of long methods and tools are whole
// where there is room, and the draft has what the lists do not need.
func TestPaint_ListsAsWideAsTheirRows(t *testing.T) {
	b := newBench(t)
	b.Compose("tools/call", `{"name":"find_all_issues_of_a_repository"}`)
	b.sent()
	if screen := b.Program.Paint(200, 36, true); !strings.Contains(screen, "tools/call find_all_issues_of_a_repository") {
		t.Errorf("the history cuts the name:\n%s", screen)
	}
	row := strings.SplitAfter(b.Program.Paint(120, 36, true), "\n")[0]
	if _, side, _ := strings.Cut(row, "╮"); len([]rune(side)) > 43 {
		t.Errorf("the lists leave the draft less than it had: %s", row)
	}
}

// The malformations have the rows that an empty history does not need, and the preview shows as many
// bytes as fit in its row.
func TestBreak_TakesTheRoomThatThereIs(t *testing.T) {
	b := newBench(t)
	b.Compose("tools/call", `{"name":"find_all_issues_of_a_repository","arguments":{"form":"everything"}}`)
	inSight := func() (n int) {
		screen := b.Program.Paint(120, 36, true)
		for _, m := range jsonrpc.Mutations() {
			if strings.Contains(screen, " "+m.Summary+" ") {
				n++
			}
		}
		return n
	}
	if n := inSight(); n < 18 {
		t.Errorf("%d malformations are in sight beside an empty history", n)
	}
	for range 12 {
		b.history.list = append(b.history.list, &past{label: "ping"})
	}
	b.history.Changed()
	before := inSight()
	b.enter(ofBreaks)
	if n := inSight(); n < 18 || n <= before {
		t.Errorf("%d malformations are in sight with the focus, %d without it", n, before)
	}
	b.Press("down", "down")
	if screen := b.Program.Paint(120, 36, true); !strings.Contains(screen, `tory","arguments":{"form":"everything"}},}`) {
		t.Errorf("the preview shows less than fits:\n%s", screen)
	}
}

// A server that does not respond to a malformed request does what the preview expects; the
// history and the response say so.
func TestBreak_SilenceIsExpected(t *testing.T) {
	pal := newBench(t).Screen.Pal
	for name, want := range map[string]string{"version-1": "✓ no response", "method-number": "✓ none in 2 s"} {
		i := slices.IndexFunc(jsonrpc.Mutations(), func(m jsonrpc.Mutation) bool { return m.Name == name })
		synctest.Test(t, func(t *testing.T) {
			s := scriptedSession(t, func(string, string) string { return "" })
			defer func() { _ = s.Close(context.Background()) }()
			frame := jsonrpc.Mutations()[i].Apply(jsonrpc.EncodeRequest(jsonrpc.IntID(7), "ping", nil))
			r := reply{p: &Pane{}}
			r.reaction, r.malformed = compose.NewReaction(s.Store(), frame), i+1
			r.call = s.StartFrame(frame)
			time.Sleep(time.Minute)
			synctest.Wait()
			r.reaction.Refresh(r.call.Started, time.Now())
			if got := r.p.outcomeOf(r.call, r.reaction, i+1).span(pal).Text; got != want {
				t.Errorf("%s: the history says %q, want %q", name, got, want)
			}
			if got := r.note(pal)[0].Text; got != want+", as expected" {
				t.Errorf("%s: the response says %q, want %q", name, got, want+", as expected")
			}
		})
	}
}

// A server on stdio that reads the request behind a Content-Length header responds to it: that is
// neither unexpected nor a finding about the server.
func TestBreak_ContentLength(t *testing.T) {
	i := slices.IndexFunc(jsonrpc.Mutations(), func(m jsonrpc.Mutation) bool { return m.Name == "content-length" })
	pal := newBench(t).Screen.Pal
	synctest.Test(t, func(t *testing.T) {
		s := scriptedSession(t, func(method, id string) string {
			if method != "ping" {
				return ""
			}
			return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
		})
		defer func() { _ = s.Close(context.Background()) }()
		frame := jsonrpc.Mutations()[i].Apply(jsonrpc.EncodeRequest(jsonrpc.IntID(33), "ping", nil))
		reaction := compose.NewReaction(s.Store(), frame)
		call := s.StartFrame(frame)
		time.Sleep(time.Minute)
		synctest.Wait()
		reaction.Refresh(call.Started, time.Now())
		if got := (&Pane{}).outcomeOf(call, reaction, i+1).span(pal).Text; got != "response" {
			t.Errorf("the history says %q", got)
		}
		s.Disconnect(context.Background())
		responses := 0
		for row := range int32(s.Store().Snapshot().Rows) {
			info, _ := s.Store().Row(row)
			if info.Dir != transport.In || !info.Kind.IsResponse() {
				continue
			}
			responses++
			for _, f := range s.FindingsAt(row) {
				t.Errorf("a finding about the server: %s %s", f.Rule.ID, f.Message)
			}
		}
		if responses != 2 {
			t.Errorf("%d responses", responses)
		}
	})
}

// scriptedSession is connected to a server that responds to initialize, and as scripted.
func scriptedSession(t *testing.T, respond func(method, id string) string) *session.Session {
	t.Helper()
	s, err := session.Open(session.Config{
		Target: client.Target{Argv: []string{"scripted"}}, Record: "off", Lint: true,
		Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20251125, Timeout: 10 * time.Second},
		Dial: func(tap client.Tap, cfg client.Config) *client.Client {
			return client.NewOver(inmemory.New(sessiontest.Scripted(func(method, id string) string {
				if method != "initialize" {
					return respond(method, id)
				}
				return `{"jsonrpc":"2.0","id":` + id + `,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`
			})), tap, cfg)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Connect(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

// What is expected is whole at any width of the list, where there are rows.
func TestBreak_ExpectationWraps(t *testing.T) {
	b := newBench(t)
	b.Compose("tools/call", `{"name":"echo"}`)
	b.enter(ofBreaks)
	b.breaks.list.SelectIndex(1 + slices.IndexFunc(jsonrpc.Mutations(), func(m jsonrpc.Mutation) bool { return m.Name == "params-array" }))
	b.pickBreak()
	for w := 40; w < 200; w++ {
		screen := b.Program.Paint(w, 50, true)
		_, words, ok := strings.Cut(screen, "expected: ")
		if !ok {
			t.Fatalf("%d cells: nothing is expected:\n%s", w, screen)
		}
		lines := strings.SplitN(words, "\n", 3)
		if strings.Contains(lines[0], "…") || !strings.Contains(lines[0]+lines[1], "response") {
			t.Errorf("%d cells: %q", w, lines[:2])
		}
	}
}

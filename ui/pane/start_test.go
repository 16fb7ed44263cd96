package pane_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/internal/test/panetest"
	"mcptea/session/question"
	"mcptea/ui/dialog"
	"mcptea/ui/pane/start"
)

// held keeps the work of the pane until the test has it done.
type held struct {
	*panetest.Program
	work []func(context.Context) func()
}

func (h *held) Go(work func(context.Context) func()) { h.work = append(h.work, work) }

func (h *held) done() {
	work := h.work
	h.work = nil
	for _, w := range work {
		if done := w(h.T.Context()); done != nil {
			done()
		}
	}
}

// A slow file system is not asked about each key that is typed.
func TestStart_FewMeaningsAreLookedUpAtATime(t *testing.T) {
	h := &held{Program: panetest.New(t)}
	var asked []string
	p := start.New(h, start.Options{Meaning: func(text string) []start.Entry { asked = append(asked, text); return nil }})
	h.Pane = p
	const maxAsking = 4
	typed := ""
	for i := range 3 * maxAsking {
		h.Type(fmt.Sprint(i % 10))
		typed += fmt.Sprint(i % 10)
	}
	if len(h.work) != maxAsking {
		t.Errorf("%d lines are looked up at a time, want %d", len(h.work), maxAsking)
	}
	for len(h.work) > 0 {
		h.done()
	}
	if asked[len(asked)-1] != typed {
		t.Errorf("the meaning of %q was asked for last, want %q", asked[len(asked)-1], typed)
	}
}

// A tap that starts or ends while the screen is there is listed, or no longer; what is selected and typed stays, and an
// older reading does not count.
func TestStart_FollowsTaps(t *testing.T) {
	h := &held{Program: panetest.New(t)}
	var names []string
	entry := func(name string) start.Entry {
		return start.Entry{Key: name, Name: name, Launch: "node " + name, Args: []string{"open", name}}
	}
	taps := func(context.Context) start.Group {
		g := start.Group{Title: "Active taps", Kind: "tap"}
		for _, name := range names {
			g.Entries = append(g.Entries, entry(name))
		}
		return g
	}
	recordings := func(context.Context) start.Group {
		return start.Group{Title: "Recordings", Kind: "recording", Entries: []start.Entry{entry("one"), entry("two")}}
	}
	opened := ""
	p := start.New(h, start.Options{
		OfTaps: []int{0}, Meaning: func(string) []start.Entry { return nil },
		Groups: []func(context.Context) start.Group{taps, recordings},
		Run:    func(e *start.Entry, _ question.Agreement, _ map[string]string) { opened = e.Name },
	})
	h.Pane = p
	p.Load()
	h.done()
	opens := func(want string) {
		t.Helper()
		opened = ""
		if h.Press("enter"); opened != want {
			t.Errorf("enter opens %q, want %q", opened, want)
		}
	}
	starts := func(now ...string) {
		names = now
		p.LoadTaps()
		h.done()
	}
	if screen := h.Paint(80, 20, true); strings.Contains(screen, "Active taps") {
		t.Error(screen)
	}
	opens("one")
	starts("good.py")
	if screen := h.Paint(80, 20, true); !strings.Contains(screen, "Active taps") || !strings.Contains(screen, "good.py") {
		t.Error(screen)
	}
	opens("one")
	h.Press("down")
	opens("two")
	starts("good.py", "other.py")
	opens("two")
	h.Type("py")
	h.done()
	opens("good.py")
	starts("another.py", "good.py")
	if line := p.Line(); line.Text != "py" {
		t.Errorf("%q is in the field", line.Text)
	}
	opens("good.py")
	p.LoadTaps()
	old := h.work
	h.work = nil
	stale := old[0](t.Context())
	starts("other.py")
	stale()
	if screen := h.Paint(80, 20, true); strings.Contains(screen, "good.py") || !strings.Contains(screen, "other.py") {
		t.Error(screen)
	}
}

// An entry whose name is the typed word is opened by enter, wherever it is in the list, and not one that has the
// word in its command. A command that is typed is opened itself, whatever an entry is called.
func TestStart_NameBeforeWhatContainsIt(t *testing.T) {
	for typed, want := range map[string]string{
		"demo":           "demo",
		"Demo":           "demo",
		"dem":            "open a.mcptea.jsonl",
		"demo --listen":  "open a.mcptea.jsonl",
		"notes":          "--server notes",
		"node server.js": "-- node server.js",
	} {
		h := &held{Program: panetest.New(t)}
		group := func(title string, entries ...start.Entry) func(context.Context) start.Group {
			return func(context.Context) start.Group { return start.Group{Title: title, Entries: entries} }
		}
		opened := ""
		p := start.New(h, start.Options{
			Groups: []func(context.Context) start.Group{
				group("Configured servers", start.Entry{Key: "1", Name: "node server.js", Args: []string{"--server", "other"}}),
				group("Recordings", start.Entry{Key: "1", Name: "a", Launch: "mcptea demo --listen", Args: []string{"open", "a.mcptea.jsonl"}}),
				group("Recent", start.Entry{Key: "1", Name: "notes-2", Args: []string{"--server", "notes-2"}}, start.Entry{Key: "2", Name: "my notes", Args: []string{"--server", "my"}}, start.Entry{Key: "3", Name: "notes", Args: []string{"--server", "notes"}}),
				group("Demo", start.Entry{Key: "demo", Name: "demo", Args: []string{"demo"}}),
			},
			Meaning: func(text string) []start.Entry {
				if strings.HasPrefix(text, "node") {
					return []start.Entry{{Key: "typed", Name: "start", Args: append([]string{"--"}, strings.Fields(text)...)}}
				}
				return []start.Entry{{Key: "typed", Problems: []start.Problem{{Text: "It is not a target."}}}}
			},
			Run: func(e *start.Entry, _ question.Agreement, _ map[string]string) { opened = strings.Join(e.Args, " ") },
		})
		h.Pane = p
		p.Load()
		h.done()
		h.Type(typed)
		for len(h.work) > 0 {
			h.done()
		}
		h.Press("enter")
		if opened != want {
			t.Errorf("%q opens %q, want %q", typed, opened, want)
		}
	}
}

// A word of mcptea, and the name of a file, mean what they mean whatever a project calls its servers, in any
// case of the letters; one that the user has called so takes it.
func TestStart_NoProjectTakesAWord(t *testing.T) {
	for _, tt := range []struct {
		typed, name string
		foreign     bool
		want        string
	}{
		{"demo", "demo", true, "demo"},
		{"demo", "DEMO", true, "demo"},
		{"Demo", "demo", true, "demo"},
		{"open", "open", true, "open"},
		{"x.jsonl", "x.jsonl", true, ""},
		{"open", "open file", true, "open"},
		{"demo", "demo", false, "--server demo"},
		{"ours", "ours", true, "--server ours"},
		{"./server", "./server", true, ""},
		{"node server.js", "node server.js", true, ""},
		{"./server", "./server", false, "--server ./server"},
	} {
		h := &held{Program: panetest.New(t)}
		group := func(title string, entries ...start.Entry) func(context.Context) start.Group {
			return func(context.Context) start.Group { return start.Group{Title: title, Entries: entries} }
		}
		opened := ""
		p := start.New(h, start.Options{
			Groups: []func(context.Context) start.Group{
				group("Configured servers", start.Entry{Key: "1", Name: tt.name, Launch: "touch x", Foreign: tt.foreign, Args: []string{"--server", tt.name}}),
				group("Recent", start.Entry{Key: "1", Name: tt.name, Foreign: true, Args: []string{"recent"}}),
				group("Demo", start.Entry{Key: "demo", Name: "demo", Args: []string{"demo"}}),
			},
			Meaning: func(text string) []start.Entry {
				switch text {
				case "open":
					return []start.Entry{{Key: "typed", Name: "typed", First: true, Args: []string{"open"}}}
				case "ours", "./server", "node server.js":
					return []start.Entry{{Key: "typed", Problems: []start.Problem{{Text: "It is not a target."}}}}
				}
				return []start.Entry{{Key: "typed", First: true, Problems: []start.Problem{{Text: "It is not a target."}}}}
			},
			Run: func(e *start.Entry, _ question.Agreement, _ map[string]string) { opened = strings.Join(e.Args, " ") },
		})
		h.Pane = p
		p.Load()
		h.done()
		h.Type(tt.typed)
		for len(h.work) > 0 {
			h.done()
		}
		h.Press("enter")
		if opened != tt.want {
			t.Errorf("%q with the server %q opens %q, want %q", tt.typed, tt.name, opened, tt.want)
		}
	}
}

// A row counts only while the pane has the keys: what a window covers, or another session has the keys beside it,
// is not being read.
func TestStart_CoveredIsNotInSight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &held{Program: panetest.New(t)}
		opened := false
		ask := &start.Ask{Consent: dialog.Consent{Title: "Start?", Text: question.Text{Name: "command", Line: question.CommandLine, Lines: []string{"npx"}}, Yes: "start", No: "cancel"}}
		p := start.New(h, start.Options{
			Groups: []func(context.Context) start.Group{func(context.Context) start.Group {
				return start.Group{Title: "Servers", Entries: []start.Entry{{Key: "1", Name: "ours", Args: []string{"x"}, Ask: ask}}}
			}},
			Run: func(*start.Entry, question.Agreement, map[string]string) { opened = true },
		})
		h.Pane = p
		p.Load()
		h.done()
		h.Paint(h.W, h.H, false)
		time.Sleep(time.Hour)
		h.Press("enter")
		if opened {
			t.Error("enter agrees to what was covered until now")
		}
	})
}

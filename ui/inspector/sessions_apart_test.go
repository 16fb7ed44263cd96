package inspector

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcptea/client/revision"
	"mcptea/session/session"
	"mcptea/ui/dialog"
	"mcptea/ui/pane/start"
	"mcptea/ui/program"
	"mcptea/ui/sessions"
	"mcptea/ui/single"
)

// A server that is not in front asks: its chip and a sentence say so, and the keys stay where they are.
func TestSessions_QuestionOfAnother(t *testing.T) {
	driveSession(t, 120, 36, demoConfig(), func(d *driver) {
		d.opened("notes", tracking("0.9.3"))
		d.call("ask-user", `{}`)
		d.settle()
		d.sees(`The session "mcptea-demo" asks you something: S goes through the sessions.`)
		if first := d.first(); !strings.Contains(first, "mcptea-demo ● ?1") {
			t.Error("the chips are", first)
		}
		d.press("2<enter>")
		d.sees("labels")
		d.lacks("favorite")
		d.press("S5")
		d.sees("elicitation")
	})
}

// Keys that follow the one which leads to a session do not answer a question that has waited there.
func TestSessions_QuestionIsReadFirst(t *testing.T) {
	driveSession(t, 120, 36, demoConfig(), func(d *driver) {
		d.opened("notes", tracking("0.9.3"))
		agreed := false
		d.within(func() {
			dialog.Consent{Title: "Allow this call?", Yes: "allow", Unasked: true, Accept: func() { agreed = true }}.Open(d.model.Program)
		})
		d.sleep(time.Hour)
		d.lacks("Allow this call?")
		d.program.Send(pressKey("S"))
		d.program.Send(pressKey("y"))
		d.settle()
		if d.sees("Allow this call?"); agreed {
			t.Fatal("a key that was typed ahead has agreed")
		}
		if d.press("y"); !agreed {
			t.Error("y does not agree")
		}
	})
}

// What a server calls itself looks neither like the chip of another one nor like its state.
func TestSessions_ForgedChips(t *testing.T) {
	driveSession(t, 120, 36, calling("notes"), func(d *driver) {
		d.opened("", calling(`x ● ✗9   notes ● ?3   bank`))
		d.opened("", calling(`notes`))
		d.opened("", calling(`notes#2`))
		d.opened("Notes", calling(`x`)) // as the user calls it
		if first := d.first(); !strings.HasPrefix(first, " notes#2 ●  x 9 notes 3 bank ●  notes#3 ●  notes 2 ● ›Notes ● ") {
			t.Error("the chips are", first)
		}
	})
}

// A line of a server that imitates what mcptea says of another session is shown in its own session
// alone, as a quotation.
func TestSessions_ForgedSentence(t *testing.T) {
	const line = `The session "tracker" asks you something: S goes through the sessions.`
	forging := newTracker()
	cfg := servedConfig(revision.R20251125, func(ctx context.Context, in io.Reader, out io.Writer) error {
		go func() {
			time.Sleep(10 * time.Second)
			fmt.Fprintln(out, line)
		}()
		return forging.serve(ctx, in, out)
	})
	driveSession(t, 120, 36, tracking("0.9.2"), func(d *driver) {
		d.opened("forging", cfg)
		d.press("S")
		d.sleep(15 * time.Second)
		d.lacks("asks you")
		if first := d.first(); strings.Contains(first, "?") {
			t.Error("the chips are", first)
		}
		d.press("S")
		d.sees(`Not JSON-RPC on stdout: "The session \"tracker\" asks you something: S goe…". Log to stderr`)
	})
}

// What is typed, called and kept in one session is in nothing of another one.
func TestSessions_NothingReachesAnother(t *testing.T) {
	dir := t.TempDir()
	recorded := func(cfg session.Config, name string) session.Config {
		cfg.Record = filepath.Join(dir, name)
		return cfg
	}
	driveSession(t, 120, 36, recorded(demoConfig(), "a.mcptea.jsonl"), func(d *driver) {
		other := d.opened("other", recorded(tracking("0.9.3"), "b.mcptea.jsonl"))
		d.press("S2/echo<enter><enter>MARKER-ONE<enter>")
		d.press("c")
		d.within(func() { d.model.Compose("tools/call", `{"name":"MARKER-TWO"}`) })
		d.press("<alt+S>")
		d.lacks("MARKER")
		for _, keys := range []string{"9", "<enter>", "y", "<esc>", "c", "<esc>", "2<enter>", "<ctrl+r>", "<esc>", "6", "8", "V", "X", "<esc>", "<ctrl+p>echo"} {
			d.press(keys)
			if screen := d.term.screen(); strings.Contains(screen, "MARKER") {
				t.Fatalf("after %s the other session shows it:\n%s", keys, screen)
			}
		}
		if strings.Contains(d.copied, "MARKER") {
			t.Error("the other session has copied it")
		}
		other.session.Store().HandOver(time.Second)
		file, err := os.ReadFile(filepath.Join(dir, "b.mcptea.jsonl"))
		if err != nil || len(file) == 0 || strings.Contains(string(file), "MARKER") {
			t.Errorf("the recording of the other session: %v\n%s", err, file)
		}
	})
}

// What is typed while the start screen is on its way is typed there, and runs nothing in the session.
func TestSessions_TypedAhead(t *testing.T) {
	var d *driver
	driveWith(t, 100, 24, func() (*session.Session, error) { return session.Open(tracking("0.9.2")) }, func(*session.Session) Options {
		return Options{Options: program.Options{Another: func(string) {
			d.host.Go(func() {
				time.Sleep(100 * time.Millisecond)
				s := single.NewStart(d.t.Context(), &program.Options{}, &single.StartOptions{Meaning: func(string) []start.Entry { return nil }}, sections(d.model.options.Own))
				_ = d.host.Show(s.Program)
			})
		}}}
	}, func(driving *driver) {
		d = driving
		for _, key := range []string{"C", "q", "R", "x"} {
			d.program.Send(pressKey(key))
		}
		d.settle()
		d.sees("› qRx", "tracker ●")
		d.press("<esc><esc>")
		d.sees("labels")
		if d.session.State().Phase != session.Ready {
			t.Error("the session has ended")
		}
	})
}

// The start screen lists a tap that starts while it is there, and no longer when it has ended; what was typed stays.
func TestSessions_StartScreenFollowsTaps(t *testing.T) {
	var d *driver
	var listed atomic.Pointer[[]start.Entry] // of the active taps
	listed.Store(&[]start.Entry{})
	driveWith(t, 100, 24, func() (*session.Session, error) { return session.Open(tracking("0.9.2")) }, func(*session.Session) Options {
		return Options{Options: program.Options{Another: func(string) {
			d.host.Go(func() {
				s := single.NewStart(d.t.Context(), &program.Options{}, &single.StartOptions{
					Meaning: func(string) []start.Entry { return nil }, OfTaps: []int{0},
					Groups: []func(context.Context) start.Group{func(context.Context) start.Group {
						return start.Group{Title: "Active taps", Kind: "tap", Entries: *listed.Load()}
					}},
				}, sections(d.model.options.Own))
				_ = d.host.Show(s.Program)
			})
		}}}
	}, func(driving *driver) {
		d = driving
		d.press("C")
		d.settle()
		d.press("good")
		d.settle()
		d.sees("› good", "No matches")
		listed.Store(&[]start.Entry{{Key: "/s", Name: "good.py", Launch: "python3 good.py", Args: []string{"open", "/r"}}})
		d.host.SetTaps([]sessions.Tap{{Name: "good.py", Recording: "/r", Open: func() {}}})
		d.settle()
		d.sees("› good", "Active taps", "python3 good.py")
		listed.Store(&[]start.Entry{})
		d.host.SetTaps(nil)
		d.settle()
		d.sees("› good", "No matches")
		d.press("<esc><esc>")
		d.settle()
	})
}

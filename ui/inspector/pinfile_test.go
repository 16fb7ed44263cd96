package inspector

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/session/runs/pins"
)

// What a file of pins takes from outside of it is sent after the user has agreed to it,
// once for what it takes.
func TestPins_OutsideIsAskedOnce(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("MCPTEA_TEST_TOKEN", "ENVSECRET")
	private := filepath.Join(t.TempDir(), "private.json")
	if err := os.WriteFile(private, []byte(`{"secret":"FILESECRET"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(t.TempDir(), "mcptea.txtar")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(project, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	variable := "# a\ncall labels {\"q\":\"{{env.MCPTEA_TEST_TOKEN}}\"}\nexpect {}\n"
	file := "# b\ncall issue @" + private + "\nexpect {}\n"
	within := "# c\ncall issue @args.json\nexpect {}\n-- args.json --\n{\"q\":\"{{env.MCPTEA_TEST_TOKEN}}\"}\n"
	plain := "# d\ncall labels {\"x\":1}\nexpect {}\n"
	session := func(script func(d *driver, s *tracker)) {
		t.Helper()
		s := newTracker()
		driveServer(t, 120, 36, s.serve, func(d *driver) {
			d.within(func() { usePins(d.model, pins.New(d.model.Ctx, d.session, project)) })
			d.within(func() {
				_ = d.model.pins.Load()
				d.model.pins.Update(d.session.State())
			})
			s.called()
			script(d, s)
			d.model.pins.Wait()
		})
	}
	restarted := func(d *driver, s *tracker, want string) {
		t.Helper()
		d.command("restart")
		if got := s.called(); got != want {
			t.Errorf("the restart called %q, want %q", got, want)
		}
	}
	asks := "Send these pinned requests?"
	for _, text := range []string{variable, file, within} {
		write(text)
		session(func(d *driver, s *tracker) {
			restarted(d, s, "")
			d.sees(asks, project[:20], "y send, now", "tracker 0.9.2", strings.Split(text, "\n")[1][:20])
			d.press("<enter>")
			d.press("<esc>")
			d.lacks(asks)
			restarted(d, s, "") // declined: not asked again by itself
			d.lacks(asks)
			d.command("pins")
			d.press("<enter>")
			d.sees(asks)
			if got := s.called(); got != "" {
				t.Errorf("called %q before the user agrees", got)
			}
			d.press("y")
			d.lacks(asks)
			if got := s.called(); got == "" {
				t.Error("not called after the user has agreed")
			}
		})
		session(func(d *driver, s *tracker) { // remembered
			d.command("restart")
			d.lacks(asks)
			if got := s.called(); got == "" {
				t.Error("not called although the user has agreed before")
			}
			write(strings.Replace(text, "# ", "call labels {\"y\":\"{{env.HOME}}\"}\nexpect {}\n# ", 1)) // another content
			restarted(d, s, "")
			d.sees(asks)
		})
	}
	write(plain)
	session(func(d *driver, s *tracker) { restarted(d, s, "labels") })
}

// The file of the pins stays readable for those who could read it.
func TestPins_FileKeepsItsMode(t *testing.T) {
	for _, mode := range []os.FileMode{0o644, 0o600, 0o664} {
		driveServer(t, 120, 36, newTracker().serve, func(d *driver) {
			path := d.model.pins.Path()
			if err := os.WriteFile(path, []byte("# first\ncall comment {\"x\":1}\nexpect {}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			pinAll(d)
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), "call labels") {
				t.Errorf("%v: %s", err, text)
			}
			if info, err := os.Stat(path); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != mode {
				t.Errorf("mode %v, %v; want %v", info.Mode(), err, mode)
			}
		})
	}
}

func TestPins_OfAnotherServerAreClosed(t *testing.T) {
	driveServer(t, 120, 36, newTracker().serve, func(d *driver) {
		if err := os.WriteFile(d.model.pins.Path(), []byte("# a\ncall add_note {\"x\":1}\nexpect {}\n\n# b\ncall list_notes\nexpect {}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		d.within(func() { _ = d.model.pins.Load() })
		d.command("restart")
		d.lacks("add_note")
		d.command("pins")
		d.sees("2 pins of mcptea.txtar: the server has no tool add_note or list_notes", "add_note", `the server has no tool "add_note"`)
	})
}

func TestPins_FileNamesItsServer(t *testing.T) {
	s := newTracker()
	driveServer(t, 120, 36, s.serve, func(d *driver) {
		pinAll(d)
		path := d.model.pins.Path()
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(text), "# server: tracker\n\n# labels\n") {
			t.Fatalf("the file is %q, %v", text, err)
		}
		other := strings.Replace(string(text), "tracker", "notes", 1)
		if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
			t.Fatal(err)
		}
		s.called()
		d.within(func() { _ = d.model.pins.Load() })
		d.command("restart")
		d.lacks("mcptea.txtar")
		d.command("pins")
		d.sees(`3 pins of mcptea.txtar: the file is for the server "notes"`)
		if calls := s.called(); calls != "" {
			t.Errorf("the pins of another server have called %s", calls)
		}
	})
}

// All pins run at one key: those that only read at once, the others after a question that shows their requests.
// Who does not agree is told what was left, and how it runs.
func TestPins_RunAllAsks(t *testing.T) {
	for _, size := range screenSizes {
		s := newTracker()
		driveServer(t, size[0], size[1], s.serve, func(d *driver) {
			pinAll(d)
			d.command("pins")
			s.called()
			d.command("again")
			d.sees("Run this pinned call?", "not declared read-only", "call comment", "mcptea.txtar", "tracker 0.9.2", "y run, once")
			d.press("<esc>")
			d.sees("2 pins run, 1 pin not run: not declared read-only. enter runs one.", "✓ comment") // as it was pinned
			if calls := s.called(); strings.Contains(calls, "comment") || strings.Count(calls, " ") != 1 {
				t.Errorf("called %q", calls)
			}
			d.command("again")
			d.press("y")
			d.settle()
			if calls := s.called(); strings.Count(calls, "comment") != 1 || strings.Count(calls, " ") != 2 {
				t.Errorf("called %q", calls)
			}
			d.sees("✓ labels", "✓ issue", "✓ comment")
		})
	}
}

// Where no pin only reads, the key asks too, and sends nothing before; pins of another server are told.
func TestPins_RunAllWhereNoneReads(t *testing.T) {
	s := newTracker()
	s.set("tools/list", strings.ReplaceAll(trackerTools, `"readOnlyHint":true`, `"readOnlyHint":false`))
	driveServer(t, 80, 24, s.serve, func(d *driver) {
		pinAll(d)
		d.command("pins")
		d.command("restart")
		d.command("pins")
		s.called()
		d.command("again")
		d.sees("Run these 3 pinned calls?", "call labels", "call issue", "call comment")
		d.press("<esc>")
		d.sees("3 pins not run: not declared read-only. enter runs one.")
		if calls := s.called(); calls != "" {
			t.Errorf("called %q", calls)
		}
		d.command("again")
		d.press("y")
		d.sees("✓ labels", "✓ issue", "✓ comment")
		text, err := os.ReadFile(d.model.pins.Path())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(d.model.pins.Path(), bytes.Replace(text, []byte("# server: tracker"), []byte("# server: notes"), 1), 0o600); err != nil {
			t.Fatal(err)
		}
		d.within(func() { _ = d.model.pins.Load() })
		s.called()
		d.command("again")
		d.sees("3 pins not run: the file is for the server notes. enter runs one.")
		if calls := s.called(); calls != "" {
			t.Errorf("called %q", calls)
		}
	})
}

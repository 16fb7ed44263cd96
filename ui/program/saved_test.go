package program

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"mcptea/internal/test/press"
	"mcptea/themes"
	"mcptea/ui/keys"
)

// placed is an error at a line of a file.
type placed struct {
	path string
	line int
}

func (e placed) Error() string { return e.path + ":" + strconv.Itoa(e.line) + ": wrong" }

func (e placed) Place() (path string, line int) { return e.path, e.line }

// Settings that are saved are taken over at once, all of them or none; what cannot be used is told, and the
// ones before stay.
func TestSaved_TakenOverOrTold(t *testing.T) {
	type saved struct {
		Settings
		err error
	}
	came := make(chan saved, 1)
	l := newLooped(t, 100, 24)
	l.options.Themes = &themes.Catalog{}
	l.options.Saved = func(ctx context.Context) (Settings, error) {
		select {
		case s := <-came:
			return s.Settings, s.err
		case <-ctx.Done():
			return Settings{}, ctx.Err()
		}
	}
	l.sections = func() ([]keys.Section, error) {
		return []keys.Section{{Name: "first", Commands: l.screen.panes[0].Commands()}}, nil
	}
	l.followSettings()
	waits := l.Queued()
	look := func(s saved) {
		t.Helper()
		came <- s
		_, waits = l.Update(waits())
	}
	look(saved{Settings: Settings{Theme: "nord", NoMouse: true, Quiet: true, Keys: map[string][]string{"copy": {"f9"}}}})
	l.sees("settings were read again")
	if l.Pal.Theme.Name != "nord" || !l.noMouse || !l.options.Quiet {
		t.Errorf("theme %s, mouse %t, quiet %t", l.Pal.Theme.Name, !l.noMouse, l.options.Quiet)
	}
	l.Update(press.Key("f9"))
	l.ran(0, "copy")
	for _, wrong := range []saved{
		{err: errors.New("config.yaml:3: wrong")},
		{Settings: Settings{Theme: "no-such-theme"}},
		{Settings: Settings{Theme: "nord", Keys: map[string][]string{"no.such": {"f9"}}}},
	} {
		look(wrong)
		l.sees("The previous settings stay.")
		if l.Pal.Theme.Name != "nord" || !l.noMouse || !l.options.Quiet {
			t.Errorf("%+v changed theme %s, mouse %t, quiet %t", wrong, l.Pal.Theme.Name, !l.noMouse, l.options.Quiet)
		}
	}
	look(saved{Settings: Settings{Theme: "nord", Keys: map[string][]string{"copy": {"f9"}, "command.mine": {"f10"}}, Own: []string{"command.mine"}}})
	l.sees("New commands and filters, and their keys, apply from the next start.")
	look(saved{err: placed{"/home/dev/config.yaml", 3}})
	if row := l.View().Content; runtime.GOOS != "windows" && !strings.Contains(row, "/home/dev/config.yaml\a/home/dev/config.yaml:3\x1b]8;;") {
		t.Errorf("the place is no link: %q", row)
	}
	l.Update(press.Key("f9"))
	l.ran(0, "copy, copy")
}

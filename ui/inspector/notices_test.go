package inspector

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"mcptea/demo"
)

// written are the sequences of a kind that the program has written since the last look.
func (d *driver) written(kind string) []string {
	d.term.mu.Lock()
	defer d.term.mu.Unlock()
	var all []string
	for _, m := range regexp.MustCompile(`\x1b\]`+kind+`;([^\x07\x1b]*)`).FindAllStringSubmatch(d.term.raw.String(), -1) {
		all = append(all, m[1])
	}
	d.term.raw.Reset()
	return all
}

func inKitty(t *testing.T) {
	before := terminalEnv
	terminalEnv = []string{"TERM=xterm-kitty"}
	t.Cleanup(func() { terminalEnv = before })
}

// The end of a long call is told while the window does not have the focus, with how it has ended; that of a
// quick one never is.
func TestNotices_EndOfALongCall(t *testing.T) {
	inKitty(t)
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		long := func() []string {
			d.written("99")
			c := d.session.Start("tools/call", []byte(`{"name":"slow-answer","arguments":{"seconds":12}}`))
			d.sleep(14 * time.Second)
			if c.Running() {
				t.Fatal("the call runs still")
			}
			return d.written("99")
		}
		if got := long(); len(got) != 0 {
			t.Errorf("before the terminal has said anything of its focus: %q", got)
		}
		d.program.Send(tea.BlurMsg{})
		got := strings.Join(long(), "|")
		if !strings.Contains(got, "tools/call slow-answer: ok after 12") {
			t.Errorf("without the focus: %q", got)
		}
		d.call("echo", `{"message":"x"}`)
		d.settle()
		if got := d.written("99"); len(got) != 0 {
			t.Errorf("after a quick call: %q", got)
		}
		d.model.options.Quiet = true
		if got := long(); len(got) != 0 {
			t.Errorf("with notify: false: %q", got)
		}
		d.model.options.Quiet = false
		c := d.session.Start("tools/call", []byte(`{"name":"slow-answer","arguments":{"seconds":30}}`))
		d.sleep(11 * time.Second)
		_ = d.session.Cancel(c.ID)
		d.settle()
		if got := strings.Join(d.written("99"), "|"); !strings.Contains(got, "slow-answer: cancelled after 11") {
			t.Errorf("a cancelled call: %q", got)
		}
		d.program.Send(tea.FocusMsg{})
		if got := long(); len(got) != 0 {
			t.Errorf("with the focus: %q", got)
		}
	})
}

// status is what the terminal was told last of the program.
func (d *driver) status() string {
	all := d.written("7501")
	if len(all) == 0 {
		return ""
	}
	last := regexp.MustCompile(`(title|msg|message)=([A-Za-z0-9+/=]*)`).ReplaceAllStringFunc(all[len(all)-1], func(s string) string {
		name, value, _ := strings.Cut(s, "=")
		text, _ := base64.StdEncoding.DecodeString(value)
		return name + "=" + string(text)
	})
	return last
}

// The status follows what the session does; quick calls leave it alone.
func TestNotices_ProgramStatus(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		is := func(want ...string) {
			t.Helper()
			got := d.status()
			for _, w := range want {
				if !strings.Contains(got, w) {
					t.Errorf("status %q, want %q", got, w)
				}
			}
		}
		is("state=idle", "app=mcptea")
		d.call("echo", `{"message":"x"}`)
		d.settle()
		if got := d.status(); got != "" {
			t.Errorf("after a quick call: %q", got)
		}
		d.program.Send(tea.BlurMsg{})
		d.session.Start("tools/call", []byte(`{"name":"slow-answer","arguments":{"seconds":12}}`))
		d.sleep(2 * time.Second)
		is("state=working")
		d.sleep(12 * time.Second)
		is("state=done")
		d.program.Send(tea.FocusMsg{})
		d.settle()
		is("state=idle")
		d.session.Start("tools/call", []byte(`{"name":"ask-user","arguments":{}}`))
		d.settle()
		is("state=blocked", "kind=question")
	})
}

// A request of the server for the user is told once.
func TestNotices_TheServerAsks(t *testing.T) {
	inKitty(t)
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.program.Send(tea.BlurMsg{})
		d.written("99")
		d.session.Start("tools/call", []byte(`{"name":"ask-user","arguments":{}}`))
		d.sleep(3 * time.Second)
		if got := strings.Join(d.written("99"), "|"); strings.Count(got, "The server asks you: elicitation/create") != 1 {
			t.Errorf("told %q", got)
		}
	})
}

// A terminal that changes between light and dark changes the theme, and is asked for its background, which
// decides. A theme that the user has chosen stays.
func TestAppearance_LightAndDarkFollowTheTerminal(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		dark := d.model.Pal.Theme.Name
		d.written("11")
		d.program.Send(uv.LightColorSchemeEvent{})
		d.settle()
		light := d.model.Pal.Theme.Name
		if light == dark || d.model.Pal.Theme.Dark {
			t.Errorf("the theme is %s", light)
		}
		if got := d.written("11"); len(got) != 1 || got[0] != "?" {
			t.Errorf("asked for the background: %q", got)
		}
		d.program.Send(uv.DarkColorSchemeEvent{})
		d.settle()
		if got := d.model.Pal.Theme.Name; got != dark {
			t.Errorf("the theme is %s, want %s", got, dark)
		}
		d.press("<ctrl+y>")
		chosen := d.model.Pal.Theme.Name
		d.program.Send(uv.LightColorSchemeEvent{})
		d.settle()
		if got := d.model.Pal.Theme.Name; got != chosen {
			t.Errorf("the theme is %s, chosen was %s", got, chosen)
		}
	})
}

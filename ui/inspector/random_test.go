package inspector

import (
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/demo"
	"mcptea/internal/test/raced"
)

// Random keys, clicks, pastes and sizes neither end the program nor break its
// rows, also while the server sends what is invalid.
func TestRandomInput(t *testing.T) {
	raced.Never(t, "draws the screen after each of many random keys")
	t.Setenv("VISUAL", "true") // the list of commands runs the editor too
	t.Setenv("PATH", t.TempDir())
	t.Chdir(t.TempDir()) // for the files that keys write
	steps := steps(100, 1500)
	for seed, fault := range []string{"", "bad-json", "wrong-id", "exit-on-call", "huge-line"} {
		t.Run("seed "+string(rune('0'+seed))+" "+fault, func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(seed), 7))
			drive(t, 120, 36, demo.Options{Fault: fault}, func(d *driver) {
				d.term.blind.Store(true) // the emulator has one size
				d.model.writeFile = func(_ string, write func(io.Writer) error) error { return write(io.Discard) }
				keys := randomKeys(t)
				for i := range steps {
					d.program.Send(randomInput(random, keys))
					if i%10 == 0 {
						d.sleep(time.Duration(random.IntN(200)) * time.Millisecond)
					}
				}
				d.program.Send(tea.WindowSizeMsg{Width: 120, Height: 36})
				d.settle()
				d.sleep(2 * time.Second)
				if d.model.Window() != nil {
					d.press("<esc><esc><esc>")
				}
				for _, row := range strings.Split(d.model.View().Content, "\n") {
					if w := ansi.StringWidth(row); w != 120 {
						t.Errorf("a row of %d cells: %q", w, row)
					}
				}
				for range 4 { // f1 closes a list of the composer first
					if d.press("<f1>"); strings.Contains(d.model.View().Content, "Find") {
						break
					}
				}
				if !strings.Contains(d.model.View().Content, "Find") {
					t.Errorf("f1 shows\n%s", ansi.Strip(d.model.View().Content))
				}
			})
		})
	}
}

// Random keys end the program in no state in which text is typed or a question asked.
func TestRandomInput_States(t *testing.T) {
	raced.Never(t, "draws the screen after each of many random keys")
	t.Setenv("VISUAL", "true")
	t.Setenv("PATH", t.TempDir())
	t.Chdir(t.TempDir()) // for the files that keys write
	steps := steps(40, 800)
	states := []struct{ name, keys, shows string }{
		{"list of commands", "<f2>", "Find"},
		{"filter of Traffic", "9/", "esc clear"},
		{"filter of Tools", "2/", "/"},
		{"filter of Logs", "6/", "/"},
		{"filter of Resources", "3/", "/"},
		{"go to", "9:", "Find"},
		{"note", "9<home>a", "Note"},
		{"breakpoint", "b", "reakpoint"},
		{"path of an export", "X<tab>", "Export"},
		{"form", "2<enter>", "message"},
		{"JSON of a form", "2<enter><alt+v>", "{"},
		{"response to sampling", "5<enter>", "sampling/createMessage"},
		{"composer", "c", "Compose"},
		{"roots", "<f2>roots<enter>", "Roots"},
		{"timeline", "9tt", "Timeline"},
		{"sequence", "9ttt", "Sequence"},
		{"frame", "9<home><enter>/", "Traffic"},
	}
	for seed, state := range states {
		t.Run(state.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(seed), 8))
			drive(t, 120, 36, demo.Options{}, func(d *driver) {
				d.call("ask-model", `{}`)
				d.press(state.keys)
				d.sees(state.shows)
				d.term.blind.Store(true)
				d.model.writeFile = func(_ string, write func(io.Writer) error) error { return write(io.Discard) }
				keys := append(randomKeys(t), readlineKeys()...)
				for i := range steps {
					d.program.Send(randomInput(random, keys))
					if i%16 == 15 { // back into the state
						d.program.Send(tea.WindowSizeMsg{Width: 120, Height: 36})
						d.press("<esc><esc><esc><esc>" + state.keys)
					}
				}
				d.settle()
			})
		})
	}
	t.Run("start screen", func(t *testing.T) {
		random := rand.New(rand.NewPCG(1008, 8))
		s := startedScreen(t, 100, 30)
		for i := range steps {
			if s.send(randomInput(random, readlineKeys())); i%20 == 0 {
				s.send(tea.WindowSizeMsg{Width: 100, Height: 30})
			}
			_ = s.screen()
		}
	})
	t.Run("list of recordings", func(t *testing.T) {
		random := rand.New(rand.NewPCG(1009, 8))
		l := newListDriver(t, 100, 30)
		keys := append(randomKeys(t), readlineKeys()...)
		for range steps {
			l.m.Update(randomInput(random, keys)) // its commands are not run: they read files
			l.look()
			_ = l.m.View()
		}
	})
}

// randomKeys are all keys of the table but those that quit, or that run another
// program.
func randomKeys(t testing.TB) []string {
	var keys []string
	for _, section := range allSections(t) {
		for _, c := range section.Commands {
			switch c.ID {
			case "quit", "interrupt", "suspend", "source.open":
				continue
			}
			keys = append(keys, c.All()...)
		}
	}
	return append(keys, "a", "Z", "é", "日", "{", "\"", "1", "-", "backspace", "delete", "left", "right")
}

func randomInput(random *rand.Rand, keys []string) tea.Msg {
	x, y := random.IntN(130), random.IntN(40)
	switch n := random.IntN(100); {
	case n < 3:
		return tea.WindowSizeMsg{Width: 1 + random.IntN(220), Height: 1 + random.IntN(70)}
	case n < 8:
		return tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}
	case n < 12:
		return tea.MouseWheelMsg{X: x, Y: y, Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[random.IntN(2)]}
	case n < 14:
		return tea.PasteMsg{Content: []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "a\x1b[2Jb\u202e\n\tc", strings.Repeat("long ", 5000)}[random.IntN(3)]}
	case n < 17:
		return tea.MouseMotionMsg{X: x, Y: y, Button: tea.MouseLeft}
	case n < 20:
		return tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft}
	default:
		return pressKey(keys[random.IntN(len(keys))])
	}
}

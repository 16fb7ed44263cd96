package inspector

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"

	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/program"
)

// hint is a key that the screen names, with what it says that the key does.
type hint struct {
	key  string // as Bubble Tea calls it
	says string
}

// namedKeys are the keys by what they are called on the screen.
var namedKeys = func() map[string]string {
	names := map[string]string{}
	add := func(k string) { names[keys.KeyName(k)] = k }
	for r := '!'; r <= '~'; r++ {
		for _, chord := range []string{"", "alt+", "ctrl+"} {
			add(chord + string(r))
		}
	}
	for _, k := range []string{"up", "down", "left", "right", "pgup", "pgdown", "home", "end", "enter", "esc", "tab", "space", "backspace", "delete"} {
		for _, chord := range []string{"", "alt+", "shift+", "ctrl+"} {
			add(chord + k)
		}
	}
	for n := range 12 {
		add(fmt.Sprintf("f%d", n+1))
	}
	return names
}()

// hints reads the keys that the screen names: bold, in the color of what can be pressed, and what stands
// behind each in another style, up to two blanks.
func (d *driver) hints() []hint {
	d.term.mu.Lock()
	defer d.term.mu.Unlock()
	return hintsIn(d.term.emu, &d.model.Pal.Theme)
}

func hintsIn(emu *vt.Emulator, theme *themes.Theme) (all []hint) {
	isKey := func(c *uv.Cell) bool { return letterOf(c, theme) == 'A' }
	for y := range emu.Height() {
		var line []*uv.Cell
		for x := range emu.Width() {
			if c := emu.CellAt(x, y); c != nil && c.Content != "" {
				line = append(line, c)
			}
		}
		for x := 0; x < len(line); {
			if !isKey(line[x]) {
				x++
				continue
			}
			from := x
			for x < len(line) && (isKey(line[x]) || line[x].Content == " " && x+1 < len(line) && isKey(line[x+1])) {
				x++
			}
			key := textOf(line[from:x])
			to := x
			for to < len(line) && !isKey(line[to]) && !strings.ContainsAny(line[to].Content, "│╮╭─┬┤├") &&
				(to == x || line[to].Content != " " || line[to-1].Content != " ") {
				to++
			}
			if says := strings.TrimSpace(textOf(line[x:to])); says != "" {
				all = append(all, hintsOf(key, says)...)
			}
		}
	}
	return all
}

// hintsOf are the hints of a text such as "tab", "↑/↓" or "page up".
func hintsOf(key, says string) (all []hint) {
	if k, ok := namedKeys[key]; ok {
		return []hint{{k, says}}
	}
	for name := range strings.FieldsFuncSeq(key, func(r rune) bool { return r == ' ' || r == '/' }) {
		if k, ok := namedKeys[name]; ok {
			all = append(all, hint{k, says})
		}
	}
	return all
}

func textOf(line []*uv.Cell) string {
	var b strings.Builder
	for _, c := range line {
		b.WriteString(c.Content)
	}
	return b.String()
}

// seen is what a user can tell of a moment.
type seen struct {
	body   string // the screen without the last row
	last   string // the last row
	flash  string
	window app.Dialog
	focus  string // the part of the screen that has it
	sent   int    // frames
	copied int    // texts, by the sequence of the terminal
}

func (d *driver) look() seen {
	screen := d.term.screen()
	end := max(0, strings.LastIndexByte(screen, '\n'))
	s := seen{body: screen[:end], last: screen[end:], flash: d.model.Flash.Text, window: d.model.Window()}
	if f := d.model.Focused(); f != nil {
		s.focus = f.Section()
	}
	s.sent = d.session.Store().Snapshot().Out
	d.term.mu.Lock()
	s.copied = strings.Count(d.term.raw.String(), "\x1b]52;")
	d.term.mu.Unlock()
	return s
}

// effect reports whether what happened between two moments is what a label says.
type effect func(before, after seen) bool

var (
	sends  effect = func(b, a seen) bool { return a.sent > b.sent }
	opens  effect = func(b, a seen) bool { return a.window != nil && a.window != b.window }
	closes effect = func(b, a seen) bool { return a.window != b.window || a.window == nil && a.body != b.body }
	goes   effect = func(b, a seen) bool { return a.focus != b.focus && a.sent == b.sent }
	shows  effect = func(b, a seen) bool {
		return (a.body != b.body || a.last != b.last) && a.sent == b.sent && a.window == b.window
	}
	copies effect = func(b, a seen) bool { return a.copied > b.copied || strings.Contains(a.flash, "opied") }
	// applies is the end of a line: what is typed counts, and the screen above may be as before.
	applies effect = func(b, a seen) bool { return a.last != b.last && a.sent == b.sent }
	says    effect = func(b, a seen) bool { return a.flash != "" && a.flash != b.flash }
)

// either is one of some effects.
func either(all ...effect) effect {
	return func(b, a seen) bool {
		return slices.ContainsFunc(all, func(e effect) bool { return e(b, a) })
	}
}

// clocks are what changes by itself.
var clocks = regexp.MustCompile(`[\d.:]+|[⠀-⣿]`)

// startsAlike reports whether all but the last rows of two screens are the same, on which a sentence may be.
func startsAlike(a, b string) bool {
	rows := func(screen string) []string {
		all := strings.Split(clocks.ReplaceAllString(screen, ""), "\n")
		return all[:max(0, len(all)-3)]
	}
	return slices.Equal(rows(a), rows(b))
}

// refused reports whether a key has only said why it does nothing.
func refused(b, a seen) bool {
	return a.flash != "" && a.flash != b.flash && a.window == b.window && a.sent == b.sent && a.focus == b.focus && startsAlike(a.body, b.body)
}

// effects are what labels mean, some of them only of one key. A label that is not listed fails the test.
var effects = func() map[string]effect {
	all := map[string]effect{}
	for _, row := range []struct {
		effect
		labels []string
	}{
		{sends, []string{
			"ctrl+s send", "y send", "send all of this tool", "refresh", "request", "request the list of tasks", "@ subscribe", "@ unsubscribe",
			"x cancel", "x cancel call", "x cancels", "decline", "reload", "restart", "restart and send again", "forward as edited",
		}},
		{either(sends, shows), []string{"try again", "enter send", "run", "run all", "complete", "drop", "ctrl+s accept", "skip"}}, // or a field says what it lacks
		{opens, []string{
			"add a breakpoint", "full diff", "all keys", "keys", "commands", "branch", "change the command", "change the URL", "correct the command", "paste a token", "token",
			"export", "policies", "lists those without a key", "allow", "allow tool", "allow tools", "server level", "roots",
			"filters", "as a model", "diff", "reduce", "connect to a server", "w write", "repeat", "decline…", "delete", "unpin",
		}},
		{either(sends, opens), []string{"resend"}}, // or a question about a tool that may change something
		{either(opens, says), []string{"saved", "run in a shell", "pipe", "record with tap", "pin", "P accept", "open spec", "open outside"}},
		{either(opens, goes, shows), []string{
			"explain", "slowest", "explains", "more", "next change", "many times", "level", "F severity", "steps", "watch the files", "note", "edit", "change", "connect", "search", "find", "start it", "start it and connect",
		}},
		{either(sends, opens, goes, shows), []string{"open", "read", "get", "arguments/read", "connect first"}},
		{either(closes, goes, applies), []string{"/ filter", "filter", "tab list", "esc list", "close", "back", "esc cancel", "clear", "apply", "whole result", "cancel", "stay", "save", "set"}},
		{either(shows, says), []string{"choose", "enter accept", "name only"}},
		{either(goes, opens), []string{
			"all lines", "shows the cause", "logs", "frame", "compose", "compose a request", "run or show", "exchange", "problems", "Problems tab",
			"response", "form", "list", "result", "draft", "break it", "Break it", "as it is", "edit the draft", "history", "arguments",
		}},
		{shows, []string{
			"zoom", "show all of it", "show the list", "fold", "unfold", "follow", "pause", "raw", "tree", "side", "side by side", "unified", "source", "sort", "pair", "mark", "mark seen", "ignore path", "severity", "jq",
			"statistics", "recordings", "shorter", "longer", "exchanges", "frames", "timeline", "sequence", "whole session", "whole/exchange", "zoom in", "zoom out", "next finding", "next error", "earlier call", "earlier", "later",
			"JSON", "form/bytes", "form/JSON", "issue/frames", "allow words", "view", "secrets", "30 s more", "forward", "every word", "tab choose", "bytes", "rendered", "insert", "full text",
			"insert with arguments",
		}},
		{func(b, a seen) bool { return a.sent == b.sent && a.focus == b.focus }, []string{"select"}}, // the first one is the last
		{copies, []string{"copy", "copy as command", "copy command", "copy value", "copy path", "copy report", "copy name"}},
		{either(opens, says, func(_, a seen) bool { return a.focus == "the end" }), []string{"failed calls"}},
		{either(says, shows), []string{"enter write", "write", "stop", "count again"}},
		{applies, []string{"keep the selected text"}},
	} {
		for _, l := range row.labels {
			all[l] = row.effect
		}
	}
	return all
}()

// scene is a screen that can be shown again.
type scene struct {
	name string
	run  func(t *testing.T, w, h int, script func(d *driver))
}

// scenes are the pictures, the golden screens, and windows and places of the demo.
func scenes(t *testing.T) (all []scene) {
	for _, p := range pictures {
		all = append(all, scene{p.name, p.run})
	}
	for _, name := range slices.Sorted(maps.Keys(goldenScreens)) {
		all = append(all, scene{"golden " + name, goldenScreens[name].run})
	}
	for _, keys := range []string{
		"2/echo", "2/xyzzy<enter>", "4/code<enter><enter>p", "4/code<enter><enter>p<down>",
		"2/echo<enter><enter>hi<enter>J", "2/search<enter><enter>tea<ctrl+s>J[.<enter>", "9<enter>K", "9/method:", "9/zzz<enter>", "9X", "9m<up>d", "9b", "9a", "9F",
		"2/echo<enter><enter>hi<enter>w", "2/echo<enter>P", "2/echo<enter><enter>hi<enter>P", "V", "?", "??", "S", "C", "5,", "6,", "6F", "8F", "8<enter>",
		"c", "c<alt+v>", "c<tab>", "cping<ctrl+s><tab>", "2/never<enter><enter><ctrl+s>", "2/never<enter><enter><ctrl+s>q", "2/ask<enter><enter><ctrl+s>5<ctrl+r>",
		"2/long<enter><enter><ctrl+s>", "3<enter>", "3@", "1,", "1r", "7<enter>", "0<enter>", "2/echo<enter><enter>hi<enter>9]", "9tt", "9ttt", "<ctrl+p>", "<ctrl+p>export",
		"2/content<enter><enter><ctrl+o>", "R", "I", "I<enter>", "u", "W", "B", "D", "A", "O",
	} {
		all = append(all, scene{"demo " + keys, func(t *testing.T, w, h int, script func(d *driver)) {
			drive(t, w, h, demo.Options{}, func(d *driver) { d.press(keys); script(d) })
		}})
	}
	recorded := recordDemo(t, func(d *driver) { d.press("2<enter>hello<enter>") })
	for _, keys := range []string{"", "9", "9<enter>", "9R", "1", "8", "2<enter>"} {
		all = append(all, scene{"recording " + keys, func(t *testing.T, w, h int, script func(d *driver)) {
			driveRecording(t, w, h, recorded, func(d *driver) { d.press(keys); script(d) })
		}})
	}
	for _, name := range []string{"failed", "empty"} {
		for _, place := range slices.Sorted(maps.Keys(situations[name].places)) {
			p := situations[name].session
			p.keys = func(d *driver) { d.leadTo(situations[name].places[place]) }
			all = append(all, scene{name + " " + place, p.run})
		}
	}
	return append(all, scene{"branch", func(t *testing.T, w, h int, script func(d *driver)) { driveBranch(t, w, h, 10, script) }},
		scene{"branch y", func(t *testing.T, w, h int, script func(d *driver)) {
			driveBranch(t, w, h, 10, func(d *driver) { d.press("y"); d.settle(); script(d) })
		}})
}

// Each key that is named on a screen does what is said there: in titles, the last row, popups and hints. By
// default each label is tried on the first screen that has it, and every second screen is looked at, in one size by
// turns.
func TestLabels_KeysDoWhatTheySay(t *testing.T) {
	raced.Never(t, "draws screens, cell by cell, in one goroutine")
	t.Setenv("VISUAL", "true") // an editor that ends at once
	scenes := scenes(t)
	t.Chdir(t.TempDir()) // what is written goes there
	tried := map[string]bool{}
	for i, s := range scenes {
		for n, size := range screenSizes {
			if !*wholeMatrix && i%(2*len(screenSizes)) != n {
				continue
			}
			t.Run(pictureName(s.name, size), func(t *testing.T) {
				var found []hint
				s.run(t, size[0], size[1], func(d *driver) {
					row := d.model.ShortHelp()
					if len(row) > 6 { // five and the one that leads to all others
						t.Errorf("the last row has %d keys: %s", len(row), d.footer())
					}
					labels := map[string]string{}
					for _, b := range row {
						if before, twice := labels[b.Help().Desc]; twice && b.Enabled() {
							t.Errorf("%s and %s both do %q: %s", before, b.Help().Key, b.Help().Desc, d.footer())
						}
						labels[b.Help().Desc] = b.Help().Key
					}
					for _, h := range d.hints() {
						at := h.key + " " + h.says
						if isTried(h) && (*wholeMatrix || !tried[at]) {
							tried[at] = true
							found = append(found, h)
						}
					}
					if len(found) > 0 {
						d.tryLabel(found[0])
						found = found[1:]
					}
				})
				for _, h := range found {
					s.run(t, size[0], size[1], func(d *driver) { d.tryLabel(h) })
				}
			})
		}
	}
}

// untried are labels whose effect is outside of the screen, or ends the program.
var untried = []string{"quit", "end session", "$EDITOR", "edit file"}

// noHints are texts in the color of keys that name none: ids of calls, branches, and models.
var noHints = regexp.MustCompile(`^(\d (ok|no response|canceled|error).*|[A-Z] (\d|yesterday|today).*|i search)$`)

// tryLabel presses a key, and fails where it does something else than its label says.
func (d *driver) tryLabel(h hint) {
	d.t.Helper()
	before, screen := d.look(), d.term.screen()
	d.press("<" + h.key + ">")
	h.judge(d.t, before, d.look(), screen, d.term.screen())
}

func isTried(h hint) bool {
	return !slices.Contains(untried, h.says) && !strings.HasPrefix(h.says, "edit line") && !noHints.MatchString(h.key+" "+h.says)
}

// whole is a label that the screen has cut, if it is the only one that begins like this.
func whole(label string) string {
	begin, isCut := strings.CutSuffix(label, "…")
	if !isCut {
		return label
	}
	found := ""
	for of := range effects {
		if !strings.HasPrefix(of, begin) {
			continue
		}
		if found != "" {
			return label
		}
		found = of
	}
	return found
}

// judge fails where what happened between two moments is not what a label says.
func (h hint) judge(t *testing.T, before, after seen, was, is string) {
	t.Helper()
	e, ok := effects[h.key+" "+h.says]
	if !ok {
		e, ok = effects[whole(h.says)]
	}
	did := fmt.Sprintf("sent %d, window %T → %T, focus %s → %s, body changed %v, says %q", after.sent-before.sent, before.window, after.window, before.focus, after.focus, after.body != before.body, after.flash)
	switch {
	case !ok:
		t.Errorf("no effect is listed of %q (%s): %s", h.says, h.key, did)
	case !e(before, after) && !refused(before, after):
		t.Errorf("%s is said to %q: %s\n%s\n%s", h.key, h.says, did, was, is)
	}
}

// shownAlone is a screen without a session.
type shownAlone struct {
	t     *testing.T
	of    *program.Program
	view  func() string // with styles
	press func(keys ...string)
	over  func() bool // it has ended, with a choice
	w, h  int
}

func (s *shownAlone) look() (seen, []hint, string) {
	term := newTerminal(s.w, s.h)
	_, _ = term.Write([]byte(strings.ReplaceAll(s.view(), "\n", "\r\n")))
	screen := term.screen()
	end := max(0, strings.LastIndexByte(screen, '\n'))
	return seen{
		body: screen[:end], last: screen[end:], flash: s.of.Flash.Text, window: s.of.Window(), focus: paint.If(s.over(), "the end", "the screen"),
	}, hintsIn(term.emu, &s.of.Pal.Theme), screen
}

// The start screen and the list of recordings, and their windows, as [TestLabels_KeysDoWhatTheySay].
func TestLabels_ScreensWithoutSession(t *testing.T) {
	raced.Never(t, "draws screens, cell by cell, in one goroutine")
	open := map[string]func(t *testing.T, w, h int) *shownAlone{
		"start": func(t *testing.T, w, h int) *shownAlone {
			s := startedScreen(t, w, h)
			return &shownAlone{t, s.model.Program, func() string { return s.model.View().Content }, func(keys ...string) {
				for _, k := range keys {
					s.press("<" + k + ">")
				}
			}, func() bool { return s.quit }, w, h}
		},
		"recordings": func(t *testing.T, w, h int) *shownAlone {
			d := newListDriver(t, w, h)
			return &shownAlone{t, d.m.Program, func() string { return d.m.View().Content }, d.press, func() bool { return d.quit }, w, h}
		},
		"statistics": func(t *testing.T, w, h int) *shownAlone {
			d := newStatisticsDriver(t, w, h)
			return &shownAlone{t, d.m.Program, func() string { return d.m.View().Content }, d.press, func() bool { return d.quit }, w, h}
		},
	}
	for name, scripts := range map[string][]string{
		"start":      {"", "down down", "tab", "x", "n o d e", "n o d e tab", "e c h o space x enter", "f1", "ctrl+p"},
		"recordings": {"", "down", "/ x", "/ t r a enter", "m down", "x", "s", "?", "ctrl+p", "m down d"},
		"statistics": {"t", "t down", "t down enter", "t / q", "t s", "t ["},
	} {
		for _, script := range scripts {
			for n, size := range screenSizes {
				if !*wholeMatrix && n != 0 {
					continue
				}
				t.Run(pictureName(name+" "+script, size), func(t *testing.T) {
					show := func() *shownAlone {
						s := open[name](t, size[0], size[1])
						s.press(strings.Fields(script)...)
						return s
					}
					_, found, _ := show().look()
					if show().over() {
						return
					}
					for _, h := range found {
						if !isTried(h) {
							continue
						}
						s := show()
						before, _, was := s.look()
						s.press(h.key)
						after, _, is := s.look()
						h.judge(t, before, after, was, is)
					}
				})
			}
		}
	}
}

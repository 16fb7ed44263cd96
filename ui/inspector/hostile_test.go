package inspector

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/test/raced"
	"mcptea/internal/words/display"
	"mcptea/record"
	"mcptea/record/recordings"
	"mcptea/ui/program"
	"mcptea/ui/single"
)

// hostile is text that a terminal would obey, or that hides: C0, escape sequences,
// their C1 forms, direction overrides and invisible characters.
const hostile = "\x1b]52;c;cHduZWQ=\x07\x1b[31337m\x1b[2J\x07\x08\r\n\t\x00\x7f\u009d52;c;cHduZWQ=\u009c\u009b31337mX\u202e\u2066\u200b\U000e0041"

var hostileTime = time.Unix(1_780_000_000, 0).UTC()

// extremes are numbers at the ends of the types that could hold them, and beyond.
var extremes = []string{"-9223372036854775808", "9223372036854775807", "18446744073709551615", "-1", "0", "1e308", "-1e-320", "99999999999999999999999"}

// writeRecording writes lines, the number and the time of the events as they come.
func writeRecording(t *testing.T, lines [][]byte) string {
	path := filepath.Join(t.TempDir(), "hostile.mcptea.jsonl")
	if err := os.WriteFile(path, append(bytes.Join(lines, []byte("\n")), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// eventLines are the lines of events of all kinds in which one member after the other is
// hostile. Each exchange has a number of its own, and a frame that it carried.
func eventLines(t *testing.T) (lines [][]byte, names []string) {
	exchange := uint32(1000)
	for _, e := range filledEvents() {
		if e.Exchange != nil {
			e.Exchange.ID = exchange
		}
		line := bytes.TrimSuffix(record.AppendEvent(nil, 1, &e), []byte("\n"))
		if len(line) == 0 {
			t.Fatalf("an event of kind %d is not written", e.Kind)
		}
		all := variants(line)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			names = append(names, fmt.Sprintf("%d %s", e.Kind, name))
			out := all[name]
			if e.Kind == record.KindHTTP {
				exchange++
				out = bytes.Replace(out, []byte(`"x":1000`), fmt.Appendf(nil, `"x":%d`, exchange), 1)
				f := record.Event{Kind: record.KindFrame, Time: hostileTime, Conn: 1}
				f.Frame.Bytes, f.Frame.Exchange, f.Frame.Ending = []byte(`{"jsonrpc":"2.0","id":9,"method":"ping"}`), exchange, ""
				lines = append(lines, bytes.TrimSuffix(record.AppendEvent(nil, 1, &f), []byte("\n")))
			}
			lines = append(lines, out)
		}
		exchange = 1000 + uint32(len(lines))
	}
	return lines, names
}

// watched checks what the program writes.
type watched struct {
	*driver
	bad map[string]bool
}

// ownTargets are where links may lead, whatever is in a recording: to pages that the program names.
const ownTargets = `https://(?:modelcontextprotocol\.io|www\.jsonrpc\.org|www\.rfc-editor\.org|claude\.com|developers\.openai\.com|github\.com)/[!-~]*`

// ownSequences are the sequences that the program writes itself, except styles.
var ownSequences = regexp.MustCompile(`^(?:\x1b\[[0-9;:?>=<$ !]*[A-Za-z@` + "`" + `]|\x1b\](?:0|2|52|9;4|10|11|12|22|112|7501)[^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\]8;;(?:` + ownTargets + `)?(?:\x07|\x1b\\)|\x1b[=>78MDEHc]|\x1b\([B0])`)

// look fails if the screen, or what was written to the terminal since the last look,
// has a character that a terminal obeys and other than those of the program itself.
func (w *watched) look(where string) {
	w.t.Helper()
	content := w.model.View()
	w.clean(where+", the screen", content.Content, "\n")
	w.clean(where+", the title", content.WindowTitle, "")
	for row := range strings.SplitSeq(content.Content, "\n") {
		if got := ansi.StringWidth(row); got != w.model.W {
			w.fail(fmt.Sprintf("%s has a row of %d cells, not %d: %q", where, got, w.model.W, ansi.Strip(row)))
			break
		}
	}
	w.term.mu.Lock()
	raw := w.term.raw.String()
	w.term.raw.Reset()
	w.term.mu.Unlock()
	w.clean(where+", the terminal", raw, "\r\n\b\t")
}

// clean fails if a text has a hidden character outside of the sequences of the program.
func (w *watched) clean(where, text, allowed string) {
	w.t.Helper()
	for i := 0; i < len(text); {
		if c := text[i]; c >= 0x20 && c < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if own := ownSequence(text[i:]); r == 0x1b && own > 0 {
			i += own
			continue
		}
		if r == utf8.RuneError || display.IsHidden(r) && !strings.ContainsRune(allowed, r) && r != '\u200d' {
			w.fail(fmt.Sprintf("%s has %U: %q", where, r, text[max(0, i-60):min(len(text), i+60)]))
			return
		}
		i += n
	}
}

// ownSequence is the length of the escape sequence that a text begins with, if it is one
// that the program writes itself; otherwise 0.
func ownSequence(text string) int {
	if style := strings.IndexByte(text[:min(len(text), 64)], 'm'); style > 1 && text[1] == '[' && strings.Trim(text[2:style], "0123456789;:") == "" {
		if strings.Contains(text[:style], "31337") {
			return 0
		}
		return style + 1
	}
	at := ownSequences.FindStringIndex(text[:min(len(text), 1<<16)])
	if at == nil || strings.HasPrefix(text, "\x1b]52;c;cHduZWQ=") {
		return 0
	}
	return at[1]
}

func (w *watched) fail(text string) {
	w.t.Helper()
	if len(w.bad) < 12 && !w.bad[text] {
		w.bad[text] = true
		w.t.Error(text)
	}
}

// tour presses keys one by one and looks after each.
func (w *watched) tour(where string, keys ...string) {
	w.t.Helper()
	for _, key := range keys {
		w.program.Send(pressKey(key))
		w.sleep(60 * time.Millisecond)
		w.look(where + " " + key)
	}
}

func watchRecording(t *testing.T, w, h int, path string, script func(w *watched)) {
	driveRecording(t, w, h, path, func(d *driver) {
		v := &watched{driver: d, bad: map[string]bool{}}
		v.look("start")
		script(v)
	})
}

var hostileSizes = [][2]int{{80, 24}, {120, 36}, {200, 60}}

func repeatKey(key string, n int) []string { return slices.Repeat([]string{key}, n) }

// No text of a recording is obeyed by the terminal, whatever member of whatever event it is
// in, on any pane or window.
func TestHostileRecording_EveryPane(t *testing.T) {
	raced.Never(t, "draws each pane for each member of each event")
	events, names := eventLines(t)
	t.Logf("%d members of events, %d lines", len(names), len(events))
	if len(names) < 100 {
		t.Fatalf("%d members are covered", len(names))
	}
	base := hostileBase(t)
	t.Chdir(t.TempDir()) // for the files that keys write
	recordings := map[string][][]byte{
		"texts":   append(poisonFrames(t, base), events...),
		"names":   poisonFramesBut(t, base, []string{"jsonrpc", "method", "type"}),
		"all":     poisonFramesBut(t, base, nil),
		"numbers": slices.Concat(extremeFrames(t, base), extremeEvents()),
	}
	if !*wholeMatrix {
		delete(recordings, "all") // its texts are in the two others
	}
	for _, size := range hostileSizes {
		for name, lines := range recordings {
			at := map[string]int{"texts": 120, "names": 80, "all": 200, "numbers": 120}[name]
			if at != size[0] && !(name == "texts" && *wholeMatrix) {
				continue
			}
			path := writeRecording(t, lines)
			t.Run(fmt.Sprintf("%s at %dx%d", name, size[0], size[1]), func(t *testing.T) {
				watchRecording(t, size[0], size[1], path, func(w *watched) {
					w.everywhere(len(lines), name == "texts" && size[0] == 120)
				})
			})
		}
	}
}

// everywhere goes through all panes and windows, and through each row of Traffic if asked
// for.
func (w *watched) everywhere(lines int, each bool) {
	items, step, rows := steps(2, 3), "pgdown", lines/12
	if each {
		items, step, rows = steps(3, 8), "down", lines
	}
	for _, tab := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		where := "tab " + tab
		w.tour(where, tab)
		for range items {
			w.tour(where, "down", "enter", "v", "K", "esc", "esc", tab)
		}
		w.tour(where, "end", "\\", "pgup", "home", "pgdown", "\\", "/", "x", "esc", "esc", "esc", tab)
	}
	w.tour("tab 6", append([]string{"6", "home"}, repeatKey("pgdown", 1+lines/12)...)...)
	w.tour("tab 1", append([]string{"1", "home"}, repeatKey("pgdown", 12)...)...)
	w.tour("Traffic", "9", "home", "E")
	w.tour("Traffic", repeatKey(step, rows)...)
	w.tour("Traffic", "home", "enter")
	for _, view := range []string{"tree", "bytes", "text", "pair"} {
		for range items * 4 {
			w.tour("frame as "+view, "9", "down", "down")
		}
		w.tour("frame", "tab", "v", "pgdown", "home")
	}
	for _, keys := range []string{
		"9 home t down down enter esc pgdown l esc", "9 home S down down enter esc pgdown esc", "9 home m down down d esc esc", "9 K esc W esc esc", "9 a esc",
		"9 X tab down esc esc", "b esc", "f1 esc", "c ctrl+r esc esc esc", "R esc", "2 enter alt+s esc alt+j esc esc", "5 P esc", "2 down enter a ctrl+s esc esc", "9 end r esc esc esc",
		"9 / x enter esc esc", "I esc", "1 y", "V esc", "q esc",
	} {
		w.tour("keys "+keys, strings.Fields(keys)...)
	}
}

// inOrder are the values of a map by their keys, so that each run chooses the same.
func inOrder(lines map[string][]byte) (values [][]byte) {
	for _, key := range slices.Sorted(maps.Keys(lines)) {
		values = append(values, lines[key])
	}
	return values
}

// A connection is shown in the header and on the first tab, also one that has failed.
func TestHostileRecording_Connections(t *testing.T) {
	raced.Never(t, "draws hostile texts, in one goroutine")
	header := []byte(`{"mcptea":2,"t":1780000000000000000,"tool":"mcptea","transport":"stdio","target":"x"}`)
	line := func(what string) []byte {
		return fmt.Appendf(nil, `{"s":1,"t":1780000000000000000,"k":"connection","what":%q,"conn":1,"transport":"stdio","target":"x","revision":"2025-11-25","server":"x","reason":"x"}`, what)
	}
	var all [][][]byte
	for _, h := range inOrder(variants(header)) {
		all = append(all, [][]byte{h, line("opened"), line("ready")})
	}
	for _, v := range inOrder(variants(line("opened"))) {
		all = append(all, [][]byte{header, v}, [][]byte{header, v, line("ready"), line("closed")})
	}
	for _, v := range inOrder(variants(line("ready"))) {
		all = append(all, [][]byte{header, line("opened"), v})
	}
	for _, v := range inOrder(variants(line("closed"))) {
		all = append(all, [][]byte{header, line("opened"), v}, [][]byte{header, line("opened"), line("ready"), v})
	}
	events, _ := eventLines(t)
	for _, lines := range slices.Clone(all) {
		for _, step := range events {
			if bytes.Contains(step, []byte(`"failed"`)) && len(lines) == 2 && len(all) < 80 {
				all = append(all, [][]byte{lines[0], lines[1], step, line("closed")})
			}
		}
	}
	for i, lines := range all {
		if !bytes.HasPrefix(lines[0], []byte(`{"mcptea":2`)) {
			continue // it is no recording
		}
		if !*wholeMatrix && i%2 != 0 {
			continue
		}
		size := hostileSizes[i/2%len(hostileSizes)]
		watchRecording(t, size[0], size[1], writeRecording(t, lines), func(w *watched) {
			w.tour(string(lines[len(lines)-1]), "1", "down", "pgdown", "end", "9", "R", "esc")
		})
	}
}

// The list of recordings shows what foreign recordings say of themselves.
func TestHostileRecordings_List(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	for _, size := range hostileSizes {
		c := &fixedCatalog{}
		for i := range 8 {
			summary := filled(reflect.TypeFor[recordings.Summary](), 0)
			poisonStrings(summary)
			s := summary.Addr().Interface().(*recordings.Summary)
			if i%2 == 0 {
				s.Failure = ""
			}
			c.list = append(c.list, recordings.Recording{Path: fmt.Sprintf("/r/%d%s%s", i, strings.ReplaceAll(hostile, "/", ""), recordings.Suffix), Summary: s, Size: -1 << 63, Tap: &recordings.Tap{Name: hostile}})
		}
		d := &listDriver{m: single.NewRecordings(t.Context(), c, "", &program.Options{}, sections(Own{}))}
		d.m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		d.look()
		w := &watched{driver: &driver{t: t}, bad: map[string]bool{}}
		for _, key := range []string{"down", "down", "end", "o", "o", "o", "space", "up", "space", "x", "esc", "/", "x", "esc", "f1"} {
			d.m.Update(pressKey(key))
			content := d.m.View().Content
			w.clean(key, content, "\n")
			for row := range strings.SplitSeq(content, "\n") {
				if got := ansi.StringWidth(row); got != size[0] {
					t.Errorf("%s: a row of %d cells, not %d: %q", key, got, size[0], ansi.Strip(row))
				}
			}
		}
	}
}

// poisonStrings makes all strings of a value hostile.
func poisonStrings(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(hostile)
	case reflect.Pointer:
		if !v.IsNil() {
			poisonStrings(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			poisonStrings(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type() != reflect.TypeFor[time.Time]() {
				poisonStrings(v.Field(i))
			}
		}
	}
}

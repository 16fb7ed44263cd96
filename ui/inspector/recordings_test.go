package inspector

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"mcptea/internal/test/raced"
	"mcptea/internal/test/termsvg"
	"mcptea/record/recordings"
	"mcptea/ui/program"
	"mcptea/ui/single"
)

var _ = raced.Also(
	TestRecordings_List, TestRecordings_FilterAndSort, TestRecordings_Delete, TestRecordings_Diff,
	TestRecordings_Commands,
)

// fixedCatalog is a catalog without files.
type fixedCatalog struct {
	list    []recordings.Recording
	deleted []string
	err     error  // of deleting
	dir     string // empty for one that is not there
}

func (c *fixedCatalog) Recordings() (list []recordings.Recording, listed bool, err error) {
	return slices.Clone(c.list), true, nil
}
func (c *fixedCatalog) ReadFirst(string) {}
func (c *fixedCatalog) HostDir() string  { return "" }

func (c *fixedCatalog) Dir() string {
	return cmp.Or(c.dir, "~/.local/state/mcptea/recordings")
}
func (c *fixedCatalog) Changed() <-chan struct{} { return nil }
func (c *fixedCatalog) Delete(paths ...string) error {
	c.deleted = append(c.deleted, paths...)
	c.list = slices.DeleteFunc(c.list, func(r recordings.Recording) bool { return c.err == nil && slices.Contains(paths, r.Path) })
	return c.err
}

// listNow is the time of the tests of the list.
var listNow = time.Date(2026, 11, 20, 14, 16, 0, 0, time.UTC)

// someRecordings are recordings of several kinds.
func someRecordings() []recordings.Recording {
	row := func(name, server, target, transport, revision string, ago, took time.Duration, out, in int, size int64) recordings.Recording {
		return recordings.Recording{
			Path: "/r/" + name + recordings.Suffix, Size: size, Modified: listNow.Add(-ago + took),
			Summary: &recordings.Summary{
				Server: server, Target: target, Transport: transport, Revision: revision, Tool: "mcptea", Started: listNow.Add(-ago), Ended: listNow.Add(-ago + took), Out: out, In: in,
			},
		}
	}
	list := []recordings.Recording{
		row("a", "tracker 0.9.3", "go run ./cmd/tracker", "stdio", "2025-11-25", 14*time.Minute, 14*time.Minute, 141, 171, 214_000),
		row("b", "tracker 0.9.2", "https://tracker.example.com/mcp", "http", "2025-11-25", 61*time.Minute, 271*time.Second, 590, 614, 980_000),
		row("c", "", "python -m weather", "stdio", "", 4*time.Hour, 200*time.Millisecond, 1, 0, 2100),
		row("d", "everything 2.0.0", "npx -y @modelcontextprotocol/server-everything", "stdio", "2026-07-28", 21*time.Hour, 8*time.Second, 1200, 1191, 1_700_000),
		row("e", "bench 1.0.0", "./bench", "stdio", "2025-11-25", 45*time.Hour, time.Minute, 70_000, 71_012, 231_000_000),
		row("f", "tracker 0.9.1", "go run ./cmd/tracker", "stdio", "2025-06-18", 90*time.Hour, time.Hour, 40, 57, 40_000),
	}
	list[0].Live, list[0].Tap = true, &recordings.Tap{PID: 41207, Name: "cursor/tracker"}
	s := list[0].Summary
	s.FindingErrors, s.FindingWarnings, s.Errors = 1, 2, 2
	s.Requests = []recordings.Request{
		{Method: "tools/call", Name: "search_issues", Count: 28, Median: 204 * time.Millisecond, Percentile: 262 * time.Millisecond},
		{Method: "tools/call", Name: "list_commits", Count: 6, Errors: 2, Median: 151 * time.Millisecond, Percentile: 402 * time.Millisecond},
		{Method: "sampling/createMessage", FromServer: true, Count: 3, Median: 2204 * time.Millisecond, Percentile: 3110 * time.Millisecond},
	}
	s.Activity = []int{1, 4, 9, 3, 0, 0, 2, 8, 8, 3, 1, 1, 0, 2, 6, 3, 1}
	list[2].Summary.Failure = "the server exited with code 1 before it responded"
	list[3].Summary.FindingErrors, list[3].Summary.FindingWarnings = 5, 3
	list[4].Summary.Partial = true
	list[5].Summary.Damage = "line 98 is incomplete: the recording was cut off after 40 bytes of it"
	return append(list, recordings.Recording{Path: "/r/g" + recordings.Suffix, Size: 6, Modified: listNow.Add(-100 * time.Hour), Err: errors.New("not a recording of mcptea")})
}

// listDriver uses the list of recordings.
type listDriver struct {
	t       *testing.T
	m       *single.RecordingsScreen
	catalog *fixedCatalog
	quit    bool
}

func newListDriver(t *testing.T, w, h int) *listDriver {
	c := &fixedCatalog{list: someRecordings()}
	d := &listDriver{t: t, catalog: c, m: single.NewRecordings(t.Context(), c, "", &program.Options{}, sections(Own{}))}
	d.m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	d.look()
	return d
}

// look has the program look at what is new; it does not wait for more.
func (d *listDriver) look() {
	d.m.Update(program.ChangeMsg{Now: listNow})
	d.m.View()
}

func (d *listDriver) press(keys ...string) {
	for _, k := range keys {
		_ = d.m.View() // the field with the keys is that of the last painting
		_, cmd := d.m.Update(pressKey(k))
		d.run(cmd)
		d.look()
	}
}

// run carries out a command and everything that follows from it.
func (d *listDriver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.QuitMsg:
		d.quit = true
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	default:
		_, next := d.m.Update(msg)
		d.run(next)
	}
}

func (d *listDriver) screen() string { return ansi.Strip(d.m.View().Content) }

func (d *listDriver) sees(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if s := d.screen(); !strings.Contains(s, text) {
			d.t.Errorf("the screen lacks %q:\n%s", text, s)
		}
	}
}

func (d *listDriver) lacks(text string) {
	d.t.Helper()
	if s := d.screen(); strings.Contains(s, text) {
		d.t.Errorf("the screen has %q:\n%s", text, s)
	}
}

func TestRecordings_List(t *testing.T) {
	for _, size := range sizesOf(screenSizes) {
		d := newListDriver(t, size[0], size[1])
		d.sees("7 files, 234 MB", "1 live", "tracker 0.9.3", "now", "today 13:15", "not connected", "141,012+", "unreadable", "enter open", "go run ./cmd/tracker")
		for row := range strings.Lines(d.screen()) {
			if w := ansi.StringWidth(strings.TrimRight(row, "\n")); w != size[0] {
				t.Errorf("a row of %d cells at %v: %q", w, size, row)
			}
		}
		d.press("j", "j")
		d.sees("the server exited with code 1")
		d.press("G")
		d.sees("Unreadable: not a recording of mcptea")
		d.press("enter")
		d.sees("is not a recording that can be read")
		d.press("k")
		d.sees("cut off after 40 bytes")
		d.press("enter")
		if d.m.Chosen.Path != "/r/f"+recordings.Suffix || !d.quit {
			t.Errorf("opens %q", d.m.Chosen.Path)
		}
	}
	d := newListDriver(t, 120, 36)
	d.sees("cursor/tracker  pid 41207", "b holds frames", "search_issues", "204 ms", "262 ms", "← sampling/createMessage", "37 requests")
}

func TestRecordings_FilterAndSort(t *testing.T) {
	d := newListDriver(t, 120, 36)
	d.press("/", "t", "r", "a", "c", "k", "e", "r", "space", "-", "l", "i", "v", "e", "enter")
	d.sees("2 of 7", "tracker 0.9.2", "tracker 0.9.1")
	d.lacks("tracker 0.9.3")
	d.press("esc")
	d.sees("everything 2.0.0")
	d.press("/", "n", "o", "n", "e")
	d.sees("No recording matches the filter.")
	d.press("esc", "s")
	d.sees("by findings")
	s := d.screen()
	if strings.Index(s, "python -m weather") > strings.Index(s, "everything 2.0.0") || strings.Index(s, "everything 2.0.0") > strings.Index(s, "tracker 0.9.2") {
		t.Errorf("not sorted by findings:\n%s", s)
	}
	d.press("q")
	if !d.quit || d.m.Chosen.Path != "" {
		t.Error("q does not quit")
	}
}

// waited lets the time go by in which a question takes no key.
func (d *listDriver) waited() {
	_ = d.m.View()
	time.Sleep(time.Second)
}

func (d *listDriver) agree() {
	d.waited()
	d.press("enter")
	d.press("y")
	d.sees("That key came too soon to count") // it may be part of a text
	d.waited()
	d.press("y")
}

func TestRecordings_Delete(t *testing.T) { synctest.Test(t, testRecordingsDelete) }

func testRecordingsDelete(t *testing.T) {
	d := newListDriver(t, 80, 24)
	d.press("x")
	d.sees("This recording is being written.")
	d.press("j", "x")
	d.sees("Delete this recording?", "tracker 0.9.2, today 13:15, 980 kB")
	d.waited()
	d.press("esc")
	d.lacks("Delete this recording?")
	if len(d.catalog.deleted) != 0 {
		t.Fatal("deleted without consent")
	}
	d.press("x", "y")
	if len(d.catalog.deleted) != 0 {
		t.Fatal("a key that was typed ahead agrees")
	}
	d.agree()
	if !slices.Equal(d.catalog.deleted, []string{"/r/b" + recordings.Suffix}) {
		t.Errorf("deleted %q", d.catalog.deleted)
	}
	d.sees("Deleted.", "6 files")
	d.lacks("tracker 0.9.2")
	d.catalog.err = errors.New("permission denied")
	d.press("x")
	d.agree()
	d.sees("Cannot delete the recording: permission denied")
}

// Two recordings are compared: what the servers offer, and the responses.
func TestRecordings_Diff(t *testing.T) {
	dir := t.TempDir()
	write := func(name, required, text string) string {
		path := filepath.Join(dir, name+recordings.Suffix)
		content := `{"mcptea":2,"t":1780000000000000000,"tool":"test","transport":"stdio","target":"server"}` + "\n" +
			recordedLine(1, "out", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`) +
			recordedLine(2, "in", `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"get","inputSchema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":[`+required+`]}}]}}`) +
			recordedLine(3, "out", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get","arguments":{"a":"x"}}}`) +
			recordedLine(4, "in", `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"`+text+`"}]}}`)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, size := range sizesOf(screenSizes) {
		d := newListDriver(t, size[0], size[1])
		d.catalog.list[1].Path, d.catalog.list[2].Path = write("new", `"a","b"`, "after"), write("old", `"a"`, "before")
		d.look()
		d.press("j", "d")
		d.sees("Mark a recording with m")
		d.press("space")
		d.sees("◆")
		d.press("j", "d")
		d.sees("A  python -m weather, today 10:16", "B  tracker 0.9.2, today 13:15", "1 breaking", "~ tools get ", "breaking", "~ tools/call get", "1 difference")
		d.press("n")
		d.sees(`"before"`, `"after"`)
		d.press("esc")
		d.lacks("1 breaking")
		d.press("G", "d")
		d.sees("This cannot be compared")
	}
}

// The window of commands lists only those that work on the list.
func TestRecordings_Commands(t *testing.T) {
	d := newListDriver(t, 100, 40)
	d.press("ctrl+p")
	d.sees("Open the recording in the inspector", "Use the next theme")
	d.lacks("Stop the server")
	d.press("e", "v", "e", "r", "y", "enter")
	if d.selected() != "/r/d"+recordings.Suffix {
		t.Errorf("its name leads to %q", d.selected())
	}
	for _, c := range d.m.List.Commands() {
		d.m.Run(c.ID)
		for w := d.m.Window(); w != nil; w = d.m.Window() {
			d.m.Close(w)
		}
	}
}

func TestScreens_Recordings(t *testing.T) {
	raced.Never(t, "draws screens, cell by cell, in one goroutine")
	for _, size := range sizesOf(screenSizes) {
		d := newListDriver(t, size[0], size[1])
		emu := vt.NewEmulator(size[0], size[1])
		emu.SetDefaultBackgroundColor(screenBackground)
		if _, err := emu.Write([]byte(strings.ReplaceAll(d.m.View().Content, "\n", "\r\n"))); err != nil {
			t.Fatal(err)
		}
		name := pictureName("recordings", size)
		requirePicture(t, name, termsvg.Still(termsvg.Capture(emu), "The list of recordings"), d.screen())
	}
}

// selected is the path of the selected recording.
func (d *listDriver) selected() string {
	r, _ := d.m.List.Selected()
	return r.Path
}

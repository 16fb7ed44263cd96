package recordings

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/inspector"
	"mcptea/cli/link"
	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/internal/test/recordingtest"
	"mcptea/record"
	"mcptea/record/recordings"
)

// called runs a command of the package without a terminal; it returns what was printed, and the error.
func called(t *testing.T, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	in, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	var files [2]*os.File
	for i := range files {
		if files[i], err = os.CreateTemp(t.TempDir(), ""); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = files[i].Close() }()
	}
	a := app.NewApp(in, files[0], files[1], append(os.Environ(), "MCPTEA_CONFIG=off"))
	s := settings.New(a)
	cmd := Commands(&inspector.Inspector{Settings: s, Target: target.New(s), Link: link.New(s)})[name]()
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.Execute()
	var texts [2]string
	for i, f := range files {
		b, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(b)
	}
	return texts[0], texts[1], err
}

const failing = `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
< {"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"flaky","version":"1"}}}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query"}}
< {"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"query"}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}`

// directory is one with recordings of these conversations, the newest last.
func directory(t *testing.T, conversations ...string) string {
	t.Helper()
	dir := recordingtest.Directory(t, conversations...)
	for i := range conversations {
		path := filepath.Join(dir, string(rune('a'+i))+recordings.Suffix)
		at := time.Date(2026, 11, 1+i, 12, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpen_ListsADirectory(t *testing.T) {
	dir := directory(t, failing, failing)
	if err := os.WriteFile(filepath.Join(dir, "c"+recordings.Suffix), []byte("no recording\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, _, err := called(t, "open", dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"server", "frames", "a.mcptea.jsonl", "b.mcptea.jsonl", "unreadable"} {
		if !strings.Contains(text, want) {
			t.Errorf("the list lacks %q:\n%s", want, text)
		}
	}
	text, _, err = called(t, "open", dir, "--json")
	var listing Listing
	if err != nil || json.Unmarshal([]byte(text), &listing) != nil || listing.Directory != dir || len(listing.Recordings) != 3 {
		t.Errorf("%v: %s", err, text)
	}
	if text, _, err := called(t, "open", t.TempDir()); err != nil || !strings.HasPrefix(text, "No recordings in ") {
		t.Errorf("an empty directory: %q, %v", text, err)
	}
}

func TestOpen_Statistics(t *testing.T) {
	dir := directory(t, failing, failing)
	text, _, err := called(t, "open", dir, "--stats", "--markdown")
	if err != nil || !strings.Contains(text, "| flaky | ") || !strings.Contains(text, "| query | 4 | 2 | 0 | 0 | 0 | 2 of 2 |") {
		t.Errorf("%v: %s", err, text)
	}
	text, _, err = called(t, "open", dir, "--stats", "--json")
	var doc Stats
	if err != nil || json.Unmarshal([]byte(text), &doc) != nil || doc.Recordings != 2 || len(doc.Servers) != 1 || len(doc.Servers[0].Tools[0].Failed) != 2 {
		t.Errorf("%v: %s", err, text)
	}
	if text, _, err := called(t, "open", t.TempDir(), "--stats"); err != nil || !strings.HasPrefix(text, "No calls in 0 recordings of ") {
		t.Errorf("an empty directory: %q, %v", text, err)
	}
}

func TestOpen_Prune(t *testing.T) {
	dir := directory(t, failing, failing, failing)
	left := func() (names []string) {
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			names = append(names, filepath.Base(f)[:1])
		}
		return names
	}
	text, told, err := called(t, "open", dir, "--prune", "--keep", "1", "--dry-run")
	if err != nil || strings.Count(text, "\n") != 2 || !strings.HasPrefix(told, "2 of 3 recordings would be deleted, ") || len(left()) != 3 {
		t.Errorf("a dry run: %v, %q, %q, %v are left", err, text, told, left())
	}
	if _, told, err = called(t, "open", dir, "--prune", "--keep", "1"); err != nil || !strings.HasPrefix(told, "2 of 3 recordings deleted, ") || strings.Join(left(), "") != "c" {
		t.Errorf("%v, %q, %v are left", err, told, left())
	}
}

func TestOpen_FlagsThatExcludeEachOther(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"--stats", "--hosts"}, "exclude each other"},
		{[]string{"--since", "7d"}, "--since requires --stats"},
		{[]string{"--stats", "--since", "soon"}, "is not a time"},
		{[]string{"--markdown"}, "--markdown requires --hosts or --stats"},
		{[]string{"--stats", "--markdown", "--json"}, "cannot be used together"},
		{[]string{"--stats", "a", "b"}, "takes one directory"},
		{[]string{"--save-client", "x.json"}, "takes recordings"},
		{[]string{filepath.Join(t.TempDir(), "gone")}, "no such file or directory"},
	} {
		_, told, err := called(t, "open", tc.args...)
		if err != nil { // of reading the flags
			told += err.Error()
		}
		if !strings.Contains(told, tc.want) {
			t.Errorf("%q: %q, want %q", tc.args, told, tc.want)
		}
	}
}

func TestDiff_OfTwoRecordings(t *testing.T) {
	dir := directory(t, failing, strings.Replace(failing, `"isError":true,`, "", 1))
	a, b := filepath.Join(dir, "a"+recordings.Suffix), filepath.Join(dir, "b"+recordings.Suffix)
	if text, told, _ := called(t, "diff", a, a); strings.Contains(text+told, "isError") {
		t.Errorf("a recording differs from itself: %s%s", text, told)
	}
	if text, told, _ := called(t, "diff", a, b); !strings.Contains(text, `-     "isError": true`) {
		t.Errorf("%s%s", text, told)
	}
}

func TestParseAge(t *testing.T) {
	for text, want := range map[string]time.Duration{"12h": 12 * time.Hour, "7d": 7 * 24 * time.Hour, "0.5d": 12 * time.Hour, "soon": 0, "40000d": 0, "d": 0} {
		if got, err := parseAge(text); got != want || (err != nil) != (want == 0) {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
}

func TestParseSpeed(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "1x": 1, "2.5": 2.5, "-1": math.NaN(), "fast": math.NaN(), "Inf": math.NaN()} {
		if got, err := parseSpeed(text); math.IsNaN(want) != (err != nil) || err == nil && got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
}

// FILE#NUMBER is a frame of a recording, unless a file has that name.
func TestFrameOf(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("b#2", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string]struct {
		name  string
		frame int
	}{"a#12": {"a", 12}, "b#2": {"b#2", 0}, "a": {"a", 0}, "a#0": {"a#0", 0}, "#3": {"#3", 0}, "a#b#4": {"a#b", 4}, "a#9999999999": {"a#9999999999", 0}} {
		if name, frame, ok := frameOf(arg); name != want.name || frame != want.frame || ok != (want.frame > 0) {
			t.Errorf("%s is %s, %d", arg, name, frame)
		}
	}
}

// The name of a server is not markup in a table.
func TestMarkdownCell(t *testing.T) {
	if got := markdownCell("a|b <i>*c*\x1b[31m"); strings.Contains(got, "\x1b") || !strings.Contains(got, `a\|b \<i\>\*c\*`) {
		t.Errorf("%q", got)
	}
}

func TestOpenError(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{record.ErrNotARecording, "is not a recording of mcptea"},
		{os.ErrNotExist, "no such file or directory"},
		{errors.New("torn"), "torn"},
	} {
		if err := openError("x", tc.err); !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: %v", tc.err, err)
		}
	}
}

package inspector

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/session/session"
	"mcptea/session/tap/control"
)

// A command line of mcptea that is a server is started as one; the others are run.
func TestServes_CommandsOfMcptea(t *testing.T) {
	for line, want := range map[string]bool{
		"mcptea demo --serve": true, "mcptea demo --serve --era 2025-11-25": true, "mcptea mcp": true, "mcptea mock file.jsonl": true,
		"mcptea mock --listen=:0 file.jsonl": false, "mcptea demo": false, "mcptea open file.jsonl": false, "mcptea": false,
	} {
		if serves(strings.Fields(line)) != want {
			t.Errorf("%s is a server: %v", line, !want)
		}
	}
}

// A session that ends with its terminal is remembered as one that was connected.
func TestOutcomeOf_WhoHasClosedIt(t *testing.T) {
	for _, tc := range []struct {
		state  session.State
		text   string
		failed bool
	}{
		{session.State{Phase: session.Ready}, "connected", false},
		{session.State{Phase: session.Ended}, "connected", false},
		{session.State{Phase: session.Ended, Err: errors.New("reset by peer")}, "connection ended", true},
		{session.State{Phase: session.Failed, Err: errors.New("refused")}, "not connected", true},
	} {
		if text, failed := outcomeOf(tc.state); text != tc.text || failed != tc.failed {
			t.Errorf("%+v: %s %v", tc.state.Phase, text, failed)
		}
	}
}

// A chip of a tap has its name and its newest recording; one that has ended meanwhile says so.
func TestTaps_Chips(t *testing.T) {
	p := &Inspector{Settings: settings.New(&app.App{Ctx: t.Context()})}
	chips := p.tapsOf([]control.Info{
		{Name: "editor/shop", Sessions: []control.Session{{Recording: "a"}, {Recording: "b"}}},
		{Target: "https://example.com/mcp"},
	}, t.TempDir())
	var got []string
	for _, c := range chips {
		got = append(got, c.Name+" "+c.Recording)
	}
	if want := []string{"editor/shop b", "example.com "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := p.openTap("socket", t.TempDir(), "shop"); err == nil || err.Error() != "the tap of shop has ended" {
		t.Errorf("a tap that has ended: %v", err)
	}
}

// What opens a session is opened also without the word mcptea, unless it is a command of that name.
func TestTyped_OpensWithoutTheWordMcptea(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, hosted := range []bool{false, true} {
		p := &Inspector{Settings: settings.New(&app.App{Ctx: t.Context()}), hosted: hosted}
		for text, want := range map[string]string{
			"demo --protocol 2025-06-18": "demo --protocol 2025-06-18",
			"open session.jsonl":         "open session.jsonl",
			"demos":                      `"demos" is neither a URL nor a command: `,
		} {
			e := p.typed(text)
			got := strings.Join(e.Args, " ")
			if len(e.Problems) > 0 {
				got = e.Problems[0].Text
			}
			if got != want && !(len(e.Problems) > 0 && strings.HasPrefix(got, want)) {
				t.Errorf("%s opens %q, want %q", text, got, want)
			}
		}
	}
}

// The mistake in a line is the word that an error names, not one that contains it.
func TestPlaceOf_WordOfTheLine(t *testing.T) {
	for _, tc := range []struct {
		word, line string
		want       int
	}{
		{"--nope", "localhost:3000 --nope 1", 15},
		{"--no", "--not --no", 6},
		{"soon", "--timeout=soon x", 10},
		{"soon", `--timeout "soon" x`, 11},
		{"-q", "a-q -q", 4},
		{"gone", "localhost:3000", 14},
		{"", "abc", 3},
	} {
		if got := placeOf(tc.word, tc.line); got != tc.want {
			t.Errorf("%q in %q: %d, want %d", tc.word, tc.line, got, tc.want)
		}
	}
}

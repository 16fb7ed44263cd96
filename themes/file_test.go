package themes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func catalogOf(t *testing.T, files map[string]string) *Catalog {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &Catalog{Dir: dir}
}

func TestUserTheme_Inherits(t *testing.T) {
	c := catalogOf(t, map[string]string{
		"mine.yaml":      "inherits: nord\nerror: \"#ff0000 bold\"\n",
		"json.json":      `{"inherits": "mine", "background": "#ffffff", "text": "#000000"}`,
		"nord.yaml":      "inherits: nord\nok: \"#00ff00\"\n", // replaces the embedded one
		"set-dark.yml":   "inherits: dark\n",
		"set-light.yml":  "inherits: light\n",
		"notes.txt":      "no theme",
		".hidden.yaml":   "x: y",
		"standalone.yml": standalone,
	})
	mine, err := c.Load("mine", true)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Role{Color: "#ff0000", Bold: true}); mine.Error != want || mine.Name != "mine" || mine.Background != "#2e3440" || !mine.Dark {
		t.Errorf("got %+v", mine)
	}
	if mine.OK.Color != "#00ff00" {
		t.Errorf("it inherits %s from the embedded theme and not from the file that replaces it", mine.OK.Color)
	}
	fromJSON, err := c.Load("json", true)
	if err != nil || fromJSON.Dark || fromJSON.Error != mine.Error || fromJSON.Text.Color != "#000000" {
		t.Errorf("got %+v, %v", fromJSON, err)
	}
	if set, err := c.Load("set", false); err != nil || set.Name != "set-light" {
		t.Errorf("got %s, %v", set.Name, err)
	}
	if s, err := c.Load("standalone", false); err != nil || s.Background != "" || s.Muted != (Role{Faint: true}) {
		t.Errorf("got %+v, %v", s, err)
	}
	names := c.Names()
	for _, want := range []string{"mine", "set", "json", "standalone"} {
		if !slices.Contains(names, want) {
			t.Errorf("%v lacks %s", names, want)
		}
	}
	if slices.Contains(names, "notes") || slices.Contains(names, ".hidden") {
		t.Errorf("%v has files that are no themes", names)
	}
}

const standalone = `background: terminal
text: default
strong: bold
muted: faint
faint: faint
accent: bold
ok: default
warning: bold
error: bold
out: default
in: default
asked: bold
value: default
progress: default
selected: reverse
header: reverse
field: underline
match: reverse
`

func TestUserTheme_ErrorsNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"inherits: nord\nacent: \"#ffffff\"":   `x.yaml:2:1: unknown key "acent"; did you mean "accent"?`,
		"inherits: nord\n\naccent: blue":       `x.yaml:3:9: accent: "blue" is neither a color (#rrggbb) nor an attribute`,
		"inherits: nord\naccent: #ffffff":      `x.yaml:2:8: accent: expected a string such as`,
		"inherits: nord\naccent: [bold]":       `x.yaml:2:9: accent: expected a string`,
		"inherits: nord\nbackground: black":    `x.yaml:2:13: background: expected a color (#rrggbb) or "terminal", found "black"`,
		"inherits: nord\ndark: perhaps":        `x.yaml:2:7: dark: expected true or false`,
		"inherits: nord\nassumes: [black]":     `x.yaml:2:11: assumes: expected a list of colors`,
		"inherits: nord\nok: bold\nok: faint":  `x.yaml:3:1: the key "ok" is already set in line 2`,
		"inherits: nrd":                        `x.yaml:1:11: inherits: unknown theme "nrd"`,
		"inherits: x":                          `x.yaml:1:11: inherits: x, x inherits from itself`,
		"inherits: y":                          `inherits from itself`,
		"background: terminal\ntext: default":  `x.yaml: missing strong, muted,`,
		"- text":                               `x.yaml:1: expected a mapping of roles`,
		"":                                     `x.yaml:1: expected a mapping of roles`,
		"text: [":                              `x.yaml:1: `,
		"inherits: nord\ntext: \"#fff 16:20\"": `x.yaml:2:7: text: "#fff" is neither`,
	} {
		c := catalogOf(t, map[string]string{"x.yaml": text, "y.yaml": "inherits: x"})
		_, err := c.Load("x", true)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
		if slices.Contains(c.For(true), "x") {
			t.Errorf("%q: a theme with an error is in the list for the theme switch", text)
		}
		i := slices.IndexFunc(c.All(), func(e Entry) bool { return e.Name == "x" })
		if i < 0 || c.All()[i].Err == nil {
			t.Errorf("%q: All does not report the error", text)
		}
	}
}

func TestCatalog_NoDirectory(t *testing.T) {
	c := &Catalog{Dir: filepath.Join(t.TempDir(), "none")}
	if len(c.All()) != len(order) {
		t.Errorf("%d themes", len(c.All()))
	}
}

func TestCatalog_UnreadableDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := &Catalog{Dir: filepath.Join(file, "themes")}
	if _, err := c.Load("nord", true); err != nil {
		t.Errorf("an embedded theme: %v", err)
	}
	if _, err := c.Load("mine", true); err == nil {
		t.Error("another theme was loaded")
	}
	if len(c.All()) != len(order) {
		t.Errorf("%d themes", len(c.All()))
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(standalone))
	f.Add([]byte("inherits: nord\nok: \"#00ff00 16:2 256:3\""))
	f.Add([]byte(`{"inherits": "nord"}`))
	f.Fuzz(func(_ *testing.T, text []byte) {
		base := func(string) (Theme, error) { return ForBackground(true), nil }
		theme, err := decode("x", "x.yaml", text, base)
		if err == nil {
			theme.Limit(16)
			theme.Limit(256)
		}
	})
}

package themes

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// embeddedThemes are all that are part of the program.
func embeddedThemes(t *testing.T) []Entry {
	t.Helper()
	all := (*Catalog)(nil).All()
	for _, e := range all {
		if e.Err != nil {
			t.Fatal(e.Err)
		}
	}
	return all
}

func TestThemes_FilesAreListed(t *testing.T) {
	entries, err := embedded.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(order) {
		t.Errorf("%d theme files, %d names", len(entries), len(order))
	}
}

// Each theme has a background of its own, or a variant for the other kind of
// terminal, or no colors.
func TestThemes_FitTheirBackground(t *testing.T) {
	for _, e := range embeddedThemes(t) {
		if e.Background == "" && e.Colored() && e.Name != "dark" && e.Name != "light" {
			t.Errorf("%s has the background of the terminal, and no variant", e.Name)
		}
		if e.Background != "" && (luminance(e.Background) < 0.18) != e.Dark {
			t.Errorf("%s: dark is %v", e.Name, e.Dark)
		}
	}
}

// vga are the 16 colors of the Linux console, which differ from those of xterm.
var vga = [16]string{
	"#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa",
	"#555555", "#ff5555", "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff",
}

var text = []string{"text", "strong", "muted", "accent", "ok", "warning", "error", "out", "in", "asked", "value"}

func TestThemes_Contrast(t *testing.T) {
	for _, e := range embeddedThemes(t) {
		if !e.Colored() {
			continue
		}
		for _, colors := range []int{1 << 24, 256} {
			t.Run(fmt.Sprintf("%s/%d", e.Name, colors), func(t *testing.T) {
				checkContrast(t, e.Limit(colors), strings.HasPrefix(e.Name, "high-contrast") && colors > 256)
			})
		}
	}
}

func checkContrast(t *testing.T, theme Theme, high bool) {
	t.Helper()
	under := theme.Assumes
	if theme.Background != "" {
		under = []string{theme.Background}
	}
	if len(under) == 0 {
		t.Fatal("there is no background to compare with")
	}
	least := minText
	if high {
		least = 7
	}
	check := func(role, on string, least float64) {
		t.Helper()
		if c := contrast(theme.Role(role).Color, on); c < least {
			t.Errorf("%s has the contrast %.2f on %s, want %.1f", role, c, on, least)
		}
	}
	for _, b := range under {
		for _, role := range text {
			check(role, b, least)
		}
		check("faint", b, minBorder)
		check("progress", b, minBorder)
	}
	for _, role := range roleNames {
		if IsBackground(role) {
			on := theme.Role(role).Color
			check("text", on, least)
			check("strong", on, minText)
			for _, r := range text {
				check(r, on, minBorder)
			}
		}
	}
}

// With 16 colors, the terminal decides how they look: text must be readable with
// those of xterm and of the Linux console, and never be blue.
func TestThemes_ContrastWith16Colors(t *testing.T) {
	for _, e := range embeddedThemes(t) {
		if !e.Colored() {
			continue
		}
		theme := e.Limit(16)
		under := 15
		if theme.Dark {
			under = 0
		}
		if theme.Background != "" && theme.Background != fmt.Sprintf("@%d", under) {
			t.Errorf("%s: background %s", e.Name, theme.Background)
		}
		for _, role := range roleNames {
			r := theme.Role(role)
			if IsBackground(role) {
				if r.Color != "" || !r.Reverse && !r.Underline {
					t.Errorf("%s: %s is %+v", e.Name, role, *r)
				}
				continue
			}
			var n int
			if _, err := fmt.Sscanf(r.Color, "@%d", &n); err != nil || n == 4 || n == 12 {
				t.Errorf("%s: %s is color %q", e.Name, role, r.Color)
				continue
			}
			for name, palette := range map[string][16]string{"xterm": basic, "vga": vga} {
				least := minText
				if role == "faint" || role == "progress" || n == 8 && name == "xterm" { // gray50, on white
					least = minBorder
				}
				if c := contrast(palette[n], palette[under]); c < least {
					t.Errorf("%s: %s, color %d of %s, has the contrast %.2f", e.Name, role, n, name, c)
				}
			}
		}
		if m := theme.Muted.Color; m != "@7" && m != "@8" {
			t.Errorf("%s: muted is %s", e.Name, m)
		}
	}
}

// A theme that was chosen for the other kind of terminal brings a background.
func TestOn_OtherBackground(t *testing.T) {
	for _, e := range embeddedThemes(t) {
		same, other := e.On(e.Dark), e.On(!e.Dark)
		if same.Background != e.Background {
			t.Errorf("%s paints %s on its own kind of terminal", e.Name, same.Background)
		}
		if e.Colored() && other.Background == "" {
			t.Errorf("%s paints no background on a terminal with dark %v", e.Name, !e.Dark)
		}
	}
}

func TestLimit_NamedColors(t *testing.T) {
	theme := ForBackground(true)
	theme.OK = Role{Color: "#a6da95", Indexed: "@120", Basic: "@2"}
	theme.Selected = Role{Color: "#2b3149", Basic: "underline"}
	if got := theme.Limit(256).OK.Color; got != "@120" {
		t.Errorf("256 colors: %s", got)
	}
	low := theme.Limit(16)
	if low.OK.Color != "@2" || low.Selected.Color != "" || !low.Selected.Underline || low.Selected.Reverse {
		t.Errorf("16 colors: %+v, %+v", low.OK, low.Selected)
	}
	if got := theme.Limit(1 << 24).OK.Color; got != "#a6da95" {
		t.Errorf("all colors: %s", got)
	}
}

func TestMonochrome_HasNoColor(t *testing.T) {
	theme, err := (*Catalog)(nil).Load("monochrome", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range roleNames {
		if r := theme.Role(name); r.Color != "" || basicOf(theme, name) != "" {
			t.Errorf("%s has the color %s", name, r.Color)
		}
	}
	if theme.Colored() || theme.Background != "" {
		t.Error("it counts as colored")
	}
}

func TestLoad_Variants(t *testing.T) {
	var c *Catalog
	for _, tc := range []struct {
		name string
		dark bool
		want string
	}{
		{"auto", true, "dark"},
		{"auto", false, "light"},
		{"dark", false, "dark"},
		{"gruvbox", true, "gruvbox-dark"},
		{"gruvbox", false, "gruvbox-light"},
		{"gruvbox-light", true, "gruvbox-light"},
		{"nord", false, "nord"},
	} {
		theme, err := c.Load(tc.name, tc.dark)
		if err != nil || theme.Name != tc.want {
			t.Errorf("%s, dark %v: %s, %v", tc.name, tc.dark, theme.Name, err)
		}
	}
	_, err := c.Load("solarised", true)
	if err == nil || !strings.Contains(err.Error(), "solarized, solarized-dark") {
		t.Errorf("the error does not list the names: %v", err)
	}
}

func TestFor_LeavesOutUnfitThemes(t *testing.T) {
	var c *Catalog
	dark, light := c.For(true), c.For(false)
	for _, tc := range []struct {
		names []string
		has   []string
		not   []string
	}{
		{dark, []string{"dark", "catppuccin-dark", "nord", "high-contrast-dark", "monochrome"}, []string{"light", "catppuccin-light"}},
		{light, []string{"light", "catppuccin-light", "nord", "high-contrast-light", "monochrome"}, []string{"dark", "catppuccin-dark"}},
	} {
		for _, name := range tc.has {
			if !slices.Contains(tc.names, name) {
				t.Errorf("%v lacks %s", tc.names, name)
			}
		}
		for _, name := range tc.not {
			if slices.Contains(tc.names, name) {
				t.Errorf("%v has %s", tc.names, name)
			}
		}
		if len(tc.names) < 8 {
			t.Errorf("only %d themes: %v", len(tc.names), tc.names)
		}
	}
}

func TestRole_Words(t *testing.T) {
	var r Role
	if err := r.UnmarshalText([]byte("#8aadf4 bold underline 256:111 16:reverse")); err != nil {
		t.Fatal(err)
	}
	if want := (Role{Color: "#8aadf4", Bold: true, Underline: true, Indexed: "@111", Basic: "reverse"}); r != want {
		t.Errorf("got %+v", r)
	}
	for _, bad := range []string{"", "blue", "#12", "#gggggg", "#+12345", "256:256", "256:x", "16:16", "16:blue"} {
		if err := r.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestContrast(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want float64
	}{{"#000000", "#ffffff", 21}, {"#777777", "#ffffff", 4.48}, {"@15", "@0", 21}, {"@232", "@232", 1}} {
		if got := contrast(tc.a, tc.b); got < tc.want-0.01 || got > tc.want+0.01 {
			t.Errorf("%s on %s: %.2f, want %.2f", tc.a, tc.b, got, tc.want)
		}
	}
}

// basicOf is the color of a role with 16 colors.
func basicOf(t Theme, role string) string {
	t = t.Limit(16)
	return t.Role(role).Color
}

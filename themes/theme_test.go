package themes

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

func roles(t Theme) map[string]Role {
	out := map[string]Role{}
	v := reflect.ValueOf(t)
	for i := range v.NumField() {
		if r, ok := v.Field(i).Interface().(Role); ok {
			out[v.Type().Field(i).Tag.Get("json")] = r
		}
	}
	return out
}

func TestEveryThemeNamesEveryRole(t *testing.T) {
	for _, name := range Names() {
		th, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if th.Name != name {
			t.Errorf("%s.json calls itself %q", name, th.Name)
		}
		raw, _ := files.ReadFile(name + ".json")
		var keys map[string]any
		if err := json.Unmarshal(raw, &keys); err != nil {
			t.Fatal(err)
		}
		for role := range roles(th) {
			if _, ok := keys[role]; !ok {
				t.Errorf("%s: role %q is missing", name, role)
			}
		}
	}
}

func TestEveryFileIsListed(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(Names()) {
		t.Errorf("%d theme files, %d names", len(entries), len(Names()))
	}
}

func TestTextIsReadable(t *testing.T) {
	grounds := []string{"selected", "header", "field", "match"}
	text := []string{"text", "strong", "muted", "accent", "ok", "warn", "error", "out", "in", "asked", "value"}
	for _, name := range Names() {
		th, _ := Load(name)
		if th.Background == "" {
			continue
		}
		least := 4.5
		if name == "high-contrast" {
			least = 7
		}
		rs := roles(th)
		for _, role := range text {
			if c := contrast(t, rs[role].Color, th.Background); c < least {
				t.Errorf("%s: %s has contrast %.2f on %s, want %.1f", name, role, c, th.Background, least)
			}
		}
		// On a coloured background text has to stay legible, muted text too.
		for _, g := range grounds {
			for _, role := range text {
				if c := contrast(t, rs[role].Color, rs[g].Color); c < 3.5 {
					t.Errorf("%s: %s has contrast %.2f on %s, want 3.5", name, role, c, g)
				}
			}
			if c := contrast(t, th.Text.Color, rs[g].Color); c < least {
				t.Errorf("%s: text has contrast %.2f on %s, want %.1f", name, c, g, least)
			}
		}
	}
}

func TestMonochromeHasNoColour(t *testing.T) {
	th, err := Load("monochrome")
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range roles(th) {
		if r.Color != "" {
			t.Errorf("%s is coloured %s", name, r.Color)
		}
	}
	if th.Chroma != "" {
		t.Errorf("syntax style %q", th.Chroma)
	}
}

func TestUnknownNameListsWhatThereIs(t *testing.T) {
	_, err := Load("solarised")
	if err == nil || !strings.Contains(err.Error(), "high-contrast") {
		t.Errorf("got %v", err)
	}
}

func TestBackgroundChooses(t *testing.T) {
	if !ForBackground(true).Dark || ForBackground(false).Dark {
		t.Error("dark and light are mixed up")
	}
}

func TestRoleWords(t *testing.T) {
	var r Role
	if err := r.UnmarshalText([]byte("#8aadf4 bold underline")); err != nil {
		t.Fatal(err)
	}
	if want := (Role{Color: "#8aadf4", Bold: true, Underline: true}); r != want {
		t.Errorf("got %+v", r)
	}
	for _, bad := range []string{"", "blue", "#12", "#gggggg"} {
		if err := r.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

// contrast is the WCAG 2 contrast ratio of two colours.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	la, lb := luminance(t, a), luminance(t, b)
	return (math.Max(la, lb) + 0.05) / (math.Min(la, lb) + 0.05)
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	r, g, b, ok := RGB(hex)
	if !ok {
		t.Fatalf("%q is no colour", hex)
	}
	lin := func(c uint8) float64 {
		v := float64(c) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

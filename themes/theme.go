package themes

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

//go:embed *.json
var files embed.FS

// Theme fills every role. It is a plain value; a copy is independent.
type Theme struct {
	Name string `json:"name"`
	// Dark tells which background the theme was made for.
	Dark bool `json:"dark"`
	// Background is the terminal background that contrast was checked
	// against. It is never painted: the terminal keeps its own.
	Background string `json:"background"`
	// Chroma names the syntax style that goes with the theme; "" means that
	// code is told apart by attributes only.
	Chroma string `json:"chroma"`

	Text   Role `json:"text"`   // what is read
	Strong Role `json:"strong"` // names, titles
	Muted  Role `json:"muted"`  // what is secondary
	Faint  Role `json:"faint"`  // borders, rules
	Accent Role `json:"accent"` // focus, keys, tabs

	OK    Role `json:"ok"`
	Warn  Role `json:"warn"`
	Error Role `json:"error"`

	Out   Role `json:"out"`   // from client to server
	In    Role `json:"in"`    // from server to client
	Asked Role `json:"asked"` // what the server asks of the client
	Value Role `json:"value"` // argument names, URIs

	Progress Role `json:"progress"` // the done part of a bar

	// The next ones are backgrounds: the colour lies under the text.
	Selected Role `json:"selected"`
	Header   Role `json:"header"`
	Field    Role `json:"field"`
	Match    Role `json:"match"`
}

// order is how Names lists them: the usual choice first.
var order = []string{"dark", "light", "high-contrast", "monochrome"}

// Names lists the embedded themes.
func Names() []string { return slices.Clone(order) }

// Load decodes an embedded theme. The error for an unknown name lists the
// names there are.
func Load(name string) (Theme, error) {
	if !slices.Contains(order, name) {
		return Theme{}, fmt.Errorf("no theme %q; there are %s", name, strings.Join(order, ", "))
	}
	raw, err := files.ReadFile(name + ".json")
	if err != nil {
		return Theme{}, fmt.Errorf("theme %s: %w", name, err)
	}
	t, err := decode(raw)
	if err != nil {
		return Theme{}, fmt.Errorf("theme %s: %w", name, err)
	}
	return t, nil
}

// ForBackground gives the theme for a terminal with a dark or light background.
func ForBackground(dark bool) Theme {
	name := "light"
	if dark {
		name = "dark"
	}
	t, err := Load(name)
	if err != nil {
		// The files are part of the program and every one is loaded in tests.
		panic(err)
	}
	return t
}

// decode refuses unknown names, so that a misspelt role does not go unseen.
func decode(raw []byte) (Theme, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var t Theme
	if err := dec.Decode(&t); err != nil {
		return Theme{}, err
	}
	return t, nil
}

// For adapts the theme to a terminal that has so many colours.
func (t Theme) For(colours int) Theme {
	for _, r := range []*Role{&t.Selected, &t.Header, &t.Field, &t.Match} {
		switch {
		case colours <= 16 && r.Basic != "":
			r.Color = r.Basic
		case colours <= 256 && r.Indexed != "":
			r.Color = r.Indexed
		}
	}
	return t
}

package themes

import "reflect"

// Theme defines every role. It is a plain value; a copy is independent.
type Theme struct {
	Name string
	// Dark reports whether the background is dark.
	Dark bool
	// Background is the color under everything, "#rrggbb" (or "@N" after [Theme.Limit]), or empty for the
	// background of the terminal.
	Background string
	// Assumes contains the backgrounds of terminals on which the theme must be readable if it has no
	// background.
	Assumes []string

	Text   Role `role:"text"`
	Strong Role `role:"strong"` // names, titles
	Muted  Role `role:"muted"`  // secondary text
	Faint  Role `role:"faint"`  // borders, rules
	Accent Role `role:"accent"` // focus, keys, tabs

	OK    Role `role:"ok"`
	Warn  Role `role:"warning"`
	Error Role `role:"error"`

	Out   Role `role:"out"`   // from client to server
	In    Role `role:"in"`    // from server to client
	Asked Role `role:"asked"` // server requests
	Value Role `role:"value"` // argument names, URIs

	Progress Role `role:"progress"` // the completed part of a progress bar

	// These are backgrounds: the color is under the text.
	Selected Role `role:"selected"`
	Header   Role `role:"header"`
	Field    Role `role:"field"`
	Match    Role `role:"match"`
}

// roleNames are the roles as theme files name them, in the order of [Theme].
var roleNames = func() []string {
	var names []string
	for f := range reflect.TypeFor[Theme]().Fields() {
		if name := f.Tag.Get("role"); name != "" {
			names = append(names, name)
		}
	}
	return names
}()

// Role returns the role that theme files call by this name, or nil.
func (t *Theme) Role(name string) *Role {
	for f, v := range reflect.ValueOf(t).Elem().Fields() {
		if f.Tag.Get("role") == name && name != "" {
			return v.Addr().Interface().(*Role)
		}
	}
	return nil
}

// IsBackground reports whether the color of a role is under the text.
func IsBackground(role string) bool {
	switch role {
	case "selected", "header", "field", "match":
		return true
	}
	return false
}

// Colored reports whether the theme has colors, and not only attributes.
func (t *Theme) Colored() bool {
	return t.Text.Color != "" || t.Accent.Color != "" || t.Error.Color != ""
}

// On returns the theme for a terminal with a dark or a light background: a theme for the other kind that uses
// the terminal's background gets its own background.
func (t Theme) On(dark bool) Theme {
	if t.Background == "" && t.Dark != dark && len(t.Assumes) > 0 {
		t.Background = t.Assumes[0]
	}
	return t
}

// Limit returns the theme for a terminal with this number of colors: 16, 256 or more. A role without a color
// for so few gets the nearest one that is readable on the background. With 16 colors, backgrounds of roles
// become attributes: the colors depend on the terminal, and only reverse video keeps the contrast of the text.
func (t Theme) Limit(colors int) Theme {
	if colors > 256 || !t.Colored() {
		return t
	}
	l := limiter{dark: t.Dark, basic: colors <= 16}
	under := t.Assumes
	if t.Background != "" {
		under = []string{t.Background}
	}
	for _, hex := range under {
		l.backgrounds = append(l.backgrounds, l.background(hex))
	}
	if t.Background != "" {
		t.Background = l.background(t.Background)
	}
	for _, name := range roleNames { // the backgrounds are the last ones
		r := t.Role(name)
		*r = l.role(name, *r)
		if r.Color != "" && !IsBackground(name) && name != "faint" && name != "progress" {
			l.texts = append(l.texts, r.Color)
		}
	}
	return t
}

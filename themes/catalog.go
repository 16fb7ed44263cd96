package themes

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

//go:embed *.yaml
var embedded embed.FS

// order is the order of the embedded themes: the usual choice first.
var order = []string{
	"dark", "light", "catppuccin-dark", "catppuccin-light", "gruvbox-dark", "gruvbox-light", "nord",
	"solarized-dark", "solarized-light", "colorblind-dark", "colorblind-light",
	"high-contrast-dark", "high-contrast-light", "monochrome",
}

// Auto names the theme dark or light, whichever fits the terminal.
const Auto = "auto"

// Catalog holds the embedded themes and the themes in the files of a directory, one per file. A
// file replaces the embedded theme with the same name. The zero Catalog and nil have only the
// embedded themes. Methods read the directory each time, and may be called concurrently.
type Catalog struct {
	// Dir is the directory of user themes, which need not exist.
	Dir string
}

// Embedded returns the names of the embedded themes.
func Embedded() []string { return slices.Clone(order) }

func (c *Catalog) files() (map[string]string, error) {
	if c == nil {
		return nil, nil //nolint:nilnil // there are none
	}
	return userFiles(c.Dir)
}

// Entry is a theme of a catalog.
type Entry struct {
	Name string
	Path string // path of the file, or "" for an embedded theme
	Theme
	Err error // why the file cannot be read; Theme is zero then
}

// All loads all themes.
func (c *Catalog) All() []Entry {
	files, _ := c.files()
	names := slices.Clone(order)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !slices.Contains(order, name) {
			names = append(names, name)
		}
	}
	entries := make([]Entry, 0, len(names))
	for _, name := range names {
		t, err := c.theme(name, nil)
		entries = append(entries, Entry{Name: name, Path: files[name], Theme: t, Err: err})
	}
	return entries
}

// Names lists the names that [Catalog.Load] accepts: the themes, and the families with a dark and a
// light theme.
func (c *Catalog) Names() []string {
	names := []string{Auto}
	for _, e := range c.All() {
		family, variant := split(e.Name)
		if variant && !slices.Contains(names, family) {
			names = append(names, family)
		}
		names = append(names, e.Name)
	}
	return names
}

// split returns the family of a theme that is a dark or light variant of it.
func split(name string) (family string, variant bool) {
	for _, suffix := range []string{"-dark", "-light"} {
		if family, variant = strings.CutSuffix(name, suffix); variant {
			return family, true
		}
	}
	return name, false
}

// For lists the themes that fit a terminal with a dark or a light background, in the
// order of [Catalog.All]: those made for such a background, and those without colors.
// A theme with a background of its own and without a variant fits any terminal. Files
// with errors are left out.
func (c *Catalog) For(dark bool) []string {
	all := c.All()
	hasVariant := func(e Entry) bool {
		family, variant := split(e.Name)
		return variant && slices.ContainsFunc(all, func(o Entry) bool {
			other, too := split(o.Name)
			return too && other == family && o.Err == nil && o.Dark != e.Dark
		})
	}
	var names []string
	for _, e := range all {
		if e.Err == nil && (e.Dark == dark || !e.Colored() || e.Background != "" && !hasVariant(e)) {
			names = append(names, e.Name)
		}
	}
	return names
}

// Load loads a theme by its name, or the variant of a family that fits a terminal
// with a dark or a light background. The error for an unknown name lists the names;
// one about a file has the path and the line.
func (c *Catalog) Load(name string, dark bool) (Theme, error) {
	suffix := "light"
	if dark {
		suffix = "dark"
	}
	if name == Auto || name == "" {
		return c.theme(suffix, nil)
	}
	files, err := c.files()
	exists := func(name string) bool { return files[name] != "" || slices.Contains(order, name) }
	switch {
	case err != nil && !exists(name):
		return Theme{}, err
	case exists(name):
		return c.theme(name, nil)
	case exists(name + "-" + suffix):
		return c.theme(name+"-"+suffix, nil)
	}
	return Theme{}, fmt.Errorf("unknown theme %q; the themes are %s", name, strings.Join(c.Names(), ", "))
}

// theme loads one theme. from are the names of the themes that inherit from it.
func (c *Catalog) theme(name string, from []string) (Theme, error) {
	files, err := c.files()
	if err != nil && !slices.Contains(order, name) {
		return Theme{}, err
	}
	path, isUser := files[name]
	var text []byte
	switch {
	case isUser && slices.Contains(from, name) && slices.Contains(order, name) && from[len(from)-1] == name:
		// A user theme may inherit from the embedded theme that it replaces.
		isUser = false
	case slices.Contains(from, name):
		return Theme{}, fmt.Errorf("%s inherits from itself", strings.Join(append(from, name), ", "))
	}
	switch {
	case isUser:
		text, err = readUserFile(path)
	case slices.Contains(order, name):
		path = name + ".yaml"
		text, err = embedded.ReadFile(path)
	default:
		return Theme{}, fmt.Errorf("unknown theme %q", name)
	}
	if err != nil {
		return Theme{}, err
	}
	return decode(name, path, text, func(base string) (Theme, error) { return c.theme(base, append(slices.Clone(from), name)) })
}

// Source returns the text of the file of a theme, as a start for a new theme.
func (c *Catalog) Source(name string) ([]byte, error) {
	if _, err := c.Load(name, true); err != nil {
		return nil, err
	}
	files, _ := c.files()
	if path := files[name]; path != "" {
		return readUserFile(path)
	}
	text, err := embedded.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("%s is a family of themes; name %s-dark or %s-light", name, name, name)
	}
	return text, nil
}

// ForBackground returns the embedded theme for a terminal with a dark or a light
// background.
func ForBackground(dark bool) Theme {
	t, err := (*Catalog)(nil).Load(Auto, dark)
	if err != nil {
		panic(err) // the file is part of the program, and is loaded in tests
	}
	return t
}

package themes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/internal/system"

	"go.yaml.in/yaml/v3"

	"mcptea/internal/yamldoc"
)

// maxFile is the maximum size of a theme file, in bytes.
const maxFile = 1 << 20

// terminalBackground is the background of a theme file that leaves it to the terminal.
const terminalBackground = "terminal"

// decoder reads a theme file: YAML, and so JSON too.
type decoder struct {
	path string
	base func(name string) (Theme, error) // loads the theme to inherit from
	t    Theme
	set  map[string]bool // roles and keys
}

// decode reads a theme. The error has the path and the line.
func decode(name, path string, text []byte, base func(string) (Theme, error)) (Theme, error) {
	d := decoder{path: path, base: base, set: map[string]bool{}}
	doc, err := yamldoc.Parse(path, text)
	if err != nil {
		return Theme{}, err
	}
	top := yamldoc.Top(doc)
	if top == nil || top.Kind != yaml.MappingNode {
		return Theme{}, &yamldoc.Error{Name: path, Line: 1, Text: `expected a mapping of roles such as text: "#c8d0e0"`}
	}
	if err := d.mapping(top); err != nil {
		return Theme{}, err
	}
	d.t.Name = name
	return d.t, d.complete()
}

func (d *decoder) mapping(n *yaml.Node) error {
	// The base first, wherever it is named.
	for key, value := range yamldoc.Members(n) {
		if key.Value == "inherits" {
			base, err := d.base(value.Value)
			if err != nil {
				return d.errorf(value, "inherits: %v", err)
			}
			d.t, d.set["inherits"] = base, true
		}
	}
	if err := yamldoc.CheckKeys(d.path, n); err != nil {
		return err
	}
	for key, value := range yamldoc.Members(n) {
		if err := d.key(key, value); err != nil {
			return err
		}
		d.set[key.Value] = true
	}
	return nil
}

func (d *decoder) key(key, value *yaml.Node) error {
	switch key.Value {
	case "inherits":
		return nil
	case "dark":
		if value.Kind != yaml.ScalarNode || value.Decode(&d.t.Dark) != nil {
			return d.errorf(value, "dark: expected true or false")
		}
		return nil
	case "background":
		if value.Value == terminalBackground {
			d.t.Background = ""
			return nil
		}
		if _, _, _, ok := RGB(value.Value); !ok {
			return d.errorf(value, "background: expected a color (#rrggbb) or \"terminal\", found %q", value.Value)
		}
		d.t.Background = value.Value
		if !d.set["dark"] {
			d.t.Dark = luminance(value.Value) < 0.18
		}
		return nil
	case "assumes":
		d.t.Assumes = nil
		for _, item := range value.Content {
			if _, _, _, ok := RGB(item.Value); !ok {
				return d.errorf(item, "assumes: expected a list of colors (#rrggbb), found %q", item.Value)
			}
			d.t.Assumes = append(d.t.Assumes, item.Value)
		}
		return nil
	}
	name := key.Value
	if name == "warn" {
		name = "warning"
	}
	role := d.t.Role(name)
	if role == nil {
		return yamldoc.UnknownKey(d.path, key, key.Value, append([]string{"inherits", "dark", "background", "assumes"}, roleNames...))
	}
	if value.Kind != yaml.ScalarNode {
		return d.errorf(value, "%s: expected a string such as \"#8aadf4 bold\"", key.Value)
	}
	if err := role.UnmarshalText([]byte(value.Value)); err != nil {
		if value.Value == "" {
			err = errors.New(`expected a string such as "#8aadf4 bold" (in YAML, # begins a comment outside of quotes)`)
		}
		return d.errorf(value, "%s: %v", key.Value, err)
	}
	return nil
}

// complete returns an error for a theme without a base that leaves out a color.
func (d *decoder) complete() error {
	if d.set["inherits"] {
		return nil
	}
	var missing []string
	for _, name := range append([]string{"background"}, roleNames...) {
		if !d.set[name] {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%s: missing %s; set them, or name another theme with \"inherits\"", d.path, strings.Join(missing, ", "))
	}
	if d.t.Background == "" && d.t.Colored() && len(d.t.Assumes) == 0 {
		d.t.Assumes = []string{"#ffffff"}
		if d.t.Dark {
			d.t.Assumes = []string{"#000000"}
		}
	}
	return nil
}

func (d *decoder) errorf(n *yaml.Node, format string, args ...any) error {
	return yamldoc.Errorf(d.path, n, format, args...)
}

// userFiles returns the theme files of a directory, by the name of the theme.
func userFiles(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || dir == "" {
		return nil, nil //nolint:nilnil // no directory has no themes
	}
	files := map[string]string{}
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if slices.Contains([]string{".yaml", ".yml", ".json"}, ext) && !strings.HasPrefix(e.Name(), ".") {
			files[strings.TrimSuffix(e.Name(), ext)] = filepath.Join(dir, e.Name())
		}
	}
	return files, err
}

func readUserFile(path string) ([]byte, error) {
	text, err := system.ReadText(path, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: expected a regular file of at most 1 MB: %w", path, err)
	}
	return text, err
}

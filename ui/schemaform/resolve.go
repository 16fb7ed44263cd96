package schemaform

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"mcptea/session/schema"
	"mcptea/session/variables"
)

// file is the content of a file that a text names, or why it cannot be read.
type file struct {
	content []byte
	err     error
}

// fileOf returns the path when a text stands for the content of a file.
func fileOf(n *schema.Node) (path string, ok bool) {
	if n.Field.Kind != schema.String && n.Field.Kind != schema.JSON && !n.AsJSON {
		return "", false
	}
	return variables.File(n.Text)
}

// Paths returns the files that texts of the form name with @path and that were not
// given to SetFile since the last Check.
func (d *Draft) Paths() []string {
	if d.AsJSON {
		return nil
	}
	var paths []string
	for n := range d.Tree.Leaves {
		if path, ok := fileOf(n); ok {
			if _, known := d.files[path]; !known {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// SetFile gives the content of a file that Paths has named to the next Check, or the
// error of reading it.
func (d *Draft) SetFile(path string, content []byte, err error) {
	if d.files == nil {
		d.files = map[string]file{}
	}
	d.files[path] = file{content, err}
}

// resolve is what the text of a leaf stands for.
func (d *Draft) resolve(n *schema.Node, isJSON bool) (string, error) {
	if path, ok := fileOf(n); ok {
		return d.content(n, path, isJSON)
	}
	if isJSON {
		raw, err := variables.ExpandJSON([]byte(n.Text), d.lookup)
		return string(raw), err
	}
	if isOption(n) {
		return n.Text, nil
	}
	text, err := variables.Expand(n.Text, d.lookup)
	if n.Field.Kind == schema.String && strings.HasPrefix(n.Text, "@@") {
		text = text[1:]
	}
	return text, err
}

// isOption reports whether a text is chosen from options that are not free of braces:
// then no part of it is a variable of the user.
func isOption(n *schema.Node) bool {
	return slices.ContainsFunc(n.Field.Options, func(o schema.Option) bool { return variables.Contains(o.Label) })
}

// lookup is that of Variables; without any, all are unknown.
func (d *Draft) lookup(name string) (json.RawMessage, error) {
	if d.Variables == nil {
		return nil, fmt.Errorf("{{%s}} has no value here", name)
	}
	return d.Variables(name)
}

// content is that of a file, as a text or as JSON.
func (d *Draft) content(n *schema.Node, path string, isJSON bool) (string, error) {
	f, known := d.files[path]
	switch {
	case !known:
		return n.Text, nil // it is read before the values are sent
	case f.err != nil:
		why := f.err.Error()
		var at *fs.PathError
		if errors.As(f.err, &at) {
			why = at.Err.Error()
		}
		return "", fmt.Errorf("cannot read %q: %s; a text that begins with @ is written @@", path, why)
	case n.Field.Base64:
		return base64.StdEncoding.EncodeToString(f.content), nil
	case !utf8.Valid(f.content):
		return "", fmt.Errorf("%q is not UTF-8, which a string must be", path)
	case isJSON:
		return string(f.content), nil
	}
	return string(f.content), nil
}

// maxPreview is how much of a resolved text is shown, in bytes.
const maxPreview = 200

// preview notes under a field what its text stands for, secrets masked.
func (d *Draft) preview(n *schema.Node) {
	if n == nil || n.Shape != schema.Leaf && !n.AsJSON {
		return
	}
	if path, ok := fileOf(n); ok {
		d.Form.SetNote(n.ID, "the content of the file "+path)
		return
	}
	if isOption(n) || !variables.Contains(n.Text) {
		return
	}
	text, err := variables.Expand(n.Text, variables.Masked(d.lookup))
	if err != nil {
		d.Form.SetNote(n.ID, err.Error())
		return
	}
	if len(text) > maxPreview {
		text = strings.ToValidUTF8(text[:maxPreview], "") + "…"
	}
	d.Form.SetNote(n.ID, "sends "+text)
}

// Unresolved are the values as they were filled in, with their variables and the names
// of files: what may be kept, for Use. It is "{}" for JSON that is not valid.
func (d *Draft) Unresolved() []byte {
	if !d.AsJSON {
		values, _ := d.Tree.Values()
		return Compact(values)
	}
	if text := []byte(d.Editor.Value()); json.Valid(text) {
		return variables.FieldJSON(Compact(text))
	}
	return []byte("{}")
}

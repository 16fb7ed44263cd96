package schemaform

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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

// fileOf returns the path when a text stands for the content of a file: @path. A text
// that begins with @@ begins with @ itself.
func fileOf(n *schema.Node) (path string, ok bool) {
	path, ok = strings.CutPrefix(n.Text, "@")
	text := n.Field.Kind == schema.String || n.Field.Kind == schema.JSON || n.AsJSON
	return path, ok && text && path != "" && path[0] != '@' && !strings.ContainsAny(path, "\n")
}

// Paths returns the files that texts of the form name with @path and that were not
// given to SetFile since the last Check.
func (d *Draft) Paths() []string {
	if d.AsJSON {
		return nil
	}
	d.pull()
	var paths []string
	for n := range d.Tree.Leaves {
		if path, ok := fileOf(n); ok && n.IsTouched() {
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
	if path, ok := fileOf(n); ok && n.IsTouched() {
		return d.content(n, path, isJSON)
	}
	text := n.Text
	if !isJSON && n.Field.Kind == schema.String && strings.HasPrefix(text, "@@") {
		text = text[1:]
	}
	if d.Variables == nil || !variables.Contains(text) {
		return text, nil
	}
	if isJSON {
		raw, err := variables.ExpandJSON([]byte(text), d.Variables)
		return string(raw), err
	}
	return variables.Expand(text, d.Variables)
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
	d.pull()
	if path, ok := fileOf(n); ok {
		d.Form.SetNote(n.ID, "the content of the file "+path)
		return
	}
	if d.Variables == nil || !variables.Contains(n.Text) {
		return
	}
	text, err := variables.Expand(n.Text, variables.Masked(d.Variables))
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
// of files: what may be kept. It is "{}" for JSON that is not valid.
func (d *Draft) Unresolved() []byte {
	if !d.AsJSON {
		d.pull()
		values, _ := d.Tree.Values()
		return Compact(values)
	}
	if text := []byte(d.Editor.Value()); json.Valid(text) {
		return Compact(text)
	}
	return []byte("{}")
}

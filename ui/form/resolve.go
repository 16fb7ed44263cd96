package form

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/schema/variables"
	"mcptea/internal/words/phrase"
)

// file is the content of a file that a text names, or the error of reading it.
type file struct {
	content []byte
	err     error
}

// fileOf returns the path of a file if a text stands for the content of that file.
func fileOf(n *schema.Node) (path string, ok bool) {
	if n.Field.Kind != schema.String && n.Field.Kind != schema.JSON && !n.AsJSON {
		return "", false
	}
	return variables.File(n.Text)
}

// Paths returns the paths in texts of the form @path whose content was not set by SetFile since the
// last Check.
func (f *Form) Paths() []string {
	if f.AsJSON {
		return nil
	}
	var paths []string
	for n := range f.Tree.Leaves {
		if path, ok := fileOf(n); ok {
			if _, known := f.files[path]; !known {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// SetFile sets the content of a file from Paths, or the error of reading it, for the next Check.
func (f *Form) SetFile(path string, content []byte, err error) {
	if f.files == nil {
		f.files = map[string]file{}
	}
	f.files[path] = file{content, err}
}

// resolve returns the text of a leaf with variables and files replaced.
func (f *Form) resolve(n *schema.Node, isJSON bool) (string, error) {
	if path, ok := fileOf(n); ok {
		return f.content(n, path)
	}
	if isJSON {
		raw, err := variables.ExpandJSON([]byte(n.Text), f.lookup)
		return string(raw), err
	}
	if isOption(n) {
		return n.Text, nil
	}
	text, err := variables.Expand(n.Text, f.lookup)
	if n.Field.Kind == schema.String && strings.HasPrefix(n.Text, "@@") {
		text = text[1:]
	}
	return text, err
}

// isOption reports whether a text was chosen from options that contain braces. Then the braces are
// not a variable of the user.
func isOption(n *schema.Node) bool {
	return slices.ContainsFunc(n.Field.Options, func(o schema.Option) bool { return variables.Contains(o.Label) })
}

// lookup calls Variables. If that is nil, all variables are unknown.
func (f *Form) lookup(name string) (json.RawMessage, error) {
	if f.Variables == nil {
		return nil, fmt.Errorf("{{%s}} has no value here", name)
	}
	return f.Variables(name)
}

// content returns the content of a file, as text or as JSON.
func (f *Form) content(n *schema.Node, path string) (string, error) {
	read, known := f.files[path]
	switch {
	case !known:
		return n.Text, nil // the file is read before the values are sent
	case read.err != nil:
		why := read.err.Error()
		if at, ok := errors.AsType[*fs.PathError](read.err); ok {
			why = at.Err.Error()
		}
		return "", fmt.Errorf("cannot read %q: %s; write @@ for a text that begins with @", path, why)
	case n.Field.Base64:
		return base64.StdEncoding.EncodeToString(read.content), nil
	case !utf8.Valid(read.content):
		return "", fmt.Errorf("%q is not valid UTF-8", path)
	}
	return string(read.content), nil
}

// maxPreview bounds the displayed part of a resolved text, in bytes.
const maxPreview = 200

// preview returns the resolved text of a node with secrets masked, or "" if it is the same as the
// entered text.
func (f *Form) preview(n *schema.Node) string {
	if n.Shape != schema.Leaf && !n.AsJSON {
		return ""
	}
	if path, ok := fileOf(n); ok {
		return "the content of the file " + path
	}
	if isOption(n) || !variables.Contains(n.Text) {
		return ""
	}
	text, err := variables.Expand(n.Text, variables.Masked(f.lookup))
	if err != nil {
		return err.Error()
	}
	if len(text) > maxPreview {
		text = strings.ToValidUTF8(text[:maxPreview], "") + phrase.Signs("…")
	}
	return "sends " + text
}

// Unresolved returns the values as entered, with variables and file names. [Form.Use] accepts them.
// For invalid JSON it returns "{}".
func (f *Form) Unresolved() []byte {
	if !f.AsJSON {
		values, _ := f.Tree.Values()
		return jsonrpc.Compact(values)
	}
	if text := []byte(f.Editor.Value()); json.Valid(text) {
		return variables.FieldJSON(jsonrpc.Compact(text))
	}
	return []byte("{}")
}

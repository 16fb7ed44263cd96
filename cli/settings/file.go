package settings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"mcptea/cli/app"
	"mcptea/internal/system"
)

// maxSize is the maximum size of the file, in bytes.
const maxSize = 1 << 20

// Path is the path of the file, whether or not it exists: that of the flag, that of
// $MCPTEA_CONFIG, or config.yaml in [system.ConfigDir]. It is empty if one of them is "off", and
// without a home directory.
func Path(flag string, getenv func(string) string) string {
	for _, named := range []string{flag, getenv("MCPTEA_CONFIG")} {
		switch named {
		case "":
		case "off":
			return ""
		default:
			return named
		}
	}
	if dir := system.ConfigDir(); dir != "" {
		return filepath.Join(dir, "config.yaml")
	}
	return ""
}

// Read reads a file. One that does not exist sets nothing, and neither does the
// path "". The error names the file and the line.
func Read(ctx context.Context, path string) (*Config, error) {
	doc, err := load(ctx, path)
	if err != nil {
		return nil, err
	}
	return decode(path, doc)
}

// Parse reads the text of a file as [Read] does; its errors name the path.
func Parse(path string, text []byte) (*Config, error) {
	doc, err := parse(path, text)
	if err != nil {
		return nil, err
	}
	return decode(path, doc)
}

// load parses the file.
func load(ctx context.Context, path string) (*yaml.Node, error) {
	if path == "" {
		return &yaml.Node{}, nil
	}
	text, err := app.ReadFile(ctx, path, maxSize)
	if errors.Is(err, fs.ErrNotExist) || system.IsErrno(err, syscall.ENOTDIR) || isUnreachable(path, err) {
		return &yaml.Node{}, nil
	}
	if err != nil {
		return nil, err
	}
	return parse(path, text)
}

func parse(path string, text []byte) (*yaml.Node, error) {
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: not valid UTF-8", path)
	}
	doc, d := &yaml.Node{}, yaml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, syntaxError(path, err)
	}
	if err := d.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: expected one YAML document, found several", path)
	}
	if len(doc.Content) == 0 { // comments at most, which the parser drops
		*doc = yaml.Node{Kind: yaml.DocumentNode, HeadComment: strings.TrimSpace(string(text)), Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	}
	return doc, nil
}

// isUnreachable reports whether the standard file cannot be seen, because the user may
// not search its directory: often the home directory of another user in a container.
func isUnreachable(path string, err error) bool {
	_, seen := os.Stat(path)
	return errors.Is(err, fs.ErrPermission) && errors.Is(seen, fs.ErrPermission) && system.ConfigDir() != "" && path == filepath.Join(system.ConfigDir(), "config.yaml")
}

// syntaxError puts the line of a YAML error behind the path, where editors and
// terminals look for it.
func syntaxError(path string, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if line, why, ok := strings.Cut(rest, ": "); ok {
			return fmt.Errorf("%s:%s: %s", path, line, why)
		}
	}
	return fmt.Errorf("%s: %s", path, text)
}

// root is the top mapping of a document; nil for an empty one.
func root(doc *yaml.Node) *yaml.Node {
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return nil
	}
	return doc.Content[0]
}

// member is the value of a key of a mapping, nil if it has none.
func member(mapping *yaml.Node, key string) *yaml.Node {
	if mapping == nil {
		return nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// encoded is the document as text, indented by two spaces.
func encoded(doc *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(doc); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

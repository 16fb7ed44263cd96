package settings

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"

	"mcptea/cli/app"
	"mcptea/internal/system"
	"mcptea/internal/yamldoc"
)

// maxSize is the maximum size of the file, in bytes.
const maxSize = 1 << 20

// Path returns the path of the file, whether or not it exists: the value of the flag, of $MCPTEA_CONFIG, or
// config.yaml in [system.ConfigDir]. It is "" if one of the values is "off", or without a home directory.
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

// Read reads a file. A missing file and the path "" set nothing. The error names the file and the line.
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
	text, err := readText(ctx, path)
	if err != nil {
		return nil, err
	}
	return parseText(path, text)
}

// parseText returns the document of a text of [readText]. It is empty if there is no file.
func parseText(path string, text []byte) (*yaml.Node, error) {
	if text == nil {
		return &yaml.Node{}, nil
	}
	return parse(path, text)
}

// readText returns the text of a file, or nil if there is no file.
func readText(ctx context.Context, path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	text, err := app.ReadText(ctx, path, maxSize)
	if errors.Is(err, fs.ErrNotExist) || system.IsErrno(err, syscall.ENOTDIR) || isUnreachable(path, err) {
		return nil, nil
	}
	if text == nil {
		text = []byte{}
	}
	return text, err
}

func parse(path string, text []byte) (*yaml.Node, error) {
	doc, err := yamldoc.Parse(path, text)
	if err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 { // comments at most, which the parser drops
		*doc = yaml.Node{Kind: yaml.DocumentNode, HeadComment: strings.TrimSpace(string(text)), Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	}
	return doc, nil
}

// isUnreachable reports whether the default file cannot be accessed, because the user may not search its
// directory. In a container, that is often the home directory of another user.
func isUnreachable(path string, err error) bool {
	_, seen := os.Stat(path)
	return errors.Is(err, fs.ErrPermission) && errors.Is(seen, fs.ErrPermission) && system.ConfigDir() != "" && path == filepath.Join(system.ConfigDir(), "config.yaml")
}

// member returns the value of a key of a mapping, or nil if it has none.
func member(mapping *yaml.Node, key string) *yaml.Node {
	if mapping == nil {
		return nil
	}
	for name, value := range yamldoc.Members(mapping) {
		if name.Value == key {
			return value
		}
	}
	return nil
}

// encoded returns the document as text, indented by two spaces.
func encoded(doc *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(doc); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

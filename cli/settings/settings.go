// Package settings is what a user has chosen once and for all: one YAML file,
// read when a command needs it and changed one entry at a time, so that the
// comments and the order of whoever wrote it stay as they are.
//
// It knows names and places in the file. What a rule is, and whether there is
// one of that name, it does not know.
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
	"runtime"
	"strings"
	"unicode/utf8"

	"mcptea/cli/input"

	"go.yaml.in/yaml/v3"
)

// Settings are the contents of the file. None of them is needed.
type Settings struct {
	Mute []Rule // rules whose findings do not count
}

// Rule is a rule as the file names it: by its id or its slug.
type Rule struct {
	Name string
	Line int // of the file, from 1
}

// mute is the one key that there is.
const mute = "mute"

// maxSize bounds the file, in bytes; settings are a page of text.
const maxSize = 1 << 20

// Path is where the file is, there or not: what MCPTEA_CONFIG names, or
// mcptea/config.yaml under the configuration directory of the XDG base directory
// specification. It is empty when MCPTEA_CONFIG is "off".
func Path() string {
	switch named := os.Getenv("MCPTEA_CONFIG"); named {
	case "":
	case "off":
		return ""
	default:
		return named
	}
	base := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) {
		base = ""
	}
	if base == "" && runtime.GOOS == "windows" {
		base = os.Getenv("APPDATA")
	}
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		base = filepath.Join(home, ".config")
	}
	return filepath.Join(base, "mcptea", "config.yaml")
}

// Read reads a file. One that is not there has no settings, and neither has the
// path "". The error names the file, the line and what would stand there.
func Read(ctx context.Context, path string) (Settings, error) {
	doc, err := load(ctx, path)
	if err != nil {
		return Settings{}, err
	}
	var s Settings
	rules := entry(doc)
	if rules == nil {
		return s, nil
	}
	for _, n := range rules.Content {
		s.Mute = append(s.Mute, Rule{Name: n.Value, Line: n.Line})
	}
	return s, nil
}

// load reads the file as a tree whose shape is known to be right.
func load(ctx context.Context, path string) (*yaml.Node, error) {
	doc := &yaml.Node{}
	if path == "" {
		return doc, nil
	}
	text, err := input.ReadFile(ctx, path, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return doc, nil
	}
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s is not UTF-8", path)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := d.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: settings are one YAML document, and here are several", path)
	}
	if len(doc.Content) == 0 { // comments at the most, which the parser drops
		*doc = yaml.Node{Kind: yaml.DocumentNode, HeadComment: strings.TrimSpace(string(text)), Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	}
	return doc, shape(path, doc)
}

// shape says what stands in the file and should not.
func shape(path string, doc *yaml.Node) error {
	top := root(doc)
	if top == nil {
		return nil
	}
	if top.Kind != yaml.MappingNode {
		return fmt.Errorf("%s:%d: settings are written as \"mute: [RULE, …]\"", path, top.Line)
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		if key.Value != mute {
			return fmt.Errorf("%s:%d: there is no setting %q; there is mute", path, key.Line, key.Value)
		}
		if value.Kind != yaml.SequenceNode && value.Tag != "!!null" {
			return fmt.Errorf("%s:%d: mute is a list of rules, such as [J030, T001]", path, value.Line)
		}
		for _, n := range value.Content {
			if n.Kind != yaml.ScalarNode || n.Value == "" {
				return fmt.Errorf("%s:%d: a rule is named by its id or its slug, such as J030", path, n.Line)
			}
		}
	}
	return nil
}

// root is the mapping of a document; nil for one that is empty.
func root(doc *yaml.Node) *yaml.Node {
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return nil
	}
	return doc.Content[0]
}

// entry is the list of muted rules; nil when there is none.
func entry(doc *yaml.Node) *yaml.Node {
	top := root(doc)
	if top == nil {
		return nil
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		if top.Content[i].Value == mute {
			return top.Content[i+1]
		}
	}
	return nil
}

// encoded is the tree as text, in the way in which people write such files.
func encoded(doc *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(doc); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

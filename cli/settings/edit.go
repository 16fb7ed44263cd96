package settings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mcptea/internal/system"
	"mcptea/internal/yamldoc"
)

// Mute adds a rule to the muted rules of a file, or removes it, whether the file
// names it by id or by slug. The file is created if it does not exist, with mode
// 0600, and is replaced as a whole. A file with errors is not changed.
func Mute(ctx context.Context, path, id, slug string, on bool) error {
	if path == "" {
		return errors.New("no configuration file: it is disabled by \"off\" in --config or MCPTEA_CONFIG")
	}
	text, err := readText(ctx, path)
	if err != nil {
		return err
	}
	doc, err := parseText(path, text)
	if err != nil {
		return err
	}
	c, err := decode(path, doc)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(c.Mute, func(r Rule) bool { return strings.EqualFold(r.Name, id) || strings.EqualFold(r.Name, slug) })
	if on == (at >= 0) {
		return nil
	}
	want := slices.Clone(c.Mute)
	add := ""
	if on {
		add = id + " # " + slug
		want = append(want, Rule{Name: id})
	} else {
		want = slices.Delete(want, at, at+1)
	}
	changed, ok := splice(string(text), member(yamldoc.Top(doc), "mute"), add, at)
	if !ok || !mutes(path, changed, want) {
		if changed, err = encodeMute(doc, add, at); err != nil {
			return err
		}
		if !mutes(path, changed, want) {
			return fmt.Errorf("cannot edit the layout of %s; edit its key mute by hand", path)
		}
	}
	return replace(ctx, path, text, []byte(changed))
}

// mutes reports whether a text is a valid configuration that mutes these rules.
func mutes(path, text string, want []Rule) bool {
	c, err := Parse(path, []byte(text))
	return err == nil && slices.EqualFunc(c.Mute, want, func(a, b Rule) bool { return a.Name == b.Name })
}

// encodeMute returns the document with the changed list, written by the YAML encoder.
func encodeMute(doc *yaml.Node, add string, remove int) (string, error) {
	rules := muteList(doc)
	if add != "" {
		id, comment, _ := strings.Cut(add, " ")
		rules.Content = append(rules.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: id, LineComment: comment})
	} else {
		rules.Content = slices.Delete(rules.Content, remove, remove+1)
	}
	text, err := encoded(doc)
	return string(text), err
}

// muteList returns the list of muted rules, created if missing.
func muteList(doc *yaml.Node) *yaml.Node {
	if len(doc.Content) == 0 { // the file does not exist
		*doc = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	}
	top := doc.Content[0]
	if top.Tag == "!!null" {
		*top = yaml.Node{Kind: yaml.MappingNode, HeadComment: top.HeadComment, FootComment: top.FootComment}
	}
	rules := member(top, "mute")
	if rules == nil {
		rules = &yaml.Node{}
		top.Content = append(top.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "mute"}, rules)
	}
	// One rule per line, with its slug in a comment.
	rules.Kind, rules.Tag, rules.Value, rules.Style = yaml.SequenceNode, "!!seq", "", 0
	return rules
}

// replace writes a file as a whole or not at all, unless it has changed since it was read. A symbolic link is kept, and the
// file that it points to is replaced.
func replace(ctx context.Context, path string, before, text []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	read := func() ([]byte, error) { return readText(ctx, path) }
	return system.ReplaceUnchanged(path, before, read, func(f *os.File) error {
		_, err := f.Write(text)
		return errors.Join(err, f.Sync())
	})
}

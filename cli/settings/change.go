package settings

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Mute adds a rule to the muted ones of a file, or takes it out, under whichever
// of its two names it stands there. The file is made when there is none, is
// replaced as a whole, and only its owner can read what was made. One that
// cannot be understood stays as it is.
func Mute(ctx context.Context, path, id, slug string, on bool) error {
	if path == "" {
		return errors.New("there is no file of settings: MCPTEA_CONFIG is \"off\"")
	}
	doc, err := load(ctx, path)
	if err != nil {
		return err
	}
	rules := list(doc)
	at := slices.IndexFunc(rules.Content, func(n *yaml.Node) bool {
		return strings.EqualFold(n.Value, id) || strings.EqualFold(n.Value, slug)
	})
	switch {
	case on == (at >= 0):
		return nil
	case on:
		rules.Content = append(rules.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: id, LineComment: "# " + slug})
	default:
		rules.Content = slices.Delete(rules.Content, at, at+1)
	}
	text, err := encoded(doc)
	if err != nil {
		return err
	}
	return replace(path, text)
}

// list is the list of muted rules, made when there is none.
func list(doc *yaml.Node) *yaml.Node {
	if len(doc.Content) == 0 { // there is no file
		*doc = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	}
	top := doc.Content[0]
	if top.Tag == "!!null" {
		*top = yaml.Node{Kind: yaml.MappingNode, HeadComment: top.HeadComment, FootComment: top.FootComment}
	}
	rules := entry(doc)
	if rules == nil {
		rules = &yaml.Node{}
		top.Content = append(top.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: mute}, rules)
	}
	// One rule a line, each with its name behind it.
	rules.Kind, rules.Tag, rules.Value, rules.Style = yaml.SequenceNode, "!!seq", "", 0
	return rules
}

// replace puts a text in the place of a file, whole or not at all. A link stays
// one: the file that it leads to is replaced.
func replace(path string, text []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, filepath.Base(path)+".*") // 0600 from the start
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

package skill

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"mcptea/client/jsonrpc"
)

// Entry is one skill of a list.
type Entry struct {
	URI         string // of its SKILL.md
	Frontmatter []byte // raw JSON object
	Files       []File
}

// File is one file of a skill.
type File struct {
	URI    string
	Digest string // "sha256:" and hexadecimal digits
	Size   int64  // bytes; -1 when the entry does not say
}

// Parse reads one entry of the result of skills/list. The entry is not kept.
func Parse(raw []byte) (Entry, error) {
	var entry struct {
		URI         string          `json:"uri"`
		Frontmatter json.RawMessage `json:"frontmatter"`
		Resources   []struct {
			URI    string `json:"uri"`
			Digest string `json:"digest"`
			Size   *int64 `json:"size"`
		} `json:"resources"`
	}
	if err := json.Unmarshal(raw, &entry); err != nil {
		return Entry{}, fmt.Errorf("an entry of skills/list: %w", err)
	}
	e := Entry{URI: entry.URI, Frontmatter: entry.Frontmatter}
	for _, r := range entry.Resources {
		f := File{URI: r.URI, Digest: r.Digest, Size: -1}
		if r.Size != nil {
			f.Size = *r.Size
		}
		e.Files = append(e.Files, f)
	}
	if e.URI == "" {
		return e, errors.New(`an entry of skills/list has no "uri"`)
	}
	return e, nil
}

// List parses the entries of a result of skills/list.
func List(result []byte) ([]Entry, error) {
	list, ok := jsonrpc.Member(result, "skills")
	if !ok || list[0] != '[' {
		return nil, errors.New(`the result of skills/list has no "skills"`)
	}
	var entries []Entry
	for raw := range jsonrpc.Elements(list) {
		e, err := Parse(raw)
		if err != nil {
			return entries, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// MismatchError is a file that is not what the entry says. It must not be used.
type MismatchError struct {
	URI  string
	What string // "size", "digest" or "frontmatter"
	Want string
	Got  string
}

// Error names the file and both sides.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s is not what skills/list says: its %s is %s, and should be %s", e.URI, e.What, e.Got, e.Want)
}

// Verify checks a file that was read against the entry: its size, its digest,
// and, of the SKILL.md, its frontmatter field by field. The error is a
// *[MismatchError], or says that the entry lacks what is needed.
func (e Entry) Verify(uri string, content []byte) error {
	i := slices.IndexFunc(e.Files, func(f File) bool { return f.URI == uri })
	if i < 0 {
		return fmt.Errorf("%s is not one of the files that skills/list names for %s", uri, e.URI)
	}
	f := e.Files[i]
	if f.Size >= 0 && int64(len(content)) != f.Size {
		return &MismatchError{URI: uri, What: "size", Want: strconv.FormatInt(f.Size, 10), Got: strconv.Itoa(len(content))}
	}
	if !strings.HasPrefix(f.Digest, "sha256:") {
		return fmt.Errorf("%s has the digest %q, which is no sha256", uri, f.Digest)
	}
	sum := sha256.Sum256(content)
	if got := "sha256:" + hex.EncodeToString(sum[:]); got != f.Digest {
		return &MismatchError{URI: uri, What: "digest", Want: f.Digest, Got: got}
	}
	if uri != e.URI {
		return nil
	}
	return e.verifyFrontmatter(content)
}

func (e Entry) verifyFrontmatter(content []byte) error {
	got, err := Frontmatter(content)
	if err != nil {
		return fmt.Errorf("%s: %w", e.URI, err)
	}
	var want map[string]any
	if err := json.Unmarshal(e.Frontmatter, &want); err != nil {
		return fmt.Errorf("the frontmatter in the entry of %s: %w", e.URI, err)
	}
	names := map[string]bool{}
	for name := range want {
		names[name] = true
	}
	for name := range got {
		names[name] = true
	}
	for name := range names {
		if !reflect.DeepEqual(got[name], want[name]) {
			return &MismatchError{
				URI: e.URI, What: fmt.Sprintf("frontmatter (%s)", name), Want: show(want, name), Got: show(got, name),
			}
		}
	}
	return nil
}

func show(fields map[string]any, name string) string {
	v, ok := fields[name]
	if !ok {
		return "absent"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// Frontmatter reads the YAML at the head of a SKILL.md as the values that JSON
// has.
func Frontmatter(content []byte) (map[string]any, error) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(content, []byte("---\n"))
	if !ok {
		return nil, errors.New("there is no frontmatter: the first line is not ---")
	}
	head, _, ok := bytes.Cut(append([]byte("\n"), rest...), []byte("\n---"))
	if !ok {
		return nil, errors.New("the frontmatter has no end: a line --- is missing")
	}
	var node yaml.Node
	if err := yaml.Unmarshal(head, &node); err != nil {
		return nil, fmt.Errorf("the frontmatter is no YAML: %w", err)
	}
	if len(node.Content) == 0 {
		return map[string]any{}, nil
	}
	var p plainer
	fields, ok := p.value(node.Content[0]).(map[string]any)
	switch {
	case !ok:
		return nil, errors.New("the frontmatter is no mapping")
	case p.nodes > mostNodes:
		return nil, fmt.Errorf("the frontmatter has more than %d values", mostNodes)
	}
	return fields, nil
}

// mostNodes bounds what aliases may grow to: a few lines can stand for
// billions.
const mostNodes = 10000

// plainer turns YAML into what JSON has: dates stay the text that they are.
type plainer struct{ nodes int }

func (p *plainer) value(n *yaml.Node) any {
	if p.nodes++; p.nodes > mostNodes {
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		return p.value(n.Alias)
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			list = append(list, p.value(item))
		}
		return list
	case yaml.MappingNode:
		fields := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			fields[n.Content[i].Value] = p.value(n.Content[i+1])
		}
		return fields
	}
	return scalar(n)
}

func scalar(n *yaml.Node) any {
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return b
		}
	case "!!int", "!!float":
		var f float64
		if n.Decode(&f) == nil {
			return f
		}
	}
	return n.Value
}

package schema_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"mcptea/internal/schema"
	"mcptea/internal/schema/check"
	"mcptea/internal/test/raced"
)

// published is an input schema of a public server, without its descriptions.
type published struct {
	Repository, Path, Commit, License, Tool string
	Schema                                  json.RawMessage
}

func corpus(tb testing.TB) []published {
	tb.Helper()
	file, err := os.Open("testdata/corpus.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var all []published
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p published
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			tb.Fatal(err)
		}
		all = append(all, p)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return all
}

// filler fills in every field that a form has, a few levels deep.
type filler struct {
	tree   *schema.Tree
	choice int // the alternative of each union, modulo their number
}

func (f filler) inside(n *schema.Node) {
	f.tree.Unfold(n)
	if n.Adds() && n.Depth < 4 {
		if c := f.tree.Add(n); c != nil && c.Entry {
			f.tree.SetKey(c, "key")
		}
	}
	for _, c := range n.Children {
		if c.Depth < 5 || c.Field.Required {
			f.fill(c)
		}
	}
}

func (f filler) fill(n *schema.Node) {
	switch n.Shape {
	case schema.Leaf:
		if text := sample(&n.Field); text != "" {
			f.tree.SetText(n, text)
		}
	case schema.Union:
		f.tree.Select(n, f.choice%len(n.Options))
		for _, c := range n.Children {
			if c.AsJSON {
				f.tree.SetText(c, `{"x":1}`)
			} else {
				f.fill(c)
			}
		}
	default:
		f.inside(n)
	}
}

// sample is what a user could type into a field.
func sample(fd *schema.Field) string {
	switch fd.Kind {
	case schema.Number, schema.Integer:
		switch {
		case fd.Min != nil && fd.MinExclusive:
			return fmt.Sprint(int64(*fd.Min) + 1)
		case fd.Min != nil:
			return fmt.Sprint(int64(*fd.Min))
		case fd.Max != nil && *fd.Max < 1:
			return fmt.Sprint(int64(*fd.Max) - 1)
		}
		return "1"
	case schema.Boolean:
		return "true"
	case schema.Enum, schema.Multi:
		return fd.Options[len(fd.Options)-1].Label
	case schema.JSON:
		return "{}"
	}
	text := map[string]string{
		"date": "2026-02-28", "date-time": "2026-02-28T10:00:00Z", "email": "a@example.com", "uri": "https://example.com/",
		"uuid": "123e4567-e89b-12d3-a456-426614174000", "json": "{}", "time": "10:00:00Z",
	}[fd.Format]
	if text == "" {
		text = "text"
	}
	if pattern, err := regexp.Compile(fd.Pattern); err == nil && !pattern.MatchString(text) {
		text = "key=value"
	}
	if fd.MinLen != nil && len(text) < *fd.MinLen {
		text += strings.Repeat("x", *fd.MinLen-len(text))
	}
	if fd.MaxLen != nil && len(text) > *fd.MaxLen {
		text = text[:*fd.MaxLen]
	}
	return text
}

// A form of each schema is filled in, once with each alternative, and what it makes is
// valid. The golden file lists the schemas with a part that the form does not show.
func TestCorpus_FormsMakeValidArguments(t *testing.T) {
	raced.Never(t, "one goroutine fills in the forms of all schemas")
	all := corpus(t)
	if len(all) < 60 {
		t.Fatalf("only %d schemas", len(all))
	}
	var fallbacks strings.Builder
	fields := 0
	for _, p := range all {
		name := p.Repository + " " + p.Tool
		compiled := check.Compile(p.Schema, check.Options{Dialectless: true, Formats: true})
		form := schema.Parse(p.Schema)
		for choice := range 4 {
			tree := form.Tree(false)
			f := filler{tree, choice}
			if root := tree.Root(); root.Shape == schema.Union {
				f.fill(root)
			} else {
				f.inside(root)
			}
			values, wrong := tree.Values()
			m, ok := compiled.Check(values)
			for range tree.Leaves {
				fields++
			}
			switch {
			case tree.Unclear != "":
				if choice == 0 {
					fmt.Fprintf(&fallbacks, "%s: %s\n", name, tree.Unclear)
				}
			case len(wrong) > 0:
				t.Errorf("%s: %v in %s", name, wrong, values)
			case !ok:
				t.Errorf("%s: the schema cannot be used: %+v", name, compiled.Problem())
			case m != nil:
				t.Errorf("%s: %s %s in %s", name, m.About, m.Reason, values)
			}
			// The form takes its own JSON back without a change.
			again := form.Tree(false)
			if why := again.Load(values, true); why != "" {
				t.Errorf("%s: cannot load %s: %s", name, values, why)
			} else if got, _ := again.Values(); !bytes.Equal(got, values) {
				t.Errorf("%s: %s became %s", name, values, got)
			}
			for n := range again.Leaves {
				if n.AsJSON && tree.Unclear == "" && !n.Entry && n.Field.Type != "JSON" {
					t.Errorf("%s: %s is shown as JSON", name, n.ID)
				}
			}
		}
	}
	t.Logf("%d schemas, %d fields", len(all), fields)
	golden.RequireEqual(t, fmt.Sprintf("%d schemas\n", len(all))+fallbacks.String())
}

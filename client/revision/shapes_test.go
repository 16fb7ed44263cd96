package revision_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"mcptea/client/revision"
)

var update = flag.Bool("update", false, "write shapes.txt from the official schemas")

// shapes is the file of the package with the members of each object.
const shapes = "shapes.txt"

// generator collects the objects of all revisions, as shapes.txt has them.
type generator struct {
	schema
	r       revision.Revision
	objects map[string]object
	done    map[string]bool // the objects of this revision
	order   map[string]int  // of types, and of "object member", in shapes.txt
}

// object is the members of an object in each revision, by name: "!" if required, and
// the type.
type object map[string]map[revision.Revision]string

// TestSchema_Shapes compares shapes.txt with the official schemas. Types and values in
// shapes.txt keep their order; -update adds new ones at the end.
func TestSchema_Shapes(t *testing.T) {
	old, err := os.ReadFile(shapes)
	if err != nil {
		t.Fatal(err)
	}
	g := generator{objects: map[string]object{}, order: map[string]int{}}
	of := ""
	for line := range strings.Lines(string(old)) {
		words := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune("\n\t |[]{}!", c) })
		if line[0] != '\t' {
			of = words[0]
			continue
		}
		for _, word := range append(words[1:], of+" "+words[0]) {
			if _, known := g.order[word]; !known {
				g.order[word] = len(g.order)
			}
		}
	}
	schemas := 0
	eachSchema(t, func(_ *testing.T, r revision.Revision, s schema) {
		g.schema, g.r, g.done = s, r, map[string]bool{}
		g.messages()
		schemas++
	})
	if schemas < len(revision.All()) {
		return // a subtest was selected
	}
	got := g.text()
	if *update {
		if err := os.WriteFile(shapes, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if got != string(old) {
		t.Error("shapes.txt is not what the official schemas say; run the test with -update")
	}
}

// messages adds the params and results of a revision, the capabilities, and what they
// refer to.
func (g *generator) messages() {
	for method, name := range g.definitions() {
		g.object(method+".params", g.defs[name].Properties["params"])
		if base, isRequest := strings.CutSuffix(name, "Request"); isRequest {
			result, ok := g.defs[base+"Result"]
			if !ok {
				result = g.defs["EmptyResult"]
			}
			g.object(method+".result", result)
		}
	}
	for _, name := range []string{"ToolAnnotations", "Annotations", "ClientCapabilities", "ServerCapabilities", "InputRequiredResult", "CreateTaskResult"} {
		if d, ok := g.defs[name]; ok {
			g.object(name, d)
		}
	}
}

// object adds an object. Of a union without a name, it has the members of all branches,
// which are required where all branches require them.
func (g *generator) object(name string, n node) {
	if g.done[name] {
		return
	}
	g.done[name] = true
	n = g.merged(n)
	branches := []node{n}
	if len(n.AnyOf) > 0 {
		branches = nil
		for _, b := range n.AnyOf {
			branches = append(branches, g.merged(b))
		}
	}
	types, required := map[string][]string{}, map[string]int{}
	for _, b := range branches {
		for member, value := range b.Properties {
			types[member] = append(types[member], g.types(name+"."+member, value)...)
			if slices.Contains(b.Required, member) {
				required[member]++
			}
		}
	}
	if g.objects[name] == nil {
		g.objects[name] = object{}
	}
	for member, all := range types {
		if g.objects[name][member] == nil {
			g.objects[name][member] = map[revision.Revision]string{}
		}
		text := g.join(all)
		if required[member] == len(branches) {
			text = "!" + text
		}
		g.objects[name][member][g.r] = text
	}
}

// merged follows references and joins the parts of an object.
func (g *generator) merged(n node) node {
	n = g.resolve(n)
	all := node{AnyOf: n.AnyOf, Properties: maps.Clone(n.Properties), Required: slices.Clone(n.Required)}
	for _, part := range n.AllOf {
		p := g.merged(part)
		if all.Properties == nil {
			all.Properties = map[string]node{}
		}
		maps.Copy(all.Properties, p.Properties)
		all.Required = append(all.Required, p.Required...)
	}
	return all
}

// types are those of a value; an object with members of its own is added under a name.
func (g *generator) types(name string, n node) []string {
	if n.Ref != "" {
		name = nameOf(n)
		n = g.defs[name]
	}
	each, array := n.Additional, n.Items
	switch {
	case name == "JSONValue":
		return []string{"any"}
	case name == "JSONObject":
		return []string{"object"}
	case n.Const != nil:
		return []string{quoted(n.Const)}
	case len(n.Enum) > 0:
		var all []string
		for _, e := range n.Enum {
			all = append(all, quoted(e))
		}
		return all
	case len(n.AnyOf) > 0:
		var all []string
		for _, branch := range n.AnyOf {
			all = append(all, g.types(name, branch)...)
		}
		return all
	case len(n.Properties) > 0 || len(n.AllOf) > 0:
		g.object(name, n)
		return []string{name}
	case array != nil:
		return []string{"[" + g.join(g.types(name, *array)) + "]"}
	case each != nil && (each.Ref != "" || len(each.Type) > 0 || len(each.AnyOf) > 0):
		return []string{"{" + g.join(g.types(name, *each)) + "}"}
	case len(n.Type) == 0:
		return []string{"any"}
	case n.Minimum != nil || n.Maximum != nil:
		return []string{n.Type[0] + ":" + limit(n.Minimum) + ".." + limit(n.Maximum)}
	}
	return n.Type
}

func limit(n *float64) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

func quoted(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// join writes types in the order of shapes.txt, arrays last.
func (g *generator) join(types []string) string {
	g.sort(types, func(t string) string { return strings.Trim(t, "[]{}") })
	slices.SortStableFunc(types, func(a, b string) int { return strings.Count(a, "[") - strings.Count(b, "[") })
	return strings.Join(slices.Compact(types), "|")
}

// sort sorts words by their places in shapes.txt, new ones last.
func (g *generator) sort(words []string, key func(string) string) {
	place := func(word string) int {
		if n, known := g.order[key(word)]; known {
			return n
		}
		return len(g.order)
	}
	slices.Sort(words)
	slices.SortStableFunc(words, func(a, b string) int { return place(a) - place(b) })
}

// text is shapes.txt: a line for each run of revisions in which a member is the same.
func (g *generator) text() string {
	var b strings.Builder
	b.WriteString("# Written by TestSchema_Shapes from the official schemas: a shape, then \"member! type first..last\" for each of its members.\n")
	for _, name := range slices.Sorted(maps.Keys(g.objects)) {
		o := g.objects[name]
		if len(o) == 0 {
			continue
		}
		b.WriteString(name + "\n")
		members := slices.Collect(maps.Keys(o))
		g.sort(members, func(member string) string { return name + " " + member })
		for _, member := range members {
			all := revision.All()
			for from := 0; from < len(all); from++ {
				types := o[member][all[from]]
				if types == "" {
					continue
				}
				to := from
				for to+1 < len(all) && o[member][all[to+1]] == types {
					to++
				}
				required := ""
				if types[0] == '!' {
					required, types = "!", types[1:]
				}
				fmt.Fprintf(&b, "\t%s%s %s%s\n", member, required, types, span(all[from:to+1], all))
				from = to
			}
		}
	}
	return b.String()
}

// span writes a run of revisions, with an open end where it has the first or the last
// one of all.
func span(in, all []revision.Revision) string {
	first, last := in[0], in[len(in)-1]
	if first == all[0] {
		first = ""
	}
	if last == all[len(all)-1] {
		last = ""
	}
	if first == "" && last == "" {
		return ""
	}
	return fmt.Sprintf(" %s..%s", first, last)
}

package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcptea/internal/schema"
)

const nested = `{"type":"object","required":["who","shape","tags"],"properties":{
	"who":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"age":{"type":"integer"}}},
	"tags":{"type":"array","items":{"type":"string"}},
	"shape":{"oneOf":[
		{"type":"object","title":"circle","properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["kind","radius"]},
		{"type":"object","title":"box","properties":{"kind":{"const":"box"},"w":{"type":"number"},"h":{"type":"number"}},"required":["kind","w","h"]}]},
	"tree":{"$ref":"#/$defs/tree"},
	"env":{"type":"object","additionalProperties":{"type":"string"}},
	"any":{},
	"id":{"type":["string","integer","null"]},
	"pair":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false},
	"colors":{"type":"array","items":{"enum":["red","green","blue"]}},
	"limit":{"type":"integer","default":10}},
	"$defs":{"tree":{"type":"object","properties":{"value":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}}}`

func treeOf(raw string) *schema.Tree {
	f := schema.Parse([]byte(raw))
	return f.Tree(false)
}

// set types texts into nodes: pairs of ID and text.
func set(t *testing.T, tree *schema.Tree, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		n := tree.Node(pairs[i])
		if n == nil {
			t.Fatalf("no node %q", pairs[i])
		}
		tree.SetText(n, pairs[i+1])
	}
}

func wantValues(t *testing.T, tree *schema.Tree, want string) {
	t.Helper()
	got, wrong := tree.Values()
	if string(got) != want {
		t.Errorf("got  %s\nwant %s\nwrong %v", got, want, wrong)
	}
}

func TestTree_UntouchedOptionalValuesAreAbsent(t *testing.T) {
	tree := treeOf(nested)
	wantValues(t, tree, `{"who":{"name":""},"tags":[],"shape":{"kind":"circle"}}`)
	for _, id := range []string{"env", "tree", "pair"} {
		tree.Unfold(tree.Node(id))
	}
	// Unfolding is looking.
	got, _ := tree.Values()
	if strings.Contains(string(got), "env") || strings.Contains(string(got), "tree") || !strings.Contains(string(got), `"tags":[]`) {
		t.Errorf("got %s", got)
	}
}

func TestTree_FillIn(t *testing.T) {
	tree := treeOf(nested)
	set(t, tree, "who/name", "Ada", "who/age", "36")
	for _, tag := range []string{"a", "b", "c"} {
		tree.SetText(tree.Add(tree.Node("tags")), tag)
	}
	tags := tree.Node("tags").Children
	tree.Move(tags[2], -1)
	tree.Remove(tags[0])
	tree.Select(tree.Node("shape"), 1)
	box := tree.Node("shape").Children[0]
	set(t, tree, box.ID+"/w", "1.50", box.ID+"/h", "2e3")
	tree.Unfold(tree.Node("tree"))
	child := tree.Add(tree.Node("tree/children"))
	tree.SetText(child.Children[0], "leaf")
	e := tree.Add(tree.Node("env"))
	tree.SetKey(e, "PATH")
	tree.SetText(e, "/bin")
	tree.Select(tree.Node("id"), 1)
	tree.SetText(tree.Node("id").Children[0], "7")
	tree.Add(tree.Node("pair"))
	set(t, tree, tree.Node("pair").Children[0].ID, "x", tree.Node("pair").Children[1].ID, "1", "colors", "red, blue")
	wantValues(t, tree, `{"who":{"name":"Ada","age":36},"tags":["c","b"],"shape":{"kind":"box","w":1.50,"h":2e3},`+
		`"tree":{"children":[{"value":"leaf"}]},"env":{"PATH":"/bin"},"id":7,"pair":["x",1],"colors":["red","blue"]}`)
	if tree.Add(tree.Node("pair")) != nil {
		t.Error("a tuple of two has a third item")
	}
}

func TestTree_EmptyAndNull(t *testing.T) {
	tree := treeOf(`{"properties":{"s":{"type":["string","null"]},"o":{"type":"object","properties":{"a":{"type":"string"}}},"l":{"type":"array","items":{"type":"string"}},"n":{"type":"integer"}}}`)
	for _, want := range []string{`{"s":""}`, `{"s":null}`, `{}`} {
		tree.CycleEmpty(tree.Node("s"))
		wantValues(t, tree, want)
	}
	tree.CycleEmpty(tree.Node("o"))
	tree.CycleEmpty(tree.Node("l"))
	wantValues(t, tree, `{"o":{},"l":[]}`)
	tree.CycleEmpty(tree.Node("n"))
	wantValues(t, tree, `{"o":{},"l":[]}`)
}

func TestTree_ErrorsNameTheirNode(t *testing.T) {
	tree := treeOf(nested)
	set(t, tree, "who/age", "old")
	item := tree.Add(tree.Node("env"))
	tree.SetText(item, "x")
	_, wrong := tree.Values()
	found := map[string]string{}
	for _, w := range wrong {
		found[w.Field] = w.Msg
	}
	if !strings.HasPrefix(found["who/age"], "expected an integer") || found[item.ID] != "the key is empty" {
		t.Errorf("got %v", found)
	}
	if n, rest := tree.At("/who/age"); n != tree.Node("who/age") || rest != "" {
		t.Error("the pointer of a member leads elsewhere")
	}
	if n, rest := tree.At("/who/x/y"); n != tree.Node("who") || rest != "/x/y" {
		t.Errorf("got %v %q", n, rest)
	}
}

func TestTree_ValueThatDoesNotFitIsJSON(t *testing.T) {
	tree := treeOf(nested)
	in := `{"who":"Ada","tags":{"a":1},"limit":"10","unknown":[1,{"x":null}],"id":null,"shape":{"kind":"oval"},"any":[true]}`
	if why := tree.Load([]byte(in), false); why != "" {
		t.Fatal(why)
	}
	wantValues(t, tree, in)
	if n := tree.Node("who"); !n.AsJSON || n.Text != `"Ada"` {
		t.Errorf("got %+v", n)
	}
}

func TestTree_AdoptKeepsWhatWasTyped(t *testing.T) {
	old := treeOf(nested)
	set(t, old, "who/name", "Ada", "limit", "x7")
	old.SetText(old.Add(old.Node("tags")), "a")
	old.Select(old.Node("shape"), 1)
	tree := treeOf(strings.Replace(nested, `"age":{"type":"integer"}`, `"email":{"type":"string"}`, 1))
	tree.Adopt(old, nil)
	if got, _ := tree.Values(); string(got) != `{"who":{"name":"Ada"},"tags":["a"],"shape":{"kind":"box"},"limit":"x7"}` {
		t.Errorf("got %s", got)
	}
}

func TestTree_RecursionEnds(t *testing.T) {
	tree := treeOf(`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}}}}}`)
	if got, _ := tree.Values(); !strings.HasPrefix(string(got), `{"a":{"a":`) {
		t.Errorf("got %s", got)
	}
}

func FuzzTreeLoad(f *testing.F) {
	schemas := []string{
		nested, `{}`, `{"type":"object","additionalProperties":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"number"}}]}}`,
		`{"oneOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"properties":{"b":{"type":"array"}}}]}`,
	}
	for _, s := range schemas {
		for _, v := range []string{`{}`, `{"a":1.0e+5,"b":"\u00e9\ud800","":{},"c":[[],null]}`, `{"tags":["x"],"shape":{"kind":"box","w":1,"h":-0,"z":1},"colors":["blue","red","red"]}`, `{"tree":{"children":[{"children":[{}]},3]},"pair":[1,2,3],"env":{"x":1}}`} {
			f.Add(s, v)
		}
	}
	f.Fuzz(func(t *testing.T, s, v string) {
		form := schema.Parse([]byte(s))
		tree := form.Tree(false)
		if tree.Load([]byte(v), false) != "" {
			return
		}
		first, _ := tree.Values()
		if !json.Valid(first) {
			t.Fatalf("not JSON: %s", first)
		}
		if got, want := compact(first), compact([]byte(v)); got != want && !strings.Contains(want, `\`) && len(v) < 1000 {
			t.Errorf("schema %s\nloaded %s\ngot    %s", s, want, got)
		}
		if tree.Load(first, false) != "" {
			t.Fatalf("cannot load %s again", first)
		}
		if second, _ := tree.Values(); string(second) != string(first) {
			t.Errorf("first %s\nthen %s", first, second)
		}
	})
}

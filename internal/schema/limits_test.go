package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"mcptea/internal/schema"
)

func manyProperties(n int) []byte {
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
	}
	return []byte(`{"type":"object","properties":{` + strings.Join(members, ",") + `}}`)
}

func TestParse_MaxFields(t *testing.T) {
	for n, want := range map[int]int{999: 999, 1000: 1000, 1001: 1000} {
		if got := len(schema.Parse(manyProperties(n)).Fields); got != want {
			t.Errorf("of %d properties %d are fields", n, got)
		}
	}
}

func TestTree_MaxNodes(t *testing.T) {
	f := schema.Parse([]byte(`{"type":"object","properties":{"list":{"type":"array","items":{"type":"string"}}}}`))
	tree := f.Tree(false)
	list, rest := tree.At("/list")
	if rest != "" {
		t.Fatalf("there is no node for %q", rest)
	}
	n := 0
	for n < 5000 && tree.Add(list) != nil {
		n++
	}
	if count := nodesOf(tree.Root()); count != 4000 || n > 4000 {
		t.Errorf("%d items are added, the tree has %d nodes", n, count)
	}
}

// nodesOf counts the nodes below one.
func nodesOf(n *schema.Node) (count int) {
	for _, child := range n.Children {
		count += 1 + nodesOf(child)
	}
	return count
}

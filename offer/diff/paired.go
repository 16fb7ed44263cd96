package diff

import (
	"bytes"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// What a server has probably renamed is paired, so that only its changes are differences.

// isRenamed reports whether a member has another name in the new object.
func (p *paired) isRenamed() bool { return p.old != nil && p.new != nil && p.old.name != p.new.name }

// pairRenamedEntries pairs the entries of a list, such as the tools, that were probably renamed.
func (c *comparison) pairRenamedEntries(all []paired, old, now []child) []paired {
	if !c.offers || len(c.at.parts) == 0 {
		return all
	}
	member := c.at.parts[len(c.at.parts)-1]
	list, ok := revision.ListNamed(member)
	if !ok {
		if list, ok = revision.ListIn(member); !ok {
			return all
		}
	}
	of, _ := renamesIn(list.Name, entriesOf(valuesOf(old), valuesOf(now), list.Key))
	names := make(map[string]string, len(of))
	for was, is := range of {
		names[was] = is.To
	}
	return joined(all, names, func(entry *child) string { return jsonrpc.Text(entry.value, list.Key) })
}

func valuesOf(list []child) [][]byte {
	values := make([][]byte, len(list))
	for i := range list {
		values[i] = list[i].value
	}
	return values
}

// pairRenamedProperties pairs the properties of a schema that were probably renamed. The objects hold the properties.
func (c *comparison) pairRenamedProperties(all []paired, old, now []byte) []paired {
	n := len(c.at.parts)
	if !c.offers || n < 2 || c.at.parts[n-1] != "properties" || !slices.ContainsFunc(c.at.parts, isSchemaMember) {
		return all
	}
	schemaOf := func(properties []byte) []byte {
		return bytes.Join([][]byte{[]byte(`{"properties":`), properties, []byte("}")}, nil)
	}
	return joined(all, RenamedProperties(schemaOf(old), schemaOf(now)), func(property *child) string { return property.name })
}

// isSchemaMember reports whether a member of an entry holds a schema.
func isSchemaMember(name string) bool {
	return name == "inputSchema" || name == "outputSchema" || name == "payloadSchema"
}

// joined makes one pair of two children that only one of the containers has, if the new name of the first one is the name
// of the second one.
func joined(all []paired, names map[string]string, nameOf func(*child) string) []paired {
	if len(names) == 0 {
		return all
	}
	came := map[string]int{}
	for i, p := range all {
		if p.old == nil {
			came[nameOf(p.new)] = i
		}
	}
	gone := func(p paired) bool {
		if p.new != nil {
			return false
		}
		to, renamed := names[nameOf(p.old)]
		i, ok := came[to]
		if !renamed || !ok || all[i].old != nil {
			return false
		}
		all[i].old = p.old
		return true
	}
	kept := all[:0:0]
	taken := make([]bool, len(all))
	for i, p := range all {
		taken[i] = gone(p)
	}
	for i, p := range all {
		if !taken[i] {
			kept = append(kept, p)
		}
	}
	return kept
}

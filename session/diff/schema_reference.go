package diff

import (
	"encoding/json"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/schema"
)

// schemaDocument is a schema with the references within it.
type schemaDocument struct {
	*schema.References
	// ignoresBeside reports that what stands beside a $ref does not count, but for
	// annotations: draft-07 and earlier. The default of MCP is 2020-12.
	ignoresBeside bool
	// joined are the schemas with a $ref and something beside it, by their text, joined with
	// the target. A schema has the same bytes each time, so that circles are seen.
	joined map[string][]byte
}

func newSchemaDocument(root []byte) *schemaDocument {
	dialect := jsonrpc.Text(root, "$schema")
	return &schemaDocument{
		References:    schema.NewReferences(root),
		ignoresBeside: strings.Contains(dialect, "json-schema.org/draft-0"),
		joined:        map[string][]byte{},
	}
}

// resolve returns what a schema with a $ref demands: its target, joined with the keywords
// beside the $ref, which apply too (JSON Schema 2020-12, core, 8.2.3.1).
func (d *schemaDocument) resolve(one []byte) ([]byte, bool) {
	chain, ok := d.Chain(one)
	if !ok {
		return one, false
	}
	one = chain[len(chain)-1]
	for i := len(chain) - 2; i >= 0; i-- {
		one = d.join(chain[i], one)
	}
	return one, true
}

// join adds the keywords beside a $ref to those of its target.
func (d *schemaDocument) join(with, target []byte) []byte {
	if joined, ok := d.joined[string(with)]; ok {
		return joined
	}
	result := keywordsOf(target)
	changed := false
	for _, k := range keywordsOf(with) {
		if k.name == "$ref" || k.name == "$defs" || k.name == "definitions" || k.name == "$schema" || d.ignoresBeside && !isAnnotation(k.name) {
			continue
		}
		result, changed = result.and(k), true
	}
	joined := target
	if changed && !isFalse(target) {
		joined = result.encode()
	}
	d.joined[string(with)] = joined
	return joined
}

// keywords are the members of a schema.
type keywords []named

func keywordsOf(schema []byte) keywords {
	var all keywords
	for name, value := range jsonrpc.Members(schema) {
		all = append(all, named{string(name), value})
	}
	return all
}

func (ks keywords) encode() []byte {
	b := []byte("{")
	for _, k := range ks {
		b = jsonrpc.AppendMember(b, k.name, k.value)
	}
	return append(b, '}')
}

// and returns the keywords of a schema that demands one more: in place of the equal
// keyword if both can be said with one, else as a further condition of allOf. Of two
// annotations the one beside the reference counts.
func (ks keywords) and(k named) keywords {
	i := slices.IndexFunc(ks, func(other named) bool { return other.name == k.name })
	switch {
	case i < 0:
		return append(ks, k)
	case isAnnotation(k.name):
		ks[i].value = k.value
	case jsonrpc.Equal(ks[i].value, k.value):
	case k.name == "properties":
		ks[i].value = bothProperties(ks[i].value, k.value)
	case k.name == "required" || k.name == "allOf":
		all := slices.Clone(elementsOf(ks[i].value))
		for _, e := range elementsOf(k.value) {
			if !slices.ContainsFunc(all, func(other []byte) bool { return jsonrpc.Equal(e, other) }) {
				all = append(all, e)
			}
		}
		ks[i].value = jsonrpc.AppendBatch(nil, all...)
	case k.name == "enum":
		ks[i].value = jsonrpc.AppendBatch(nil, slices.DeleteFunc(elementsOf(ks[i].value), func(v []byte) bool {
			return !slices.ContainsFunc(elementsOf(k.value), func(w []byte) bool { return jsonrpc.Equal(v, w) })
		})...)
	default:
		var x, y float64
		if !slices.Contains(schemaLimits, k.name) || json.Unmarshal(ks[i].value, &x) != nil || json.Unmarshal(k.value, &y) != nil {
			return ks.and(named{"allOf", jsonrpc.AppendBatch(nil, keywords{k}.encode())})
		}
		if (y < x) == isUpper(k.name) {
			ks[i].value = k.value
		}
	}
	return ks
}

// bothProperties has the properties of two schemas; one in both fulfills both.
func bothProperties(a, b []byte) []byte {
	all := keywordsOf(a)
	for _, p := range keywordsOf(b) {
		i := slices.IndexFunc(all, func(other named) bool { return other.name == p.name })
		switch {
		case i < 0:
			all = append(all, p)
		case jsonrpc.Equal(all[i].value, p.value):
		case isPlain(all[i].value) && isPlain(p.value):
			both := keywordsOf(all[i].value)
			for _, k := range keywordsOf(p.value) {
				both = both.and(k)
			}
			all[i].value = both.encode()
		default:
			all[i].value = keywords{{"allOf", jsonrpc.AppendBatch(nil, all[i].value, p.value)}}.encode()
		}
	}
	return all.encode()
}

// isPlain reports a schema that is an object without a reference.
func isPlain(schema []byte) bool {
	return jsonrpc.TypeOf(schema) == "object" && jsonrpc.Get(schema, "$ref") == nil
}

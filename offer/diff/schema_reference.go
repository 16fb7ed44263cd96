package diff

import (
	"encoding/json"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
)

// schemaDocument is a schema with the references within it.
type schemaDocument struct {
	*schema.References
	// ignoresBeside reports whether keywords next to a $ref are ignored, except for annotations, as in draft-07
	// and earlier. The default in MCP is 2020-12.
	ignoresBeside bool
	// joined maps the text of a schema that has keywords next to a $ref to the schema joined with its target.
	// Reusing the bytes makes cycles detectable.
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

// resolve returns the meaning of a schema with a $ref: its target, joined with the keywords next to the $ref,
// which apply, too (JSON Schema 2020-12, core, 8.2.3.1).
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

// join adds the keywords next to a $ref to the keywords of its target.
func (d *schemaDocument) join(with, target []byte) []byte {
	if joined, ok := d.joined[string(with)]; ok {
		return joined
	}
	both := newConjunction(target)
	changed := false
	for _, k := range keywordsOf(with) {
		if k.name == "$ref" || k.name == "$defs" || k.name == "definitions" || k.name == "$schema" || d.ignoresBeside && !isAnnotation(k.name) {
			continue
		}
		both.add(k)
		changed = true
	}
	joined := target
	if changed && !isFalse(target) {
		joined = both.encode()
	}
	d.joined[string(with)] = joined
	return joined
}

// keywords holds the members of a schema.
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

// conjunction is a schema that demands what several schemas demand.
type conjunction struct {
	all     keywords
	at      map[string]int // places in all
	further keywords       // additional condition, for keywords that cannot be merged
}

func newConjunction(schema []byte) *conjunction {
	c := &conjunction{all: keywordsOf(schema), at: map[string]int{}}
	for i := len(c.all) - 1; i >= 0; i-- {
		c.at[c.all[i].name] = i
	}
	return c
}

func (c *conjunction) encode() []byte {
	if len(c.further) > 0 {
		c.add(named{"allOf", jsonrpc.EncodeBatch(c.further.encode())})
	}
	return c.all.encode()
}

// add adds the demand of one keyword. It merges it with an equal keyword if possible, or adds a condition to
// allOf. Of two annotations, the added one wins.
func (c *conjunction) add(k named) {
	i, found := c.at[k.name]
	if !found {
		c.at[k.name] = len(c.all)
		c.all = append(c.all, k)
		return
	}
	value := &c.all[i].value
	switch {
	case isAnnotation(k.name):
		*value = k.value
	case jsonrpc.Equal(*value, k.value):
	case k.name == "properties":
		*value = bothProperties(*value, k.value)
	case k.name == "required" || k.name == "allOf":
		all := elementsOf(*value)
		*value = jsonrpc.EncodeBatch(append(all, missing(elementsOf(k.value), all)...)...)
	case k.name == "enum":
		all := elementsOf(*value)
		*value = jsonrpc.EncodeBatch(missing(all, missing(all, elementsOf(k.value)))...)
	default:
		var x, y float64
		if !slices.Contains(schemaLimits, k.name) || json.Unmarshal(*value, &x) != nil || json.Unmarshal(k.value, &y) != nil {
			c.further = append(c.further, k)
		} else if (y < x) == isUpper(k.name) {
			*value = k.value
		}
	}
}

// bothProperties merges the properties of two schemas. A property in both must satisfy both.
func bothProperties(a, b []byte) []byte {
	all := newConjunction(a)
	for _, p := range keywordsOf(b) {
		i, found := all.at[p.name]
		switch {
		case !found:
			all.add(p)
		case jsonrpc.Equal(all.all[i].value, p.value):
		case isPlain(all.all[i].value) && isPlain(p.value):
			both := newConjunction(all.all[i].value)
			for _, k := range keywordsOf(p.value) {
				both.add(k)
			}
			all.all[i].value = both.encode()
		default:
			all.all[i].value = keywords{{"allOf", jsonrpc.EncodeBatch(all.all[i].value, p.value)}}.encode()
		}
	}
	return all.all.encode()
}

// isPlain reports a schema that is an object without a reference.
func isPlain(schema []byte) bool {
	return jsonrpc.TypeOf(schema) == "object" && jsonrpc.Get(schema, "$ref") == nil
}

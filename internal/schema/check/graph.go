package check

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

type visit uint8

const (
	open visit = iota + 1 // the subschemas for the same value are being visited
	done
)

// graph walks over a compiled schema. It finds out whether the schema refers to itself without a step into the
// value, and puts a meter on each part: the check of the format, which runs before the parts are evaluated.
type graph struct {
	s       *Schema
	formats bool
	state   map[*jsonschema.Schema]visit
	cycle   bool
	dynamic bool
	later   []*jsonschema.Schema
}

// all checks a schema and every schema that it refers to.
func (g *graph) all(root *jsonschema.Schema) {
	g.later = append(g.later, root)
	for len(g.later) > 0 && !g.cycle {
		next := g.later[len(g.later)-1]
		g.later = g.later[:len(g.later)-1]
		g.visit(next)
	}
}

// visit visits a schema and its subschemas for the same value. Subschemas for parts of the value are visited
// later: a reference back from there is not a cycle.
func (g *graph) visit(s *jsonschema.Schema) {
	switch {
	case g.state[s] == open:
		g.cycle = true
		return
	case g.cycle || g.state[s] == done:
		return
	}
	g.state[s] = open
	if s.DynamicRef != nil || s.RecursiveRef != nil {
		g.dynamic = true
	}
	inPlace := partsInPlace(s)
	for _, part := range inPlace {
		g.visit(part)
	}
	g.state[s] = done
	each, once := partsOfValue(s)
	g.later = append(append(g.later, each...), once...)
	g.meter(s, price{fixed: cost(inPlace) + len(s.Required), each: 1 + cost(each), once: cost(once), most: dearest(once)})
}

// cost returns the steps needed to start with some schemas.
func cost(parts []*jsonschema.Schema) int {
	n := 0
	for _, p := range parts {
		if n++; p.Enum != nil {
			n += len(p.Enum.Values)
		}
	}
	return n
}

func dearest(parts []*jsonschema.Schema) int {
	most := 0
	for i := range parts {
		most = max(most, cost(parts[i:i+1]))
	}
	return most
}

// price is the cost of evaluating a value.
type price struct {
	fixed int
	each  int // cost for each element of the value
	once  int // cost for all elements that have their own schemas
	most  int // maximum of once for one element
}

func (p price) of(things int) int { return 1 + p.fixed + things*p.each + min(p.once, things*p.most) }

// meter makes a schema charge its price whenever a value is evaluated with it.
func (g *graph) meter(s *jsonschema.Schema, p price) {
	owner, format := g.s, s.Format
	if format != nil && (!g.formats || !checkedFormats[format.Name]) {
		format = nil
	}
	meter := &jsonschema.Format{Validate: func(v any) error {
		things := 0
		switch v := v.(type) {
		case map[string]any:
			things = len(v)
		case []any:
			things = len(v)
		}
		owner.spend(p.of(things))
		if format == nil {
			return nil
		}
		return format.Validate(v)
	}}
	if format != nil {
		meter.Name = format.Name
	}
	s.Format = meter
}

// checkedFormats are the formats that forms support.
var checkedFormats = map[string]bool{"email": true, "uri": true, "date": true, "date-time": true}

// partsInPlace returns the subschemas that apply to the same value.
func partsInPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	parts := slices.Concat([]*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf)
	parts = slices.AppendSeq(parts, maps.Values(s.DependentSchemas))
	for _, d := range s.Dependencies {
		if p, ok := d.(*jsonschema.Schema); ok {
			parts = append(parts, p)
		}
	}
	return present(parts)
}

// partsOfValue returns the subschemas that apply to parts of a value: to each part, or to a single one.
func partsOfValue(s *jsonschema.Schema) (each, once []*jsonschema.Schema) {
	each = []*jsonschema.Schema{
		s.PropertyNames, s.Contains, s.Items2020, s.UnevaluatedItems, s.UnevaluatedProperties,
	}
	for _, v := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		switch v := v.(type) {
		case *jsonschema.Schema:
			each = append(each, v)
		case []*jsonschema.Schema:
			once = append(once, v...)
		}
	}
	each = slices.AppendSeq(each, maps.Values(s.PatternProperties))
	once = slices.AppendSeq(once, maps.Values(s.Properties))
	return present(each), present(append(once, s.PrefixItems...))
}

// present removes the schemas that are absent.
func present(parts []*jsonschema.Schema) []*jsonschema.Schema {
	return slices.DeleteFunc(parts, func(p *jsonschema.Schema) bool { return p == nil })
}

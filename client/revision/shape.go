package revision

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"mcptea/client/jsonrpc"
)

// Shape is a type of objects: its name in the official schemas, METHOD.params,
// METHOD.result, or a path below one of these.
type Shape string

// The shapes (specification, server features; basic / lifecycle).
const (
	ShapeTool           Shape = "Tool"
	ShapeResource       Shape = "Resource"
	ShapeTemplate       Shape = "ResourceTemplate"
	ShapePrompt         Shape = "Prompt"
	ShapeSkill          Shape = "Skill"
	ShapeEvent          Shape = "Event"
	ShapeImplementation Shape = "Implementation"

	ShapeServerCapabilities Shape = "ServerCapabilities"

	ShapeArgument        Shape = "PromptArgument"
	ShapeAnnotations     Shape = "Annotations"
	ShapeToolAnnotations Shape = "ToolAnnotations"
	ShapeIcon            Shape = "Icon"
)

// nested are the shapes that [Shape.Defines] follows.
var nested = []Shape{ShapeArgument, ShapeAnnotations, ShapeToolAnnotations, ShapeIcon}

// Member is a member of an object.
type Member struct {
	Name     string
	Required bool
	// Type is the type of a value. It is a JSON type, a shape, a quoted value, "number:MIN..MAX"
	// for a number within limits, "[T]" for an array of T, "{T}" for an object with values of T, or
	// several of these, separated by |. One of MIN and MAX may be missing.
	Type string

	span
}

// shapesText holds the shapes of the official schemas; additionsText holds the shapes of extensions, and
// members that the text of the specification defines differently.
var (
	//go:embed shapes.txt
	shapesText string
	//go:embed additions.txt
	additionsText string
)

// shapes are the members of each shape in all revisions, parsed at the first use. A line
// is the name of a shape, or a tab and "member! type first..last": required with the
// exclamation mark, and in all revisions without first and last.
var shapes = sync.OnceValue(func() map[Shape][]Member {
	all := map[Shape][]Member{}
	var of Shape
	for line := range strings.Lines(additionsText + shapesText) {
		words := strings.Fields(line)
		switch {
		case line[0] == '#':
		case line[0] != '\t':
			of = Shape(words[0])
		default:
			name, required := strings.CutSuffix(words[0], "!")
			m := Member{Name: name, Required: required, Type: words[1]}
			if len(words) > 2 {
				first, last, _ := strings.Cut(words[2], "..")
				m.span = span{Revision(first), Revision(last)}
			}
			all[of] = append(all[of], m)
		}
	}
	return all
})

// Members returns the members of the shape in a protocol version. For an unknown version, it
// returns the members of all versions that have the shape. It then requires only members that all
// of these versions require.
func (s Shape) Members(r Revision) []Member {
	var found []Member
	for _, m := range shapes()[s] {
		if m.has(r) && !slices.ContainsFunc(found, func(f Member) bool { return f.Name == m.Name }) {
			found = append(found, m)
		}
	}
	if r.Known() {
		return found
	}
	for _, known := range released {
		in := s.Members(known)
		for i, m := range found {
			found[i].Required = m.Required && (len(in) == 0 || slices.ContainsFunc(in, func(f Member) bool { return f.Name == m.Name && f.Required }))
		}
	}
	return found
}

// Defines reports whether the shape has a member in a revision. The names in more are members of nested
// objects, including objects in arrays. All members of an undescribed member count as defined.
func (s Shape) Defines(r Revision, member string, more ...string) bool {
	for _, m := range shapes()[s] {
		if m.Name == member && m.has(r) && (len(more) == 0 || !s.Describes(member) || m.shape().Defines(r, more[0], more[1:]...)) {
			return true
		}
	}
	return false
}

// Fit returns an object of the shape with only the members that a revision defines, including those of its
// annotations and arguments.
func (s Shape) Fit(object []byte, r Revision) json.RawMessage {
	nested := func(name string, value []byte) []byte {
		return jsonrpc.Only(value, func(inner string, v []byte) []byte {
			if !s.Defines(r, name, inner) {
				return nil
			}
			return v
		})
	}
	return jsonrpc.Only(object, func(name string, value []byte) []byte {
		switch {
		case !s.Defines(r, name):
			return nil
		case name == "annotations":
			return nested(name, value)
		case name == "arguments":
			var all [][]byte
			for argument := range jsonrpc.Elements(value) {
				all = append(all, nested(name, argument))
			}
			return jsonrpc.EncodeBatch(all...)
		}
		return value
	})
}

// Describes reports whether the members of a member are known, in any revision.
func (s Shape) Describes(member string, more ...string) bool {
	for _, m := range shapes()[s] {
		if of := m.shape(); m.Name == member && slices.Contains(nested, of) {
			return len(more) == 0 || of.Describes(more[0], more[1:]...)
		}
	}
	return false
}

// shape returns the shape of the member, or of the elements of an array.
func (m Member) shape() Shape { return Shape(strings.Trim(m.Type, "[]")) }

// types returns the types of the member, and of the elements of an array.
func (m Member) types() []string {
	return strings.FieldsFunc(m.Type, func(c rune) bool { return strings.ContainsRune("|[]", c) })
}

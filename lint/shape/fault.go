package shape

import (
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
)

// A Problem is a kind of fault.
type Problem uint8

// The problems.
const (
	WrongType  Problem = iota // a JSON type that is not defined
	Null                      // null, as the value of an optional member
	Missing                   // a required member
	WrongValue                // a text that is not among the defined ones, or a number outside of its range
)

// Fault is a place that differs from its definition.
type Fault struct {
	Problem Problem
	Path    string // JSON Pointer below the object that was checked
	Place   string // place in words, such as "`total` of a progress notification"
	// Member is the member that is defined, the nearest one above an element.
	Member string
	// Of is the name of the definition that has the member, such as Tool or tools/list.params. If the tag
	// belongs to none of several definitions, Of holds their names with | between them.
	Of string
	// At is Of followed by the member, such as Tool.name. [] follows for an element of an array, and {}
	// for a member with a free name.
	At string
	// In is the name of the definition that the whole object was checked against.
	In       string
	Required bool   // the member
	Expected string // expected value in words, such as "a string or an integer"
	Value    []byte // first token of the value, or nil if the value is missing
}

// mostValues is the number of permitted texts listed for a missing member.
const mostValues = 5

// fault reports the newest place of the path.
func (c *Checker) fault(p Problem, k *kind, token []byte) {
	if c.trial {
		if c.weight += 2; p == Missing {
			c.weight++ // a definition in which the member is optional is more likely
		}
		return
	}
	if c.faults++; c.faults > MaxFaults {
		return
	}
	last := c.path[c.depth-1]
	f := &Fault{Problem: p, Value: token, Expected: k.words(), Path: c.pointer(), Place: c.words(c.depth), In: string(c.root.name)}
	below := ""
	for i := c.depth - 1; i >= 0 && f.Member == ""; i-- {
		m := c.path[i].member
		switch {
		case m == nil && c.path[i].name != nil:
			below = "{}" + below
		case m == nil:
			below = "[]" + below
		default:
			f.Member = m.name
			if o := c.within[i]; o != nil {
				f.Of = string(o.name)
				f.Required = last.member == m && o.requires(m)
			} else {
				f.Required, f.Of = true, c.tagOf // a tag
			}
		}
	}
	f.At = f.Of + "." + f.Member + below
	switch {
	case p == WrongType && string(token) == "null" && last.member != nil && !f.Required:
		f.Problem = Null
	case p == Missing && k != nil && len(k.values) > mostValues:
		f.Expected = "one of " + strconv.Itoa(len(k.values)) + " texts"
	}
	c.report(f)
}

// Absent returns the fault of a message that lacks the object. name is the name of the missing
// member. It returns nil if the object has no required members, because it may then be absent.
func (o *Object) Absent(member string) *Fault {
	var names []string
	for i, m := range o.members {
		if o.required&(1<<i) != 0 {
			names = append(names, "`"+m.name+"`")
		}
	}
	if names == nil {
		return nil
	}
	return &Fault{
		Problem: Missing, Path: "", Place: "`" + member + "` of " + o.words(), Member: member, Required: true,
		Of: strings.TrimSuffix(string(o.name), "."+member), At: string(o.name), In: string(o.name),
		Expected: "an object with " + strings.Join(names, " and "),
	}
}

func (o *Object) requires(m *member) bool {
	for i := range o.members {
		if &o.members[i] == m {
			return o.required&(1<<i) != 0
		}
	}
	return false
}

// pointer returns the path as a JSON Pointer.
func (c *Checker) pointer() string {
	var path strings.Builder
	for _, s := range c.path[:c.depth] {
		path.WriteByte('/')
		switch {
		case s.member != nil:
			path.WriteString(jsonrpc.EscapePointer(s.member.name))
		case s.name != nil:
			path.WriteString(jsonrpc.EscapePointer(s.text()))
		default:
			path.WriteString(strconv.Itoa(s.index))
		}
	}
	return path.String()
}

// text returns the name of an undefined member.
func (s *step) text() string {
	if name, ok := jsonrpc.Unquote(s.name); ok {
		return name
	}
	return string(s.name)
}

// words names the place at a depth.
func (c *Checker) words(depth int) string {
	switch s := c.path[depth-1]; {
	case s.member != nil:
		return "`" + s.member.name + "` of " + c.around(depth)
	case s.name != nil:
		return "a member of " + c.words(depth-1)
	}
	return "an element of " + c.words(depth-1)
}

// around names the object around the place at a depth.
func (c *Checker) around(depth int) string {
	if o := c.within[depth-1]; o != nil {
		return o.words()
	}
	return c.words(depth - 1) // one of several definitions; none of them matches
}

// words describes the defined values, such as "a string or an integer".
func (k *kind) words() string {
	if k == nil {
		return "any value"
	}
	var all []string
	for _, v := range k.values {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	if k.is&text != 0 && k.values == nil {
		all = append(all, "a string")
	}
	for _, one := range []struct {
		is   kinds
		text string
	}{{fraction, "a number" + k.within.words()}, {integer, "an integer" + k.within.words()}, {boolean, "true or false"}, {object, "an object"}, {array, "an array"}, {null, "null"}} {
		if k.is&one.is != 0 && !(one.is == integer && k.is&fraction != 0) {
			all = append(all, one.text)
		}
	}
	if last := len(all) - 1; last > 0 {
		return strings.Join(all[:last], ", ") + " or " + all[last]
	}
	return strings.Join(all, "")
}

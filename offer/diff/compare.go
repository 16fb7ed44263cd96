// Package diff compares JSON values by structure, and the offers of servers by what a change means for their
// clients.
//
// Values are compared by meaning, without decoding them ([jsonrpc.Equal]): white space, the order of members,
// escapes and the notation of numbers do not matter. Members are matched by name. Elements of arrays are
// matched by an identifying member, such as the name of a tool, or else as in a diff of lines.
//
// [Compare] returns the differences, [Rows] the lines of a side-by-side or unified view, and [Servers] the
// changes of lists, schemas and capabilities, each breaking or compatible with a reason. The package does not
// depend on a screen.
package diff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"iter"

	"mcptea/client/jsonrpc"
)

// Options selects what counts in a comparison. The zero value compares everything.
type Options struct {
	// Ignore lists rules about values that do not count.
	Ignore []Ignore
	// IgnoreVolatile ignores values that differ from run to run although the server behaves the same: cursors,
	// tokens, task ids, times and UUIDs. A value that changed its kind counts.
	IgnoreVolatile bool
	// Max is the maximum number of returned differences; 0 is 10,000.
	Max int
}

// Kind is the kind of a difference.
type Kind uint8

// The values of [Kind].
const (
	Same Kind = iota
	Removed
	Added
	Changed
	Reordered // an array has the same elements in another order
)

// String returns the name of the kind.
func (k Kind) String() string {
	return [...]string{"same", "removed", "added", "changed", "reordered"}[k]
}

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Difference is a place where two values differ.
type Difference struct {
	Kind Kind `json:"kind"` // "added", "removed", "changed" or "reordered"
	// Path is a JSON Pointer into the new value, or into the old one for a removed value.
	Path string `json:"path"`
	// Name is the path for reading: tools[echo].inputSchema.
	Name string `json:"name,omitempty"`
	// Old is the value as received; absent if it was added. It aliases the argument.
	Old json.RawMessage `json:"old,omitempty"`
	// New is the value as received; absent if it was removed.
	New json.RawMessage `json:"new,omitempty"`
}

// ErrNotJSON is returned if a value is not valid JSON.
var ErrNotJSON = errors.New("not valid JSON")

// maxDifferences is [Options.Max] if that is 0.
const maxDifferences = 10_000

// Compare returns the differences between two JSON values in the order of the new value. more is the
// number of differences beyond [Options.Max]. The error is [ErrNotJSON].
func Compare(old, now []byte, o Options) (differences []Difference, more int, err error) {
	v := &collector{limit: cmp.Or(o.Max, maxDifferences)}
	if err := compare(old, now, o, v); err != nil {
		return nil, 0, err
	}
	return v.differences, v.more, nil
}

// A collector collects differences.
type collector struct {
	differences []Difference
	limit, more int
}

func (v *collector) differ(kind Kind, at *place, old, now []byte) {
	if len(v.differences) == v.limit {
		v.more++
		return
	}
	v.differences = append(v.differences, Difference{Kind: kind, Path: at.pointer(), Name: at.String(), Old: old, New: now})
}

func (v *collector) same(*place, []byte)           {}
func (v *collector) enter(_ *place, _, _ []byte)   {}
func (v *collector) leave(*place, byte)            {}
func (v *collector) skipped(int, []paired)         {}
func (v *collector) wantsSame() (n int)            { return 0 }
func (v *collector) ignored(_ *place, _, _ []byte) {}

// visitor receives the places of a comparison in their order.
type visitor interface {
	differ(kind Kind, at *place, old, now []byte)
	enter(at *place, old, now []byte) // a container whose children differ
	leave(at *place, open byte)
	same(at *place, value []byte)       // a child next to one that differs
	ignored(at *place, old, now []byte) // a container that differs but does not count
	skipped(n int, children []paired)   // a number of equal children; nil unless they are kept
	wantsSame() int                     // number of equal children that are visited next to one that differs
}

// comparison is one run.
type comparison struct {
	Options
	at     place
	v      visitor
	offers bool // the values describe servers: probably renamed entries are paired
	reads  bool // offers is set if both values describe servers
}

func compare(old, now []byte, o Options, v visitor) error {
	return (&comparison{Options: o, v: v}).run(old, now)
}

// run compares two values.
func (c *comparison) run(old, now []byte) error {
	old, now = bytes.Trim(old, jsonrpc.Whitespace), bytes.Trim(now, jsonrpc.Whitespace)
	valid := make(chan bool, 1)
	go func() { valid <- jsonrpc.Valid(old) }()
	both := jsonrpc.Valid(now)
	if !<-valid || !both {
		return ErrNotJSON
	}
	if c.reads {
		_, was := Offer(old)
		_, is := Offer(now)
		c.offers = was && is
	}
	if !c.areSame(old, now) {
		c.values(old, now, "")
	}
	return nil
}

// smallValue is the size below which two containers with other bytes are compared as
// a whole before their children are.
const smallValue = 64 << 10

// maxLevels is the maximum depth that is compared level by level, because each level reads everything
// below it again. Deeper containers are compared as a whole; screens do not show that many levels.
const maxLevels = 64

// areSame reports whether two values are known to have the same meaning. For two large values with different
// bytes it returns false, although all their children may be equal.
func (c *comparison) areSame(old, now []byte) bool {
	switch {
	case bytes.Equal(old, now):
		return true
	case jsonrpc.TypeOf(old) != jsonrpc.TypeOf(now):
		return false
	case old[0] == '"' && bytes.IndexByte(old, '\\') < 0 && bytes.IndexByte(now, '\\') < 0, len(old) > smallValue && !isScalar(old):
		return false
	}
	return jsonrpc.EqualValid(old, now)
}

// counts reports whether a difference at the place counts.
func (c *comparison) counts(name string, old, now []byte) bool {
	for _, g := range c.Ignore {
		if g.matches(c.at.parts) {
			return false
		}
	}
	if !c.IgnoreVolatile {
		return true
	}
	// A time that became something else counts.
	return !(old == nil || isVolatile(name, old)) || !(now == nil || isVolatile(name, now))
}

// values compares two values that differ. name is the name of the member. A value is nil on the side that lacks
// it.
func (c *comparison) values(old, now []byte, name string) {
	switch {
	case !c.counts(name, old, now):
		c.v.ignored(&c.at, old, now)
		return
	case old == nil || now == nil || jsonrpc.TypeOf(old) != jsonrpc.TypeOf(now) || isScalar(old):
		c.v.differ(kindOf(old, now), &c.at, old, now)
		return
	case len(c.at.parts) >= maxLevels:
		if !jsonrpc.EqualValid(old, now) { // values at the maximum depth are compared as a whole
			c.v.differ(kindOf(old, now), &c.at, old, now)
		}
		return
	}
	c.v.enter(&c.at, old, now)
	a, b, ok := childrenOf(old, now)
	switch {
	case !ok:
		c.positions(old, now)
	case now[0] == '{':
		c.pairs(c.pairRenamedProperties(pairMembers(a, b), old, now), false)
	default:
		all := pairElements(a, b)
		increasing := isIncreasing(all)
		c.pairs(c.pairRenamedEntries(all, a, b), true)
		if !increasing {
			c.v.differ(Reordered, &c.at, old, now)
		}
	}
	c.v.leave(&c.at, now[0])
}

// positions compares the elements of two very long arrays by their positions, without
// holding them.
func (c *comparison) positions(old, now []byte) {
	a, stopOld := iter.Pull(jsonrpc.Elements(old))
	defer stopOld()
	b, stopNew := iter.Pull(jsonrpc.Elements(now))
	defer stopNew()
	same := 0
	for i := 0; ; i++ {
		x, _ := a()
		y, _ := b()
		if x == nil && y == nil {
			break
		}
		if x != nil && y != nil && c.areSame(x, y) {
			same++
			continue
		}
		if same > 0 {
			c.v.skipped(same, nil)
			same = 0
		}
		p := paired{}
		if x != nil {
			p.old = &child{index: i, value: x}
		}
		if y != nil {
			p.new = &child{index: i, value: y}
		}
		c.pair(p, true)
	}
	if same > 0 {
		c.v.skipped(same, nil)
	}
}

// paired is a child of both containers, or of one of them.
type paired struct {
	old, new *child
	same     bool
}

// childrenOf returns the children of two containers, large ones at the same time.
func childrenOf(old, now []byte) (a, b []child, ok bool) {
	both := false
	if len(old)+len(now) < 1<<20 {
		a, ok = children(old)
		b, both = children(now)
		return a, b, ok && both
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		a, ok = children(old)
	}()
	b, both = children(now)
	<-done
	return a, b, ok && both
}

func (p paired) any() *child {
	if p.new != nil {
		return p.new
	}
	return p.old
}

// pairs compares children. It visits equal elements only next to elements that differ.
func (c *comparison) pairs(all []paired, array bool) {
	near := c.v.wantsSame()
	for i := range all {
		all[i].same = all[i].old != nil && all[i].new != nil && (array || !all[i].isRenamed()) && c.areSame(all[i].old.value, all[i].new.value)
	}
	for i := 0; i < len(all); {
		if !all[i].same {
			c.pair(all[i], array)
			i++
			continue
		}
		end := i
		for end < len(all) && all[end].same {
			end++
		}
		before, after := near, near // number of equal children to visit after the previous difference and before the next one
		if i == 0 {
			before = 0
		}
		if end == len(all) {
			after = 0
		}
		if end-i <= before+after+1 && near > 0 {
			before, after = end-i, 0
		}
		for k := i; k < i+before && k < end; k++ {
			c.visitSame(all[k], array)
		}
		if n := end - i - before - after; n > 0 {
			c.v.skipped(n, all[i+before:end-after])
		}
		for k := max(end-after, i+before); k < end; k++ {
			c.visitSame(all[k], array)
		}
		i = end
	}
}

func (c *comparison) visitSame(p paired, array bool) {
	c.at.down(p.new, array, p.new.id)
	c.v.same(&c.at, p.new.value)
	c.at.up()
}

func (c *comparison) pair(p paired, array bool) {
	one := p.any()
	c.at.down(one, array, one.id)
	defer c.at.up()
	name := one.name
	if array && len(c.at.names) > 1 {
		name = c.at.parts[len(c.at.parts)-2] // cursors: […]
	}
	var old, now []byte
	if p.old != nil {
		old = p.old.value
	}
	if p.new != nil {
		now = p.new.value
	}
	if !array && one == p.new && p.isRenamed() && c.counts(name, old, now) {
		c.at.was = p.old.name
		c.v.differ(Changed, &c.at, old, now)
		c.at.was = ""
		return
	}
	c.values(old, now, name)
}

// isIncreasing reports whether pairs are in the order of the old array, too.
func isIncreasing(all []paired) bool {
	last := -1
	for _, p := range all {
		if p.old != nil && p.new != nil {
			if p.old.index < last {
				return false
			}
			last = p.old.index
		}
	}
	return true
}

// pairMembers matches members by name; of several with the same name, the first with the first, and so on.
// The order is the order of the new object, with each removed member after the member that it followed.
func pairMembers(old, now []child) []paired {
	byName := make(map[string][]int, len(old))
	for i := range old {
		byName[old[i].name] = append(byName[old[i].name], i)
	}
	match := make([]int, len(now))
	for i := range now {
		match[i] = -1
		if list := byName[now[i].name]; len(list) > 0 {
			match[i], byName[now[i].name] = list[0], list[1:]
		}
	}
	return merge(old, now, match)
}

// merge puts pairs into the order of the new container. match has for each new child
// the old one, or -1.
func merge(old, now []child, match []int) []paired {
	all := make([]paired, 0, max(len(old), len(now)))
	taken := make([]bool, len(old))
	for _, m := range match {
		if m >= 0 {
			taken[m] = true
		}
	}
	next := 0 // index in the old children
	removedBefore := func(end int) {
		for ; next < end; next++ {
			if !taken[next] {
				all = append(all, paired{old: &old[next]})
			}
		}
	}
	for i := range now {
		p := paired{new: &now[i]}
		if m := match[i]; m >= 0 {
			removedBefore(m)
			p.old = &old[m]
		}
		all = append(all, p)
	}
	removedBefore(len(old))
	return all
}

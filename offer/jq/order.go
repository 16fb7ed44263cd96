package jq

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"

	"mcptea/client/jsonrpc"
)

// An order is the order of the members in objects that are written. gojq has no order. jq keeps the
// order in which members were read or made. So if an object in the filter or the input has the same
// names, its order is used. Otherwise names have the order of the input, followed by the order of
// the filter.
type order struct {
	same  map[string][]string // objects of the input: names in order, by all names sorted
	made  map[string][]string // likewise, for objects that the filter makes
	first map[string]int      // rank of a name
}

const (
	// maxOrdered is the largest input that is searched for names, in bytes.
	maxOrdered = 8 << 20
	// maxOrders is the number of kinds of objects remembered.
	maxOrders = 10_000
	// maxDepth is the depth in the input up to which objects are examined.
	maxDepth = 40
)

func newOrder(input []byte) *order {
	o := &order{same: map[string][]string{}, first: map[string]int{}}
	if len(input) <= maxOrdered {
		o.read(input, 0)
	}
	return o
}

// read remembers the names of the objects in a value.
func (o *order) read(value []byte, depth int) {
	value = bytes.TrimLeft(value, " \t\r\n")
	if len(value) == 0 || depth > maxDepth || len(o.same) >= maxOrders {
		return
	}
	switch value[0] {
	case '[':
		for item := range jsonrpc.Elements(value) {
			o.read(item, depth+1)
		}
	case '{':
		var names []string
		seen := map[string]bool{}
		for name, member := range jsonrpc.Members(value) {
			if !seen[string(name)] {
				seen[string(name)] = true
				names = append(names, string(name))
			}
			o.read(member, depth+1)
		}
		if key := keyOf(names); o.same[key] == nil {
			o.same[key] = names
		}
		o.rank(names)
	}
}

// rank assigns positions to new names, after the known ones.
func (o *order) rank(names []string) {
	for _, name := range names {
		if _, ok := o.first[name]; !ok {
			o.first[name] = len(o.first)
		}
	}
}

func keyOf(names []string) string { return strings.Join(slices.Sorted(slices.Values(names)), "\x00") }

// of returns the order extended with the objects that a filter makes.
func (o *order) of(query *gojq.Query) *order {
	copied := &order{same: o.same, made: map[string][]string{}, first: maps.Clone(o.first)}
	eachObject(reflect.ValueOf(query), func(object *gojq.Object) {
		names, whole := namesOf(object)
		if copied.rank(names); whole {
			copied.made[keyOf(names)] = names // the last object is closest to the output
		}
	})
	return copied
}

// namesOf returns the names of an object that a filter makes, without computed names. whole is false if there
// are any.
func namesOf(object *gojq.Object) (names []string, whole bool) {
	whole = true
	for _, member := range object.KeyVals {
		name := strings.TrimPrefix(member.Key, "$")
		if s := member.KeyString; s != nil {
			if len(s.Queries) > 0 {
				whole = false
				continue
			}
			name = s.Str
		}
		if name == "" && member.KeyString == nil {
			whole = false
			continue
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, whole
}

// eachObject calls f for each object that a part of a filter makes.
func eachObject(v reflect.Value, f func(*gojq.Object)) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if object, ok := v.Interface().(*gojq.Object); ok {
			f(object)
		}
		eachObject(v.Elem(), f)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachObject(v.Field(i), f)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachObject(v.Index(i), f)
		}
	}
}

// append appends a value of a filter as JSON.
func (o *order) append(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			var err error
			if b, err = o.append(b, item); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case map[string]any:
		b = append(b, '{')
		for i, name := range o.names(v) {
			if i > 0 {
				b = append(b, ',')
			}
			quoted, err := gojq.Marshal(name)
			if err != nil {
				return nil, err
			}
			b = append(append(b, quoted...), ':')
			if b, err = o.append(b, v[name]); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case json.Number: // written as sent
		return append(b, v...), nil
	case int: // like below, but without garbage: an array may have millions of numbers
		return strconv.AppendInt(b, int64(v), 10), nil
	}
	text, err := gojq.Marshal(v)
	return append(b, text...), err
}

// names returns the names of an object in order.
func (o *order) names(object map[string]any) []string {
	names := slices.Sorted(maps.Keys(object))
	key := strings.Join(names, "\x00")
	for _, all := range []map[string][]string{o.made, o.same} {
		if known := all[key]; known != nil {
			return known
		}
	}
	rank := func(name string) int {
		if at, ok := o.first[name]; ok {
			return at
		}
		return len(o.first)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return names
}

package invariants

import (
	"maps"
	"slices"
	"strconv"

	"mcptea/client/jsonrpc"
	"mcptea/session/checks/lint"
)

// maxKept is the maximum number of values in each map of a memory.
const maxKept = 2000

// memory is what the invariants keep of a connection.
type memory struct {
	stoodFor  map[string]string // what a fresh value stood for, by key and value
	newest    map[string]string // key and value of the newest position, by key
	passed    map[string]bool   // positions, by key and value
	callbacks map[string][]byte // parameters of subscriptions, by the URL of the delivery
}

// subject is a value that a row judges, with its state.
type subject struct {
	row    *invariant
	c      *lint.Context
	thing  []byte
	value  []byte // not nil
	memory *memory
	key    string // of the state
}

// A relation reports a subject for which it does not hold.
type relation func(s *subject)

// relations are the relations by the names that rows have.
var relations = map[string]relation{
	"fresh": fresh, "position": position, "moves": moves, "selects": selects, "declared": declared, "never": never,
}

// valueKey is the key of the state with the value.
func (s *subject) valueKey() string { return s.key + " " + sum(s.value) }

// sums returns a text that is equal for equal values of expressions.
func (s *subject) sums(expressions []string) (text string) {
	for _, e := range expressions {
		v := valueOf(s.c, s.thing, e)
		if v == nil || string(v) == "{}" {
			v = []byte("null")
		}
		text += " " + sum(v)
	}
	return text
}

func sum(v []byte) string { return strconv.FormatUint(jsonrpc.Sum(v), 36) }

// report reports the subject, once for each row and connection.
func (s *subject) report(values ...any) {
	s.c.About(s.row.Name).Report(lint.Whole, append([]any{"what", s.row.What, "how", s.row.How}, values...)...)
}

// fresh requires that a value is not used for two things.
func fresh(s *subject) {
	if isNull(s.value) {
		return
	}
	key, same := s.valueKey(), s.sums(s.row.Same)
	if was, used := s.memory.stoodFor[key]; used && was != same {
		s.report("got", lint.ShownValue(s.value))
		return
	}
	lint.Keep(&s.memory.stoodFor, maxKept, key, same)
}

// position requires that a stream does not return to an earlier position.
func position(s *subject) {
	if isNull(s.value) {
		return
	}
	key := s.valueKey()
	if s.memory.newest[s.key] != key && s.memory.passed[key] {
		s.report("got", lint.ShownValue(s.value))
	}
	lint.Keep(&s.memory.newest, maxKept, s.key, key)
	lint.Keep(&s.memory.passed, maxKept, key, true)
}

// moves requires that the value differs from the value in other, if both exist.
func moves(s *subject) {
	if other := valueOf(s.c, s.thing, s.row.Other); !isNull(s.value) && other != nil && jsonrpc.Sum(other) == jsonrpc.Sum(s.value) {
		s.report("got", lint.ShownValue(s.value))
	}
}

// selects requires that scalar members of the value equal the arguments in other that have the same name and type.
func selects(s *subject) {
	members := jsonrpc.MemberIndex(s.value)
	for name, want := range jsonrpc.Members(valueOf(s.c, s.thing, s.row.Other)) {
		got := members[string(name)]
		t := jsonrpc.TypeOf(got)
		if got != nil && t == jsonrpc.TypeOf(want) && t != "object" && t != "array" && jsonrpc.Sum(got) != jsonrpc.Sum(want) {
			s.report("got", lint.Escaped(name)+" "+lint.ShownValue(got), "want", lint.ShownValue(want))
		}
	}
}

// declared requires that the server declares the capability of each member of the value that is true.
func declared(s *subject) {
	if s.c.St.ServerCaps == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.row.Declared)) {
		if path := s.row.Declared[name]; string(jsonrpc.Get(s.value, name)) == "true" && !s.c.St.ServerOffers(path...) {
			s.report("got", name, "want", "not declared")
		}
	}
}

// never requires that the expressions do not all have their excluded values while the value equals the value in other,
// if the row has one. An absent value is null.
func never(s *subject) {
	if s.row.First {
		if _, known := s.memory.newest[s.key]; known {
			return
		}
		lint.Keep(&s.memory.newest, maxKept, s.key, "")
	}
	for expression, excluded := range s.row.Never {
		v := valueOf(s.c, s.thing, expression)
		if isNull(v) {
			v = []byte("null")
		}
		if jsonrpc.Sum(v) != jsonrpc.Sum(excluded) {
			return
		}
	}
	if s.row.Other == "" {
		s.report("got", lint.ShownValue(s.value))
		return
	}
	if other := valueOf(s.c, s.thing, s.row.Other); other != nil && jsonrpc.Sum(s.value) == jsonrpc.Sum(other) {
		s.report("got", lint.ShownValue(s.value))
	}
}

package invariants

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// maxKept is the maximum number of values in each map of a memory.
const maxKept = 2000

// memory holds the state of the invariants for a connection.
type memory struct {
	stoodFor  map[string]string    // things that fresh values identify, by key and value
	newest    map[string]string    // newest positions with their keys
	passed    map[string]bool      // earlier positions, by key and value
	callbacks map[string][]byte    // parameters of subscriptions, by the URL of the delivery
	leases    map[string][]byte    // refreshBefore of subscriptions, by the URL of the delivery
	listed    map[string]string    // definitions until their list changes, by key
	arrived   map[string]time.Time // first arrivals, by key and value
	names     map[string][]named   // values of things, by key and thing
}

// named is a value that a thing had in an event of a row.
type named struct {
	row   *invariant
	sum   string // hash of the value
	shown any    // value for a message
}

// subject is a value that a row judges, with its state.
type subject struct {
	row    *invariant
	c      *lint.Context
	thing  []byte
	value  []byte // raw value; never nil
	memory *memory
	key    string // key of the state
}

// A relation reports a subject that does not fulfil it.
type relation func(s *subject)

// relations maps names in the table to relations.
var relations = map[string]relation{
	"fresh": fresh, "position": position, "moves": moves, "selects": selects, "declared": declared, "never": never,
	"once": once, "after": after, "age": age, "same": same, "lease": lease, "standstill": standstill, "alias": alias,
}

// valueKey returns the key of the state with the value.
func (s *subject) valueKey() string { return s.key + " " + sum(s.value) }

// sums returns a text that is equal for equal values of expressions.
func (s *subject) sums(expressions []string) (text string) {
	for _, e := range expressions {
		v := valueOf(s.c, s.thing, e)
		if string(v) == "{}" {
			v = []byte("null")
		}
		text += " " + sum(v)
	}
	return text
}

// sum returns a text that is equal for equal values. An absent value is null.
func sum(v []byte) string {
	if v == nil {
		v = []byte("null")
	}
	return strconv.FormatUint(jsonrpc.Sum(v), 36)
}

// report reports the subject, once for each row and connection.
func (s *subject) report(values ...any) {
	s.c.About(s.row.Name).Report(lint.Whole, append([]any{"what", s.row.What, "how", s.row.How}, values...)...)
}

// fresh requires that a value stands for one thing only: it may not occur again with another key of Same.
func fresh(s *subject) {
	if isNull(s.value) {
		return
	}
	if s.row.As == eventTimes && !isDated(s.thing) {
		return // another rule is about the timestamp
	}
	key, same := s.valueKey(), s.sums(s.row.Same)
	if was, used := s.memory.stoodFor[key]; used && was != same {
		s.report("got", lint.ShownValue(s.value))
		return
	}
	lint.Keep(&s.memory.stoodFor, maxKept, key, same)
}

// maxNames is the maximum number of values that are kept for a thing.
const maxNames = 10

// alias requires that a thing has the same value in the events of all rows that share the state. It ignores
// things that may be several different ones: those without an exact time, and those with several values in the
// events of one row.
func alias(s *subject) {
	if isNull(s.value) || !isExact(s.thing) {
		return
	}
	key, value := s.key+s.sums(s.row.Same), named{s.row, sum(s.value), lint.ShownValue(s.value)}
	all := s.memory.names[key]
	var other *named
	for i, n := range all {
		isHere, isSame := n.row == s.row, n.sum == value.sum
		if isHere != isSame {
			return
		}
		if isHere {
			return // the value is already recorded
		}
		other = &all[i]
	}
	if len(all) < maxNames {
		lint.Keep(&s.memory.names, maxKept, key, append(slices.Clone(all), value))
	}
	if other != nil {
		s.report("got", value.shown, "want", other.shown, "where", other.row.What)
	}
}

// eventTimes is the name of the state of rows about timestamps of events.
const eventTimes = "event-time"

// timestampOf returns the timestamp of an event, or "".
func timestampOf(thing []byte) string {
	if at := jsonrpc.Text(thing, "timestamp"); at != "" {
		return at
	}
	return jsonrpc.Text(thing, "params", "timestamp")
}

// isExact reports whether the timestamp of an event has a fraction of a second: events of the same second are often alike.
func isExact(thing []byte) bool { return strings.Contains(timestampOf(thing), ".") }

// isDated reports whether the timestamp of an event is a time.
func isDated(thing []byte) bool {
	_, err := time.Parse(time.RFC3339Nano, timestampOf(thing))
	return err == nil
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

// once requires that there is one event of each key.
func once(s *subject) {
	if _, known := s.memory.newest[s.key]; known {
		s.report("got", lint.ShownValue(s.value))
	}
	lint.Keep(&s.memory.newest, maxKept, s.key, "")
}

// after requires that a poll from a cursor does not return the events that were delivered with this cursor.
func after(s *subject) {
	from := valueOf(s.c, s.thing, s.row.Other)
	if isNull(s.value) || from != nil && jsonrpc.Sum(from) == jsonrpc.Sum(s.value) {
		return // the relation "moves" is about the same cursor
	}
	for _, id := range each(s.thing, "/result/events/*/eventId") {
		if s.memory.passed[s.key+" "+sum(from)+" "+sum(id)] {
			s.report("got", lint.ShownValue(id))
		}
	}
	for _, id := range each(s.thing, "/result/events/*/eventId") {
		lint.Keep(&s.memory.passed, maxKept, s.valueKey()+" "+sum(id), true)
	}
}

// ageTolerance is the permitted difference between the time of an event and the time at which the
// server received it.
const ageTolerance = time.Second

// age requires that the times of the events of a poll differ by at most the value, in milliseconds.
func age(s *subject) {
	limit, ok := jsonrpc.Integer(s.value)
	var oldest, newest time.Time
	for _, raw := range each(s.thing, "/result/events/*/timestamp") {
		text, _ := jsonrpc.Unquote(raw)
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return
		}
		if oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
		if at.After(newest) {
			newest = at
		}
	}
	if apart := newest.Sub(oldest); ok && (apart-ageTolerance).Milliseconds() > limit {
		s.report("got", phrase.Duration(apart.Round(time.Second)), "want", limit)
	}
}

// same requires that a value does not change until its list does.
func same(s *subject) {
	key := s.valueKey()
	if was, known := s.memory.listed[s.key]; known && was != key {
		s.report("got", lint.ShownValue(valueOf(s.c, s.thing, s.row.Key[0])))
	}
	lint.Keep(&s.memory.listed, maxKept, s.key, key)
}

// leaseTolerance is the maximum time between the end of a lease and a webhook-timestamp, which counts in seconds.
const leaseTolerance = 2 * time.Second

// lease requires that the value, the time of an attempt in seconds, is not after the time in other. Both are times of the
// server.
func lease(s *subject) {
	end, err := time.Parse(time.RFC3339Nano, text(valueOf(s.c, s.thing, s.row.Other)))
	seconds, bad := strconv.ParseInt(text(s.value), 10, 64)
	if err != nil || bad != nil {
		return
	}
	if late := time.Unix(seconds, 0).Sub(end); late > leaseTolerance {
		s.report("got", phrase.Duration(late.Round(time.Second)))
	}
}

// Tolerances of the relation "standstill".
const (
	arrivalTolerance = 3 * time.Second // maximum difference between the arrivals of attempts of the same second
	eventTolerance   = 2 * time.Second // maximum difference between the clocks of an event and of its attempt
)

// standstill requires that the time of an attempt, in seconds, differs from the times of earlier attempts if it
// is before the time of its event in other.
func standstill(s *subject) {
	key, now := s.valueKey(), s.c.St.Now
	was, known := s.memory.arrived[key]
	if !known {
		lint.Keep(&s.memory.arrived, maxKept, key, now)
	}
	happened, err := time.Parse(time.RFC3339Nano, text(valueOf(s.c, s.thing, s.row.Other)))
	seconds, bad := strconv.ParseInt(text(s.value), 10, 64)
	if known && err == nil && bad == nil && now.Sub(was) > arrivalTolerance && happened.Sub(time.Unix(seconds, 0)) > eventTolerance {
		s.report("got", lint.ShownValue(s.value))
	}
}

// text returns the text of a JSON string, or "".
func text(v []byte) string {
	s, _ := jsonrpc.Unquote(v)
	return s
}

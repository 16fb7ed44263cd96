package script

import (
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
)

// mismatch is the first place where a value differs from the expected one.
type mismatch struct {
	path   string // JSON Pointer; empty for the whole value
	reason string
}

func (m *mismatch) String() string {
	if m.path == "" {
		return m.reason
	}
	return m.path + ": " + m.reason
}

// below returns the mismatch of a member or element as one of the value that has it. A path is made only for what differs:
// one for each of many values at a depth would take the product of both.
func (m *mismatch) below(name string) *mismatch {
	m.path = "/" + jsonrpc.EscapePointer(name) + m.path
	return m
}

// types are the placeholders for values of a type.
var types = map[string]string{
	"<any>": "", "<string>": "string", "<number>": "number", "<boolean>": "boolean", "<object>": "object", "<array>": "array", "<null>": "null",
}

// Matches reports whether a JSON value matches the expected one: objects have the expected members, and the
// strings "<TYPE>", "<any>" and "<~REGEX>" stand for values.
func Matches(want, got []byte) bool { return match(want, got) == nil }

// match compares a value with an expected one: each member that is expected must be
// there, arrays must have the expected length, and other values must be equal. The
// string "<TYPE>" stands for any value of a type, "<any>" for any, and "<~REGEX>" for
// a string that a regular expression matches. It returns nil if the value is as
// expected.
func match(want, got []byte) *mismatch {
	wanted, found := jsonrpc.TypeOf(want), jsonrpc.TypeOf(got)
	if text, ok := jsonrpc.Unquote(want); ok {
		if kind, ok := types[text]; ok {
			if kind != "" && kind != found {
				return &mismatch{reason: fmt.Sprintf("expected a value of the type %s, found %s", kind, short(got))}
			}
			return nil
		}
		if pattern, ok := strings.CutPrefix(text, "<~"); ok && strings.HasSuffix(pattern, ">") {
			return matchText(strings.TrimSuffix(pattern, ">"), got)
		}
	}
	switch {
	case wanted == "object" && found == "object":
		members := jsonrpc.MemberIndex(got)
		for name, value := range jsonrpc.Members(want) {
			inner, ok := members[string(name)]
			if !ok {
				return &mismatch{"/" + jsonrpc.EscapePointer(string(name)), "expected " + short(value) + ", the member is missing"}
			}
			if m := match(value, inner); m != nil {
				return m.below(string(name))
			}
		}
		return nil
	case wanted == "array" && found == "array":
		return matchArray(want, got)
	case !jsonrpc.Equal(want, got):
		return &mismatch{reason: fmt.Sprintf("expected %s, found %s", short(want), short(got))}
	}
	return nil
}

func matchArray(want, got []byte) *mismatch {
	var wanted, found [][]byte
	for v := range jsonrpc.Elements(want) {
		wanted = append(wanted, v)
	}
	for v := range jsonrpc.Elements(got) {
		found = append(found, v)
	}
	if len(wanted) != len(found) {
		return &mismatch{reason: fmt.Sprintf("expected %d elements, found %d", len(wanted), len(found))}
	}
	for i := range wanted {
		if m := match(wanted[i], found[i]); m != nil {
			return m.below(strconv.Itoa(i))
		}
	}
	return nil
}

func matchText(pattern string, got []byte) *mismatch {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return &mismatch{reason: fmt.Sprintf("the expression <~%s> is malformed: %v", pattern, err)}
	}
	if text, ok := jsonrpc.Unquote(got); !ok || !re.MatchString(text) {
		return &mismatch{reason: fmt.Sprintf("expected a string that matches %s, found %s", pattern, short(got))}
	}
	return nil
}

// merged returns an expectation that includes a value. If toShow is set, it is the expectation, with the
// members of the value that it does not mention, so that a comparison shows only the differences. Otherwise it
// expects the value, and keeps the parts of the expectation that the value meets, such as placeholders.
func merged(want, got []byte, toShow bool) []byte {
	out, _ := appendMerged(nil, want, got, toShow)
	return out
}

// appendMerged appends what [merged] returns, and reports whether the value is as expected.
func appendMerged(out, want, got []byte, toShow bool) (all []byte, matches bool) {
	start := len(out)
	switch wanted, found := jsonrpc.TypeOf(want), jsonrpc.TypeOf(got); {
	case wanted == "object" && found == "object":
		out, matches = appendMembers(out, want, got, toShow)
	case wanted == "array" && found == "array" && jsonrpc.Count(want) == jsonrpc.Count(got):
		next, stop := iter.Pull(jsonrpc.Elements(got))
		defer stop()
		matches = true
		before := byte('[')
		for value := range jsonrpc.Elements(want) {
			inner, _ := next()
			var same bool
			out, same = appendMerged(append(out, before), value, inner, toShow)
			before, matches = ',', matches && same
		}
		if before == '[' {
			out = append(out, before)
		}
		out = append(out, ']')
	default:
		matches = match(want, got) == nil
		if toShow != matches {
			return append(out, want...), matches
		}
		return append(out, got...), matches
	}
	switch {
	case matches && toShow:
		out = append(out[:start], got...)
	case matches:
		out = append(out[:start], want...)
	}
	return out, matches
}

// appendMembers is like [appendMerged], for objects: it writes each member, even if all of them match.
func appendMembers(out, want, got []byte, toShow bool) (all []byte, matches bool) {
	matches = true
	before := byte('{')
	begin := func(name []byte) {
		out = append(append(append(out, before), jsonrpc.Quote(string(name))...), ':')
		before = ','
	}
	wanted, found := jsonrpc.MemberIndex(want), jsonrpc.MemberIndex(got)
	for name, value := range jsonrpc.Members(want) {
		inner, ok := found[string(name)]
		matches = matches && ok
		switch {
		case ok:
			begin(name)
			var same bool
			out, same = appendMerged(out, value, inner, toShow)
			matches = matches && same
		case toShow:
			begin(name)
			out = append(out, value...)
		}
	}
	for name, value := range jsonrpc.Members(got) {
		if _, ok := wanted[string(name)]; toShow && !ok {
			begin(name)
			out = append(out, value...)
		}
	}
	if before == '{' {
		out = append(out, before)
	}
	return append(out, '}'), matches
}

// short cuts a value for a message.
func short(v []byte) string {
	return phrase.Clip(strings.ToValidUTF8(string(v), "�"), 80)
}

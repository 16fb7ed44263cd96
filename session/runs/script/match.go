package script

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
)

// mismatch is the first place where a value is not as expected.
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

// types are the placeholders for values of a type.
var types = map[string]string{
	"<any>": "", "<string>": "string", "<number>": "number", "<boolean>": "boolean", "<object>": "object", "<array>": "array", "<null>": "null",
}

// Matches reports whether a JSON value is as expected: objects have the expected members,
// and the strings "<TYPE>", "<any>" and "<~REGEX>" stand for values.
func Matches(want, got []byte) bool { return match(want, got, "") == nil }

// match compares a value with an expected one: each member that is expected must be
// there, arrays must have the expected length, and other values must be equal. The
// string "<TYPE>" stands for any value of a type, "<any>" for any, and "<~REGEX>" for
// a string that a regular expression matches. It returns nil if the value is as
// expected.
func match(want, got []byte, path string) *mismatch {
	wanted, found := jsonrpc.TypeOf(want), jsonrpc.TypeOf(got)
	if text, ok := jsonrpc.Unquote(want); ok {
		if kind, ok := types[text]; ok {
			if kind != "" && kind != found {
				return &mismatch{path, fmt.Sprintf("expected a value of the type %s, found %s", kind, short(got))}
			}
			return nil
		}
		if pattern, ok := strings.CutPrefix(text, "<~"); ok && strings.HasSuffix(pattern, ">") {
			return matchText(strings.TrimSuffix(pattern, ">"), got, path)
		}
	}
	switch {
	case wanted == "object" && found == "object":
		for name, value := range jsonrpc.Members(want) {
			at := path + "/" + jsonrpc.EscapePointer(string(name))
			inner, ok := jsonrpc.Member(got, string(name))
			if !ok {
				return &mismatch{at, "expected " + short(value) + ", the member is missing"}
			}
			if m := match(value, inner, at); m != nil {
				return m
			}
		}
		return nil
	case wanted == "array" && found == "array":
		return matchArray(want, got, path)
	case !jsonrpc.Equal(want, got):
		return &mismatch{path, fmt.Sprintf("expected %s, found %s", short(want), short(got))}
	}
	return nil
}

func matchArray(want, got []byte, path string) *mismatch {
	var wanted, found [][]byte
	for v := range jsonrpc.Elements(want) {
		wanted = append(wanted, v)
	}
	for v := range jsonrpc.Elements(got) {
		found = append(found, v)
	}
	if len(wanted) != len(found) {
		return &mismatch{path, fmt.Sprintf("expected %d elements, found %d", len(wanted), len(found))}
	}
	for i := range wanted {
		if m := match(wanted[i], found[i], fmt.Sprint(path, "/", i)); m != nil {
			return m
		}
	}
	return nil
}

func matchText(pattern string, got []byte, path string) *mismatch {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return &mismatch{path, fmt.Sprintf("the expression <~%s> is malformed: %v", pattern, err)}
	}
	if text, ok := jsonrpc.Unquote(got); !ok || !re.MatchString(text) {
		return &mismatch{path, fmt.Sprintf("expected a string that matches %s, found %s", pattern, short(got))}
	}
	return nil
}

// merged joins what is expected with a value. To show the difference, it is what is
// expected, with the rest of the value that it says nothing about. To expect the value,
// it keeps as much as the value fulfills: placeholders, and which members are not expected.
func merged(want, got []byte, toShow bool) []byte {
	switch wanted, found := jsonrpc.TypeOf(want), jsonrpc.TypeOf(got); {
	case match(want, got, "") == nil:
		if toShow {
			return got
		}
		return want
	case wanted == "object" && found == "object":
		out := []byte("{")
		add := func(name, value []byte) {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(append(out, jsonrpc.Quote(string(name))...), ':'), value...)
		}
		for name, value := range jsonrpc.Members(want) {
			if inner, ok := jsonrpc.Member(got, string(name)); ok {
				add(name, merged(value, inner, toShow))
			} else if toShow {
				add(name, value)
			}
		}
		for name, value := range jsonrpc.Members(got) {
			if _, ok := jsonrpc.Member(want, string(name)); toShow && !ok {
				add(name, value)
			}
		}
		return append(out, '}')
	case wanted == "array" && found == "array":
		wanted, found := slices.Collect(jsonrpc.Elements(want)), slices.Collect(jsonrpc.Elements(got))
		if len(wanted) != len(found) {
			break
		}
		out := make([][]byte, len(found))
		for i := range found {
			out[i] = merged(wanted[i], found[i], toShow)
		}
		return slices.Concat([]byte("["), bytes.Join(out, []byte(",")), []byte("]"))
	}
	if toShow {
		return want
	}
	return got
}

// short cuts a value for a message.
func short(v []byte) string {
	return phrase.Clip(strings.ToValidUTF8(string(v), "�"), 80)
}

package jsonrpc

import (
	"bytes"
	"strings"
)

// Mutation is one way to get a frame wrong on purpose, to see what a peer
// makes of it.
type Mutation struct {
	// Name is what a person types.
	Name string
	// Summary says in a few words what is wrong with the outcome.
	Summary string

	apply func(frame []byte) []byte
}

// Apply returns a new, wrong frame made from a right request frame, which it
// leaves alone.
func (m Mutation) Apply(frame []byte) []byte {
	return m.apply(bytes.Clone(frame))
}

// Mutations lists them all, in the order of a menu.
func Mutations() []Mutation { return mutations }

var mutations = []Mutation{
	{"truncated", "cut in the middle", func(f []byte) []byte { return f[:len(f)/2] }},
	{"trailing-comma", "a comma before the last brace", beforeEnd(",")},
	{"single-quotes", "single quotes in place of double ones", func(f []byte) []byte {
		return bytes.ReplaceAll(f, []byte(`"`), []byte(`'`))
	}},
	{"no-version", `no "jsonrpc" member`, func(f []byte) []byte {
		return bytes.Replace(f, []byte(`"jsonrpc":"2.0",`), nil, 1)
	}},
	{"version-1", `"jsonrpc":"1.0"`, swap(`"jsonrpc":"2.0"`, `"jsonrpc":"1.0"`)},
	{"version-number", `"jsonrpc":2.0, a number`, swap(`"jsonrpc":"2.0"`, `"jsonrpc":2.0`)},
	{"id-null", `"id":null`, withID("null")},
	{"id-fraction", `"id":1.5`, withID("1.5")},
	{"id-object", `"id":{}`, withID("{}")},
	{"id-twice", `two "id" members`, beforeEnd(`,"id":"second"`)},
	{"method-number", `"method":42`, withMethod("42")},
	{"method-empty", `"method":""`, withMethod(`""`)},
	{"params-string", `"params" is a string`, withParams(`"text"`)},
	{"params-array", `"params" is an array`, withParams(`[1,2]`)},
	{"result-too", `a "result" beside the method`, beforeEnd(`,"result":{}`)},
	{"extra-member", "a member that JSON-RPC does not define", beforeEnd(`,"extra":true`)},
	{"not-utf8", "a Latin-1 byte in a string", beforeEnd(",\"note\":\"caf\xe9\"")},
	{"lone-surrogate", "half of a surrogate pair", beforeEnd(`,"note":"\ud800"`)},
	{"nan", "NaN, which is not JSON", beforeEnd(`,"note":NaN`)},
	{"bom", "a byte order mark in front", func(f []byte) []byte { return append(bytes.Clone(bom), f...) }},
	{"pretty", "spread over several lines", func(f []byte) []byte {
		return bytes.ReplaceAll(f, []byte(`,"`), []byte(",\n  \""))
	}},
	{"two-in-one", "two frames on one line", func(f []byte) []byte { return append(append(f, ' '), f...) }},
	{"empty-batch", "[]", func([]byte) []byte { return []byte("[]") }},
	{"nested-batch", "a batch inside a batch", func(f []byte) []byte {
		return AppendBatch(nil, AppendBatch(nil, f))
	}},
	{"scalar", "a number in place of an object", func([]byte) []byte { return []byte("42") }},
	{"content-length", "framed like a language server", func(f []byte) []byte {
		return append([]byte("Content-Length: 42\r\n\r\n"), f...)
	}},
	{"deep", "nested 5 000 levels deep", beforeEnd(`,"deep":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000))},
}

func swap(old, by string) func([]byte) []byte {
	return func(f []byte) []byte { return bytes.Replace(f, []byte(old), []byte(by), 1) }
}

// beforeEnd inserts text before the closing brace.
func beforeEnd(text string) func([]byte) []byte {
	return func(f []byte) []byte {
		end := bytes.LastIndexByte(f, '}')
		if end < 0 {
			return append(f, text...)
		}
		return append(append(bytes.Clone(f[:end]), text...), f[end:]...)
	}
}

func withID(token string) func([]byte) []byte {
	return replaceMember("id", token, func(e Envelope) Span { return e.ID })
}

func withMethod(token string) func([]byte) []byte {
	return replaceMember("method", token, func(e Envelope) Span {
		if e.Method.Start == 0 {
			return Span{}
		}
		return Span{e.Method.Start - 1, e.Method.End + 1}
	})
}

func withParams(token string) func([]byte) []byte {
	return replaceMember("params", token, func(e Envelope) Span { return e.Params })
}

// replaceMember puts a token in place of a member's value, or adds the member.
func replaceMember(name, token string, find func(Envelope) Span) func([]byte) []byte {
	return func(f []byte) []byte {
		at := find(Scan(f))
		if !at.Present() {
			return beforeEnd(`,"` + name + `":` + token)(f)
		}
		return append(append(bytes.Clone(f[:at.Start]), token...), f[at.End:]...)
	}
}

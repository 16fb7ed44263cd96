package jsonrpc

import (
	"bytes"
	"strings"
)

// Mutation is one way to make a frame invalid on purpose, to test how a peer
// handles it.
type Mutation struct {
	// Name is the name that the user types.
	Name string
	// Summary is the fault in a few words.
	Summary string

	apply func(frame []byte) []byte
}

// Apply returns a new, invalid frame made from a valid request frame, which it does
// not change.
func (m Mutation) Apply(frame []byte) []byte {
	return m.apply(bytes.Clone(frame))
}

// Mutations returns all mutations, in the order of display.
func Mutations() []Mutation { return mutations }

var mutations = []Mutation{
	{"truncated", "cut in the middle", func(f []byte) []byte { return f[:len(f)/2] }},
	{"trailing-comma", "trailing comma", insertAtEnd(",")},
	{"single-quotes", "single quotes", func(f []byte) []byte {
		return bytes.ReplaceAll(f, []byte(`"`), []byte(`'`))
	}},
	{"no-version", `no "jsonrpc" member`, func(f []byte) []byte {
		return bytes.Replace(f, []byte(`"jsonrpc":"2.0",`), nil, 1)
	}},
	{"version-1", `"jsonrpc":"1.0"`, replaceText(`"jsonrpc":"2.0"`, `"jsonrpc":"1.0"`)},
	{"version-number", `"jsonrpc":2.0, a number`, replaceText(`"jsonrpc":"2.0"`, `"jsonrpc":2.0`)},
	{"id-null", `"id":null`, withID("null")},
	{"id-fraction", `"id":1.5`, withID("1.5")},
	{"id-object", `"id":{}`, withID("{}")},
	{"id-twice", `two "id" members`, insertAtEnd(`,"id":"second"`)},
	{"method-number", `"method":42`, withMethod("42")},
	{"method-empty", `"method":""`, withMethod(`""`)},
	{"params-string", `"params" is a string`, withParams(`"text"`)},
	{"params-array", `"params" is an array`, withParams(`[1,2]`)},
	{"result-too", `"method" and "result"`, insertAtEnd(`,"result":{}`)},
	{"extra-member", "extra envelope member", insertAtEnd(`,"extra":true`)},
	{"not-utf8", "invalid UTF-8 byte", insertAtEnd(",\"note\":\"caf\xe9\"")},
	{"lone-surrogate", "lone surrogate", insertAtEnd(`,"note":"\ud800"`)},
	{"nan", "NaN", insertAtEnd(`,"note":NaN`)},
	{"bom", "byte order mark", func(f []byte) []byte { return append(bytes.Clone(bom), f...) }},
	{"pretty", "spread over several lines", func(f []byte) []byte {
		return bytes.ReplaceAll(f, []byte(`,"`), []byte(",\n  \""))
	}},
	{"two-in-one", "two frames on one line", func(f []byte) []byte { return append(append(f, ' '), f...) }},
	{"batch", "a batch of two requests", func(f []byte) []byte {
		second := withID(`"second"`)(bytes.Clone(f))
		if token, ok := Member(second, "params", "_meta", "progressToken"); ok { // a progress token of a pending request would be a second fault
			at := SpanOf(second, token)
			second = append(append(bytes.Clone(second[:at.Start]), `"second"`...), second[at.End:]...)
		}
		return EncodeBatch(f, second)
	}},
	{"empty-batch", "empty batch", func([]byte) []byte { return []byte("[]") }},
	{"nested-batch", "a batch inside a batch", func(f []byte) []byte {
		return EncodeBatch(EncodeBatch(f))
	}},
	{"scalar", "a number, not an object", func([]byte) []byte { return []byte("42") }},
	{"content-length", "Content-Length header", func(f []byte) []byte {
		return append([]byte("Content-Length: 42\r\n\r\n"), f...)
	}},
	{"deep", "5,000 levels deep", insertAtEnd(`,"deep":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000))},
}

func replaceText(old, by string) func([]byte) []byte {
	return func(f []byte) []byte { return bytes.Replace(f, []byte(old), []byte(by), 1) }
}

// insertAtEnd inserts text before the closing brace.
func insertAtEnd(text string) func([]byte) []byte {
	return func(f []byte) []byte {
		end := bytes.LastIndexByte(f, '}')
		if end < 0 {
			return append(f, text...)
		}
		return append(append(bytes.Clone(f[:end]), text...), f[end:]...)
	}
}

func withID(token string) func([]byte) []byte {
	return replaceMember("id", token, func(e Envelope) Span { return e.ID.at })
}

func withMethod(token string) func([]byte) []byte {
	return replaceMember("method", token, func(e Envelope) Span {
		if e.Method.at.Start == 0 {
			return Span{}
		}
		return Span{e.Method.at.Start - 1, e.Method.at.End + 1}
	})
}

func withParams(token string) func([]byte) []byte {
	return replaceMember("params", token, func(e Envelope) Span { return e.Params })
}

// replaceMember replaces the value of a member, or adds the member.
func replaceMember(name, token string, find func(Envelope) Span) func([]byte) []byte {
	return func(f []byte) []byte {
		at := find(Scan(f))
		if !at.Present() {
			return insertAtEnd(`,"` + name + `":` + token)(f)
		}
		return append(append(bytes.Clone(f[:at.Start]), token...), f[at.End:]...)
	}
}

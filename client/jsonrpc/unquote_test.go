package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
)

var stringTokens = []string{
	`""`, `"a"`, `"é\u00e9\n\t\/\b\\\""`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\ud83dx\u0041"`, `"\ud83d\n"`,
	"\"\xff\xe2\x82\"", `"a"b"`, `"\x"`, `"\u12"`, "\"a\nb\"", `"`, `7`, `"line\nline\u000aline\r\nend\n"`, `"\u0000"`,
}

// A string has the text that encoding/json gives it, whole, appended and one by one.
func FuzzUnquote(f *testing.F) {
	for _, s := range stringTokens {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, token []byte) {
		var want string
		valid := len(token) > 0 && token[0] == '"' && token[len(token)-1] == '"' && json.Unmarshal(token, &want) == nil
		got, ok := jsonrpc.Unquote(token)
		if ok != valid || ok && got != want {
			t.Fatalf("Unquote(%q) = %q, %v; want %q, %v", token, got, ok, want, valid)
		}
		if !valid {
			return
		}
		if text, ok := jsonrpc.AppendUnquoted([]byte("x"), token); !ok || string(text) != "x"+want {
			t.Errorf("AppendUnquoted(%q) = %q, %v", token, text, ok)
		}
		if runes := string(slices.Collect(jsonrpc.Runes(token))); runes != want {
			t.Errorf("Runes(%q) = %q, want %q", token, runes, want)
		}
	})
}

// The lines of a token, put together, are its text: none is longer than was asked for, none ends
// within a character or an escape.
func FuzzNextLine(f *testing.F) {
	for _, s := range stringTokens {
		f.Add([]byte(s), uint8(4))
	}
	f.Add([]byte(`"`+strings.Repeat("aé\\ud83d\\ude00", 20)+`"`), uint8(7))
	f.Fuzz(func(t *testing.T, token []byte, most uint8) {
		want, ok := jsonrpc.Unquote(token)
		if !ok || most < 4 {
			t.Skip("not a string, or not room for each character")
		}
		var text bytes.Buffer
		for at := 1; ; {
			end, next, size, isLast := jsonrpc.NextLine(token, at, int(most))
			line, ok := jsonrpc.AppendUnquoted(nil, slices.Concat([]byte(`"`), token[at:end], []byte(`"`)))
			if !ok || len(line) > int(most) && json.Valid(token) && !strings.Contains(want, "\uFFFD") {
				t.Fatalf("%q from %d: line %q of %d bytes, %v", token, at, line, len(line), ok)
			}
			if !strings.Contains(want, "\uFFFD") && size != len(line) {
				t.Errorf("%q from %d: %d bytes, want %d", token, at, size, len(line))
			}
			text.Write(line)
			if next > end {
				text.WriteByte('\n')
			}
			if isLast {
				break
			}
			if next <= at {
				t.Fatalf("%q: the line from %d has no end", token, at)
			}
			at = next
		}
		if !strings.Contains(want, "\uFFFD") && text.String() != want {
			t.Errorf("%q: the lines are %q, want %q", token, text.String(), want)
		}
	})
}

func BenchmarkUnquote(b *testing.B) {
	tokens := map[string][]byte{
		"plain":   []byte(`"` + strings.Repeat("the measurement of something ", 40) + `"`),
		"escapes": []byte(`"` + strings.Repeat(`the \"measurement\" of \u00e9, é\n`, 40) + `"`),
	}
	for name, token := range tokens {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(token)))
			for b.Loop() {
				_, _ = jsonrpc.Unquote(token)
			}
		})
		b.Run(name+"-encoding/json", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(token)))
			for b.Loop() {
				var s string
				_ = json.Unmarshal(token, &s)
			}
		})
	}
}

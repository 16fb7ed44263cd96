package paint

import (
	"embed"
	"io/fs"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

//go:embed lexers/*.xml
var definitions embed.FS

// registry returns the lexers. It reads only the names in each definition. The rules of a language
// are read and compiled when a text in the language is displayed.
var registry = sync.OnceValue(func() *chroma.LexerRegistry {
	all := chroma.NewLexerRegistry()
	names, err := fs.Glob(definitions, "lexers/*.xml")
	if err != nil {
		return all // never fails: the pattern is well-formed
	}
	for _, name := range names {
		if l, err := chroma.NewXMLLexer(definitions, name); err == nil {
			all.Register(l)
		}
	}
	return all
})

// findLexer returns the lexer for a kind of text, or nil if there is none. kind is a media type
// without parameters ("application/json"), a language or a file name, in lower case.
func findLexer(kind string) chroma.Lexer {
	if kind == "" || kind == "text/plain" {
		return nil
	}
	if _, sub, ok := strings.Cut(kind, "/"); ok {
		if l := registry().MatchMimeType(kind); l != nil {
			return l
		}
		if _, suffix, ok := strings.Cut(sub, "+"); ok {
			return registry().Get(suffix)
		}
		if l := registry().Get(strings.TrimPrefix(sub, "x-")); l != nil {
			return l
		}
	}
	return registry().Get(kind)
}

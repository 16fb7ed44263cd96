// Package lexers holds the lexers of the languages that results and schemas of
// MCP servers are usually written in. The package of Chroma that holds all of its
// lexers reads several hundred of them when the program starts; the ones here are
// read when the first text is highlighted.
//
// The definitions of all languages but Go and Markdown are files of Chroma,
// Copyright (C) 2017 Alec Thomas, under the MIT license in the file COPYING. A test
// compares them with the version of Chroma in go.mod, and its flag -update copies
// them.
//
// Tests: ui/parts/lexers_test.go
package lexers

import (
	"embed"
	"io/fs"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

//go:embed *.xml
var definitions embed.FS

// registry reads what each definition is called. Its rules are read and compiled
// when a text in its language is.
var registry = sync.OnceValue(func() *chroma.LexerRegistry {
	all := chroma.NewLexerRegistry()
	names, err := fs.Glob(definitions, "*.xml")
	if err != nil {
		return all // the pattern is well-formed
	}
	for _, name := range names {
		if l, err := chroma.NewXMLLexer(definitions, name); err == nil {
			all.Register(l)
		}
	}
	return all
})

// Find returns the lexer for a media type without parameters
// ("application/json"), a language or a file name, in lower case, or nil for
// others.
func Find(kind string) chroma.Lexer {
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

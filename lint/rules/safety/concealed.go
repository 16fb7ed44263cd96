package safety

import (
	"bytes"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// concealed matches text that models read and users may not see: HTML comments, and encoded text.
var concealed = lazyregexp.New(`<!--[^\w\n]*\w.*?-->|[A-Za-z0-9+/]{160,}={0,2}|(\\x[0-9a-fA-F]{2}){8,}`)

// unread are members of media and of addresses, which no model reads as text.
var unread = []any{"src", "data", "blob", "uri"}

// concealedText finds such a text in the instructions, and the first one in each entry of a list.
func concealedText(c *lint.Context) {
	inModelTexts(c, mayConceal, func(path []any, text string) bool {
		found := concealed().FindString(text)
		if found == "" || isWord(found) || slices.Contains(unread, path[len(path)-1]) {
			return false
		}
		at := lint.At(path...)
		c.Report(at, "place", at.Path(), "text", lint.Quoted(phrase.Clip(found, maxShownText)))
		return true
	})
}

// maxShownText bounds the part of a text that a message quotes, in characters.
const maxShownText = 80

// inModelTexts calls visit for the texts that a server writes for a model. These are the
// instructions, and the strings of each entry of a list. For an entry, it stops when visit returns
// true. It skips string tokens for which may returns false.
func inModelTexts(c *lint.Context, may func(token []byte) bool, visit func(path []any, text string) bool) {
	unquoted := func(path []any, token []byte) bool {
		text, _ := jsonrpc.Unquote(token)
		return visit(path, text)
	}
	list, isList := revision.ListOf(c.M.Method)
	if !isList {
		visitStrings(c.M.Get(c.M.Result, "instructions"), []any{"result", "instructions"}, may, unquoted)
		return
	}
	for i, item := range lint.Indexed(c.M.Get(c.M.Result, list.Member)) {
		visitStrings(item, []any{"result", list.Member, i}, may, unquoted)
	}
}

// isWord reports whether a text that could be base64 has letters of one case, or no digit: a run of letters.
func isWord(text string) bool {
	return text[0] != '<' && text[0] != '\\' &&
		(!strings.ContainsAny(text, "0123456789") || strings.ToLower(text) == text || strings.ToUpper(text) == text)
}

// mayConceal reports whether a string token may hold such a text: "<", as itself or escaped, a backslash, or its length.
func mayConceal(token []byte) bool { return len(token) > 160 || bytes.ContainsAny(token, `<\`) }

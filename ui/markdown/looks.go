package markdown

import (
	"strings"

	"mcptea/internal/lazyregexp"
)

var (
	heading  = lazyregexp.New(`^#{1,6} +\S`)
	listItem = lazyregexp.New(`^ {0,8}(?:[-*+]|\d{1,3}[.)]) +\S`)
	inline   = lazyregexp.New("\\*\\*[^\\s*][^*\n]*\\*\\*|\\[[^\\]\n]+\\]\\((?:https?:|/|#|\\.)[^)\\s]*\\)")
	divider  = lazyregexp.New(`^ {0,3}\|?(?: *:?-{2,}:? *\|)+(?: *:?-{2,}:? *)?$`)
	codeSpan = lazyregexp.New("(?:^|[\\s(])`[^`\n]+`(?:$|[\\s).,:;!?])")
)

// maxLooked is the number of bytes of a text that [Looks] reads.
const maxLooked = 8 << 10

// Looks reports whether a text without a media type looks like Markdown. One fence, table, strong emphasis,
// link, or heading followed by an empty line is enough; list items and code in backquotes must occur twice,
// because logs and plain text contain single ones. The start of a long text decides.
func Looks(text string) bool {
	text = text[:min(len(text), maxLooked)]
	signs, table := 0, false
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		last := i+1 == len(lines)
		switch {
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
			return true
		case strings.HasPrefix(line, "#") && heading().MatchString(line):
			if signs++; last || strings.TrimSpace(lines[i+1]) == "" {
				return true
			}
		case table && divider().MatchString(line):
			return true
		case listItem().MatchString(line):
			signs++
		}
		table = strings.Contains(line, "|")
		if strings.ContainsAny(line, "*[") && inline().MatchString(line) {
			return true
		}
		if strings.Contains(line, "`") && codeSpan().MatchString(line) {
			signs++
		}
		if signs >= 2 {
			return true
		}
	}
	return false
}

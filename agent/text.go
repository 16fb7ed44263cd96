package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mcptea/internal/words/phrase"
	"mcptea/record"
	"mcptea/record/store"
)

// The sizes of texts in results, in bytes.
const (
	defaultText = 4_000
	maxText     = 100_000
)

// size returns the size that a caller has chosen.
func size(n int) int {
	if n <= 0 {
		return defaultText
	}
	return min(n, maxText)
}

// clip cuts a text at a number of bytes and makes it valid UTF-8.
func clip(s string, most int) string {
	return phrase.Clip(strings.ToValidUTF8(s, "�"), most)
}

// part returns a range of a text and where the next one begins; 0 at the end.
func part(text []byte, offset, most int) (piece string, next int) {
	offset = min(max(offset, 0), len(text))
	end := min(len(text), offset+most)
	if end < len(text) {
		end = runeStart(text, offset, end)
		next = end
	}
	return strings.ToValidUTF8(string(text[offset:end]), "�"), next
}

// runeStart returns the start of the character at end, so that no character is cut. It returns end
// itself if the bytes are not UTF-8, or if nothing after start would remain.
func runeStart(text []byte, start, end int) int {
	for at := end; at > start && at > end-utf8.UTFMax; at-- {
		if utf8.RuneStart(text[at]) {
			if _, size := utf8.DecodeRune(text[at:]); at+size > end {
				return at
			}
			break
		}
	}
	return end
}

// tokensOf estimates the tokens of a text: four bytes each.
func tokensOf(text string) int { return (len(text) + 3) / 4 }

// stderr returns the last lines that the server has written to stderr.
func (c *connection) stderr(most int) []string {
	st := c.s.Store()
	total, _ := st.Logs()
	var lines []string
	for i := total - 1; i >= 0 && len(lines) < most; i-- {
		l, ok := st.LogAt(i)
		if !ok {
			break
		}
		if l.Source == store.LogStderr {
			lines = append([]string{clip(l.Text, 400)}, lines...)
		}
	}
	return lines
}

// severities counts the findings of a connection.
func (c *connection) severities() string {
	counts := map[record.Severity]int{}
	for _, g := range c.s.Findings().Groups {
		if !g.Muted && !g.Newest.Self {
			counts[g.Severity] += g.Count
		}
	}
	var texts []string
	for _, s := range []record.Severity{record.SeverityError, record.SeverityWarning, record.SeverityInfo} {
		if n := counts[s]; n > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return strings.Join(texts, ", ")
}

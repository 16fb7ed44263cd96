package content

import (
	"math"

	"mcptea/client/jsonrpc"
)

// maxDecoded is the size in bytes above which a text is not decoded before it is needed: see
// [Text.Lines].
const maxDecoded = 1 << 20

// longestLine is how many bytes of a long text are at most one line; a text without line feeds
// would else be decoded as a whole.
const longestLine = 4 << 10

// Lines are the lines of a long text, of which only those that are asked for are in memory. What
// is longer than 4 KiB is several lines.
type Lines struct {
	token  []byte
	groups []int32 // where the first lines of the groups begin
	lines  int
	size   int // of the text, in bytes
}

// newLines finds the lines of a JSON string token. It reports false for one that is too long.
func newLines(token []byte) (*Lines, bool) {
	if len(token) > math.MaxInt32 {
		return nil, false
	}
	l := &Lines{token: token}
	for at := 1; ; {
		if l.lines%jsonrpc.GroupSize == 0 {
			l.groups = append(l.groups, int32(at)) //nolint:gosec // see above
		}
		end, next, size, isLast := jsonrpc.NextLine(token, at, longestLine)
		l.lines++
		l.size += size
		if next > end {
			l.size++ // the line feed
		}
		if isLast {
			return l, true
		}
		at = next
	}
}

// Lines is the number of lines.
func (l *Lines) Lines() int { return l.lines }

// Group returns the lines of a group, without their ends: [jsonrpc.GroupSize] of them, but for the last
// one.
func (l *Lines) Group(n int) []string {
	lines := make([]string, 0, jsonrpc.GroupSize)
	at, quoted := int(l.groups[n]), []byte(nil)
	for len(lines) < jsonrpc.GroupSize {
		end, next, _, isLast := jsonrpc.NextLine(l.token, at, longestLine)
		quoted = append(append(append(quoted[:0], '"'), l.token[at:end]...), '"')
		line, _ := jsonrpc.Unquote(quoted)
		lines = append(lines, line)
		if isLast {
			break
		}
		at = next
	}
	return lines
}

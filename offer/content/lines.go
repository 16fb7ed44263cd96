package content

import (
	"math"

	"mcptea/client/jsonrpc"
)

// maxDecoded is the size in bytes above which a text is not decoded before it is needed: see
// [Text.Lines].
const maxDecoded = 1 << 20

// longestLine is the maximum length of a line of a long text, in bytes. Otherwise a text without line feeds
// would be decoded as a whole.
const longestLine = 4 << 10

// Lines holds the lines of a long text. Only requested lines are decoded. A line longer than 4 KiB becomes
// several.
type Lines struct {
	token  []byte
	groups []int32 // first lines of the groups
	lines  int
	size   int // bytes of the text
}

// newLines finds the lines of a JSON string token. It returns false if the token is too long.
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

// Lines returns the number of lines.
func (l *Lines) Lines() int { return l.lines }

// Group returns the lines of a group, without line endings: [jsonrpc.GroupSize] lines, or fewer in the last
// group.
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

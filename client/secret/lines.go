package secret

import "strings"

// Lines redacts the lines of a stream one after the other, including values that continue in the next line. The
// zero value is at the start of a stream. It is not safe for concurrent use.
type Lines struct {
	open []partial // secrets that may have started at the end of the previous line
}

// Redact returns the next line with the values redacted, as [Values.Redact] does.
func (l *Lines) Redact(v *Values, line string) string {
	m := v.searched()
	if len(l.open) == 0 {
		line, l.open = m.redact(line)
		return line
	}
	length, all := 0, []partial(nil)
	for _, p := range l.open {
		rest := strings.TrimLeft(p.text[p.length:], "\r\n")
		switch n := p.continued(rest, line); {
		case n == len(rest):
			length = max(length, n)
		case n == len(line) && n > 0:
			length = max(length, n)
			all = append(all, partial{p.needle, len(p.text) - len(rest) + n})
		}
	}
	rest, open := m.redact(line[length:])
	l.open = append(all, open...)
	if length > 0 {
		return Mark + rest
	}
	return rest
}

// continued returns the number of bytes at the start of a line that continue the needle with rest.
func (p partial) continued(rest, line string) int {
	for i := range min(len(rest), len(line)) {
		if folded[line[i]] != rest[i] {
			return i
		}
	}
	return min(len(rest), len(line))
}

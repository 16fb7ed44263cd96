package diff

import (
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
)

// place is where a value is.
type place struct {
	parts []string // of a JSON Pointer, unescaped
	names []string // for reading: a member's name, or [identity]
}

func (p *place) down(c *child, array bool, identity string) {
	part, name := c.name, c.name
	if array {
		part = strconv.Itoa(c.index)
		if name = "[" + part + "]"; identity != "" {
			name = "[" + identity + "]"
		}
	}
	p.parts, p.names = append(p.parts, part), append(p.names, name)
}

func (p *place) up() { p.parts, p.names = p.parts[:len(p.parts)-1], p.names[:len(p.names)-1] }

func (p *place) pointer() string { return jsonrpc.JoinPointer(p.parts) }

// String is the place for reading.
func (p *place) String() string {
	var b strings.Builder
	for i, name := range p.names {
		switch {
		case strings.HasPrefix(name, "["):
		case !isPlainName(name):
			name = "[" + strconv.Quote(name) + "]"
		case i > 0:
			b.WriteByte('.')
		}
		b.WriteString(name)
	}
	return b.String()
}

func isPlainName(name string) bool {
	for i := range len(name) {
		ch := name[i]
		if !(ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch == '_' || ch == '$' || i > 0 && (ch >= '0' && ch <= '9' || ch == '-')) {
			return false
		}
	}
	return name != ""
}

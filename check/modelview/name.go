package modelview

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// name returns the name of the tool in the host.
func (b *builder) name() string {
	h := b.Host
	prefix := strings.ReplaceAll(h.Prefix, "{server}", b.Server)
	if h.PrefixMax > 0 && len(prefix) > h.PrefixMax {
		prefix = strings.TrimRight(strings.ToValidUTF8(prefix[:h.PrefixMax-1], ""), "_") + "_"
	}
	name := prefix + b.tool.Name
	if h.Replace != "" {
		name = strings.Map(func(r rune) rune {
			if isAllowed(r, h.Replace) {
				return r
			}
			return '_'
		}, name)
	}
	if h.Middle > 0 && len(name) > h.Middle {
		name = name[:28] + "___" + name[len(name)-32:]
	}
	return name
}

func isAllowed(r rune, more string) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(more, r)
}

// fault returns the problem of a name, or "".
func (f *Fact) fault(name string) string {
	if n := utf8.RuneCountInString(name); f.Max > 0 && n > f.Max {
		return strconv.Itoa(n) + " characters"
	}
	if name == "" {
		return "no name"
	}
	for i, r := range name {
		if !isAllowed(r, f.Allowed) || i == 0 && f.Letter && ('0' <= r && r <= '9' || r != '_' && !isAllowed(r, "")) {
			return strconv.Quote(string(r))
		}
	}
	return ""
}

// checkName checks the name that the model sees.
func (b *builder) checkName() {
	t := b.tool
	b.each("name", func(f *Fact) {
		if fault := f.fault(t.Sent); fault != "" {
			b.note(f, Place{Found: fault})
		}
	})
	b.each("name-length", func(f *Fact) {
		n := len([]rune(t.Sent))
		if f.Pair {
			n = utf8.RuneCountInString(b.Server) + utf8.RuneCountInString(t.Name)
		}
		if n > f.Max {
			b.note(f, Place{Found: strconv.Itoa(n) + " characters"})
		}
	})
	if !strings.HasSuffix(t.Sent, t.Name) {
		b.report("renamed", Place{Found: t.Sent})
	}
}

// count checks the properties of all tools together.
func (b *builder) count() {
	sent, n := map[string]string{}, 0
	for i := range b.Tools {
		t := &b.Tools[i]
		if t.LeftOut {
			continue
		}
		n++
		if other, ok := sent[t.Sent]; ok {
			b.report("unique", Place{Tool: t.Name, Other: other, Found: t.Sent})
		}
		sent[t.Sent] = t.Name
	}
	b.each("tools", func(f *Fact) {
		if n > f.Max {
			b.note(f, Place{Found: strconv.Itoa(n) + " tools"})
		}
	})
}

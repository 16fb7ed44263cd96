package jsonview

func skipSpace(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ' ', '\n', '\t', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// trimSpace gives the place after the last byte before i that is no blank.
func trimSpace(b []byte, i int) int {
	for i > 0 {
		switch b[i-1] {
		case ' ', '\n', '\t', '\r':
			i--
		default:
			return i
		}
	}
	return i
}

// special marks the bytes that a string scanner has to stop at.
var special = func() (t [256]bool) {
	for c := range 0x20 {
		t[c] = true
	}
	t['"'], t['\\'] = true, true
	return t
}()

// str checks the string at i and gives its end.
func (p *parser) str(i int) int {
	b := p.b
	for i++; i < len(b); {
		c := b[i]
		if !special[c] {
			i++
			continue
		}
		switch {
		case c == '"':
			return i + 1
		case c != '\\':
			p.failAt(i, "%s in a string", show(c))
			return i
		}
		n := escape(b[i:])
		if n == 0 {
			if i+6 > len(b) {
				p.failAt(len(b), "unexpected end in a string")
			} else {
				p.failAt(i, "wrong escape in a string")
			}
			return i
		}
		i += n
	}
	p.failAt(len(b), "unexpected end in a string")
	return len(b)
}

// escape is the length of the escape at the start of b, 0 if it is not one.
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) < 6 {
			return 0
		}
		for _, c := range b[2:6] {
			if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
				return 0
			}
		}
		return 6
	}
	return 0
}

func (p *parser) number(i int) int {
	b := p.b
	if b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	default:
		i = p.digits(i)
	}
	if i < len(b) && b[i] == '.' {
		i = p.digits(i + 1)
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		i = p.digits(i)
	}
	return i
}

func (p *parser) digits(i int) int {
	start := i
	for i < len(p.b) && p.b[i] >= '0' && p.b[i] <= '9' {
		i++
	}
	if i == start {
		if i < len(p.b) {
			p.failAt(i, "expected a digit, found %s", show(p.b[i]))
		} else {
			p.failAt(i, "unexpected end in a number")
		}
	}
	return i
}

func (p *parser) literal(i int, word string) int {
	for k := range len(word) {
		switch {
		case i+k >= len(p.b):
			p.failAt(i+k, "unexpected end in %q", word)
			return i
		case p.b[i+k] != word[k]:
			p.failAt(i+k, "expected %q", word)
			return i
		}
	}
	return i + len(word)
}

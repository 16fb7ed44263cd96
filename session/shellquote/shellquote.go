package shellquote

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shell is a way to quote.
type Shell uint8

// The shells.
const (
	Bash       Shell = iota // and zsh, ksh, BusyBox: $'…' with escapes
	POSIX                   // no escapes but those of printf
	Fish                    // escapes outside of quotes
	PowerShell              // from version 7.3 on, which passes quotes on
)

// Of returns the shell with a path such as that in $SHELL; system is a GOOS.
// Without a path it is the usual one of the system.
func Of(path, system string) Shell {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(strings.ReplaceAll(path, `\`, "/"))), ".exe")
	switch name {
	case "bash", "zsh", "ksh", "ksh93", "mksh", "ash", "rbash":
		return Bash
	case "fish":
		return Fish
	case "pwsh", "powershell":
		return PowerShell
	case ".", "":
		if system == "windows" {
			return PowerShell
		}
		return Bash
	}
	return POSIX
}

// Piece is a part of a word: a text, or the value of an environment variable.
type Piece struct {
	Text     string
	Variable string // its name; Text is ignored then
}

// Word is one argument of a command.
type Word []Piece

// literal is a word of one text.
func literal(text string) Word { return Word{{Text: text}} }

// Literals makes a word of each text.
func Literals(texts ...string) []Word {
	words := make([]Word, len(texts))
	for i, t := range texts {
		words[i] = literal(t)
	}
	return words
}

// Join writes a command line. An error says which text cannot be written for the
// shell.
func (s Shell) Join(words []Word) (string, error) {
	quoted := make([]string, len(words))
	for i, w := range words {
		var err error
		if quoted[i], err = s.quote(w); err != nil {
			return "", err
		}
	}
	return strings.Join(quoted, " "), nil
}

// quote writes a word.
func (s Shell) quote(w Word) (string, error) {
	special, plain := false, len(w) > 0
	for _, p := range w {
		if strings.IndexByte(p.Text, 0) >= 0 {
			return "", errors.New("a NUL character cannot be in an argument")
		}
		special = special || p.Variable == "" && !isQuotable(p.Text)
		plain = plain && p.Variable == "" && s.isPlain(p.Text)
	}
	if plain && len(w) == 1 {
		return w[0].Text, nil
	}
	switch {
	case s == PowerShell:
		return powerShell(w, special)
	case s == POSIX && special:
		return printf(w)
	}
	var b strings.Builder
	for _, p := range w {
		switch {
		case p.Variable != "":
			b.WriteString(`"$` + p.Variable + `"`)
		case p.Text == "" && len(w) > 1:
		case s.isPlain(p.Text):
			b.WriteString(p.Text)
		case isQuotable(p.Text):
			b.WriteString("'" + p.Text + "'")
		case s == Fish:
			fish(&b, p.Text)
		default:
			ansiC(&b, p.Text)
		}
	}
	if b.Len() == 0 {
		return "''", nil
	}
	return b.String(), nil
}

// isPlain reports whether a text is one word without quotes.
func (s Shell) isPlain(text string) bool {
	more := "_-./:=@%+,"
	if s == PowerShell || s == Fish {
		more = "_-/"
	}
	for i, c := range text {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (!strings.ContainsRune(more, c) || i == 0 && strings.ContainsRune("=@%+,:", c)) {
			return false
		}
	}
	return text != ""
}

// isQuotable reports whether a text means the same between single quotes in all
// shells, and shows as what it is. PowerShell takes the typographic quotes for
// quotes, fish knows the backslash, and csh the exclamation mark.
func isQuotable(text string) bool {
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"), r == '\'', r == '\\', r == '!', r >= 0x2018 && r <= 0x201f, !isVisible(r):
			return false
		}
	}
	return true
}

// isVisible reports whether a character is printable. Controls, format
// characters such as those of the text direction, separators of lines, and all
// blanks but the ASCII one are not. Nor are the characters that fill a place
// without a sign.
func isVisible(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0:
		return false
	}
	return unicode.IsPrint(r) && !unicode.Is(unicode.Variation_Selector, r)
}

// eachByte calls write for the characters of a text: printable ones as they
// are, and others byte by byte. What a caller wants as bytes is in escaped.
func eachByte(text, escaped string, visible func(c string), hidden func(b byte)) {
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if isVisible(r) && (r != utf8.RuneError || n > 1) && !strings.ContainsRune(escaped, r) && (r < 0x2018 || r > 0x201f) {
			visible(text[:n])
		} else {
			for i := range n {
				hidden(text[i])
			}
		}
		text = text[n:]
	}
}

// ansiC writes $'…' with octal escapes, which have three digits in all shells.
func ansiC(b *strings.Builder, text string) {
	b.WriteString("$'")
	eachByte(text, `'\!`, func(c string) { b.WriteString(c) }, func(c byte) { fmt.Fprintf(b, `\%03o`, c) })
	b.WriteByte('\'')
}

// fish writes single quotes with escapes between them.
func fish(b *strings.Builder, text string) {
	open := false
	eachByte(text, `'\!`, func(c string) {
		if !open {
			b.WriteByte('\'')
			open = true
		}
		b.WriteString(c)
	}, func(c byte) {
		if open {
			b.WriteByte('\'')
			open = false
		}
		fmt.Fprintf(b, `\X%02x`, c)
	})
	if open {
		b.WriteByte('\'')
	}
}

// printf has printf of POSIX write a word. The shell takes line ends off the end
// of what a command writes.
func printf(w Word) (string, error) {
	var b strings.Builder
	for _, p := range w {
		switch {
		case p.Variable != "":
			b.WriteString(`"$` + p.Variable + `"`)
			continue
		case isQuotable(p.Text):
			b.WriteString("'" + p.Text + "'")
			continue
		case strings.HasSuffix(p.Text, "\n"):
			return "", errors.New("an argument with a line end at its end cannot be written for this shell")
		}
		b.WriteString(`"$(printf '`)
		eachByte(p.Text, `'\!%`, func(c string) { b.WriteString(c) }, func(c byte) { fmt.Fprintf(&b, `\%03o`, c) })
		b.WriteString(`')"`)
	}
	return b.String(), nil
}

// powerShell writes single quotes, or double ones in which all that is not a
// letter, a digit or harmless is the number of a character.
func powerShell(w Word, special bool) (string, error) {
	if !special && len(w) == 1 && w[0].Variable == "" {
		return "'" + w[0].Text + "'", nil
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, p := range w {
		if p.Variable != "" {
			b.WriteString("${env:" + p.Variable + "}")
			continue
		}
		if !utf8.ValidString(p.Text) {
			return "", errors.New("an argument that is not UTF-8 cannot be written for PowerShell")
		}
		for _, r := range p.Text {
			switch letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'; {
			case letter || strings.ContainsRune(" _-./:=+,{}[]", r):
				b.WriteRune(r)
			case r > 0xffff:
				fmt.Fprintf(&b, "$([char]::ConvertFromUtf32(%d))", r)
			default:
				fmt.Fprintf(&b, "$([char]%d)", r)
			}
		}
	}
	b.WriteByte('"')
	return b.String(), nil
}

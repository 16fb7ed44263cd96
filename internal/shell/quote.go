package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is a way to quote: a row of the table of syntaxes.
type Kind uint8

// The shells.
const (
	Bash       Kind = iota // also zsh, ksh, BusyBox: $'…' with escapes
	POSIX                  // understands only the escapes of printf
	Fish                   // escapes outside of quotes
	PowerShell             // version 7.3 and later, which passes quotes on
)

// A syntax is the quoting syntax of a shell.
type syntax struct {
	names   []string // names of its program
	plain   string   // characters that need no quotes, besides letters and digits
	escaped string   // visible characters that are escaped, too
	// A text that cannot be between single quotes is between open and end, with the
	// escape for each byte that is not visible.
	open, escape, end string
	outside           bool // the escapes are outside of open and end
}

const unixPlain = "_-./:=@%+,"

var syntaxes = [...]syntax{
	Bash:       {[]string{"bash", "zsh", "ksh", "ksh93", "mksh", "ash", "rbash"}, unixPlain, `'\!`, "$'", `\%03o`, "'", false},
	POSIX:      {nil, unixPlain, `'\!%`, `"$(printf -- '`, `\%03o`, `')"`, false},
	Fish:       {[]string{"fish"}, "_-/", `'\!`, "'", `\X%02x`, "'", true},
	PowerShell: {names: []string{"pwsh", "powershell"}, plain: "_-/"},
}

// Of returns the shell with a path such as that in $SHELL; system is a GOOS.
// Without a path it is the usual one of the system.
func Of(path, system string) Kind {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(strings.ReplaceAll(path, `\`, "/"))), ".exe")
	if name == "." || name == "" {
		if system == "windows" {
			return PowerShell
		}
		return Bash
	}
	if i := slices.IndexFunc(syntaxes[:], func(s syntax) bool { return slices.Contains(s.names, name) }); i >= 0 {
		return Kind(i)
	}
	return POSIX
}

// OfUser returns the shell of this machine's user.
func OfUser() Kind { return Of(os.Getenv("SHELL"), runtime.GOOS) }

// Piece is a part of a word: a text, or the value of an environment variable.
type Piece struct {
	Text     string
	Variable string // name of the variable; if set, Text is ignored
}

// Word is one argument of a command.
type Word []Piece

// literal returns a word of one text.
func literal(text string) Word { return Word{{Text: text}} }

// Literals makes a word of each text.
func Literals(texts ...string) []Word {
	words := make([]Word, len(texts))
	for i, t := range texts {
		words[i] = literal(t)
	}
	return words
}

// Join writes a command line. The error names a text that cannot be written for the shell.
func (s Kind) Join(words []Word) (string, error) {
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
func (s Kind) quote(w Word) (string, error) {
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
	if s == PowerShell {
		return powerShell(w, special)
	}
	// A word with printf is quoted as a whole, so that the shell does not split it.
	quoteAll := s == POSIX && special
	var b strings.Builder
	for _, p := range w {
		switch {
		case p.Variable != "":
			b.WriteString(`"$` + p.Variable + `"`)
		case p.Text == "" && len(w) > 1 && !quoteAll:
		case s.isPlain(p.Text) && !quoteAll:
			b.WriteString(p.Text)
		case isQuotable(p.Text):
			b.WriteString("'" + p.Text + "'")
		case quoteAll && strings.HasSuffix(p.Text, "\n"):
			// The shell removes line ends at the end of printf's output.
			return "", errors.New("an argument with a line end at its end cannot be written for this shell")
		default:
			syntaxes[s].write(&b, p.Text)
		}
	}
	if b.Len() == 0 {
		return "''", nil
	}
	return b.String(), nil
}

// isPlain reports whether a text is one word without quotes.
func (s Kind) isPlain(text string) bool {
	for i, c := range text {
		if !isAlphanumeric(c) && (!strings.ContainsRune(syntaxes[s].plain, c) || i == 0 && strings.ContainsRune("=@%+,:", c)) {
			return false
		}
	}
	return text != ""
}

func isAlphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// isQuotable reports whether a text has the same meaning between single quotes in all shells, and
// is visible. PowerShell treats typographic quotes as quotes. fish interprets the backslash, and
// csh the exclamation mark.
func isQuotable(text string) bool {
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"), r == '\'', r == '\\', r == '!', r >= 0x2018 && r <= 0x201f, !isVisible(r):
			return false
		}
	}
	return true
}

// isVisible reports whether a character is printable. Control characters, format characters (such
// as marks of the text direction), line separators, and all blanks except the ASCII one are not.
// Neither are characters that fill a cell without a glyph.
func isVisible(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0:
		return false
	}
	return unicode.IsPrint(r) && !unicode.Is(unicode.Variation_Selector, r)
}

// write writes a text with escapes.
func (s *syntax) write(b *strings.Builder, text string) {
	open := false
	quote := func(on bool) {
		if on && !open {
			b.WriteString(s.open)
		} else if open && !on {
			b.WriteString(s.end)
		}
		open = on
	}
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		visible := isVisible(r) && (r != utf8.RuneError || n > 1) && !strings.ContainsRune(s.escaped, r) && (r < 0x2018 || r > 0x201f)
		quote(visible || !s.outside)
		if visible {
			b.WriteString(text[:n])
		} else {
			for i := range n {
				fmt.Fprintf(b, s.escape, text[i])
			}
		}
		text = text[n:]
	}
	quote(false)
}

// powerShell quotes with single quotes if possible. Otherwise it uses double quotes, and writes
// characters other than letters, digits and harmless signs as numbers.
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
			switch {
			case isAlphanumeric(r) || strings.ContainsRune(" _-./:=+,{}[]", r):
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

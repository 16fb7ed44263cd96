package secret

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// needle is a text to search for: a value, or an encoding of one. Escaped forms are not needles: the text is
// searched again with its escapes undone.
type needle struct {
	text   string // letters of ASCII in lower case
	exact  string // the text in its own case if only that counts, else empty
	word   bool   // match only without an adjacent letter, digit or underscore
	base64 bool   // the character on each side may have bits of the value
	// borders holds a length for each beginning of the text: the length of the longest shorter
	// beginning that is also its end. It is nil if the text has at most maxCompared bytes.
	borders []int32
}

// maxCompared is the length of the longest needle that is compared at each place of a text, in bytes. A longer one
// is followed through the text in the way of Knuth, Morris and Pratt: the time of comparisons would grow with the
// product of both lengths if both repeat, such as a text and a value of digits 1.
const maxCompared = 64

// bordersOf returns the borders of a text.
func bordersOf(text string) []int32 {
	borders := make([]int32, len(text)+1)
	length := int32(0)
	for i := 1; i < len(text); i++ {
		for length > 0 && text[i] != text[length] {
			length = borders[length]
		}
		if text[i] == text[length] {
			length++
		}
		borders[i+1] = length
	}
	return borders
}

// Line lengths of Base64 as written by MIME and PEM.
var base64Lines = []int{76, 64}

// needlesOf returns the texts to search for to find a value: the value in any case and in both normalization
// forms of Unicode, each of its lines, with "+" for blanks as in a query, without its own escapes, as
// characters of ISO 8859-1, in hexadecimal digits, and in Base64 at each position among other bytes. For a
// value shorter than minValue, these are only the word and its digits. A value that looks like an ordinary word
// is only searched as a whole word, so "secret" is not found in client_secret_basic.
func needlesOf(value string) (all []*needle) {
	seen := map[string]bool{}
	add := func(n needle, least int) {
		if len(n.text) >= least && !seen[n.text] {
			seen[n.text] = true
			if len(n.text) > maxCompared {
				n.borders = bordersOf(n.text)
			}
			all = append(all, &n)
		}
	}
	if len(value) < minValue {
		add(needle{text: lower(value), exact: value, word: true}, headLength)
		add(needle{text: hex.EncodeToString([]byte(value))}, minValue)
		return all
	}
	plain := []string{value}
	if undone := withoutEscapes(value); undone != value {
		plain = append(plain, undone)
	}
	for _, text := range slices.Clone(plain) {
		for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
			plain = append(plain, strings.TrimSpace(line)) // the text itself, if the line contains it
		}
	}
	for _, text := range slices.Clone(plain) {
		if strings.Contains(text, " ") {
			plain = append(plain, strings.ReplaceAll(text, " ", "+"))
		}
	}
	for _, text := range plain {
		for _, same := range spellings(text) {
			add(needle{text: lower(same), word: isPlainWord(same)}, minValue)
		}
	}
	digits := hex.EncodeToString([]byte(value))
	add(needle{text: digits}, minValue)
	for _, separator := range []string{":", " "} {
		add(needle{text: separated(digits, separator)}, minValue)
	}
	for shift := range 3 {
		std, inURL := base64At(value, shift)
		add(needle{text: lower(std), base64: true}, minValue)
		add(needle{text: lower(inURL), base64: true}, minValue)
		if shift == 0 {
			for _, width := range base64Lines {
				for line := range slices.Chunk([]byte(std), width) {
					if len(std) > width {
						add(needle{text: lower(string(line)), base64: true}, minValue)
					}
				}
			}
		}
	}
	return all
}

// spellings returns a text in the cases and normalization forms that a program may use when it
// repeats the text. ASCII letters keep their case.
func spellings(text string) []string {
	if isASCII(text) || !utf8.ValidString(text) {
		return []string{text}
	}
	all := []string{latin1(text)}
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		all = append(all, form.String(text), strings.ToLower(form.String(text)), strings.ToUpper(form.String(text)))
	}
	return append(all, text)
}

// maxPlainWord is the maximum length of a value that counts as an ordinary word.
const maxPlainWord = 12

// isPlainWord reports whether a value consists of lower-case letters, except that the first may be a capital.
func isPlainWord(text string) bool {
	for i := range len(text) {
		if !isLetter(text[i]) || i > 0 && text[i] < 'a' {
			return false
		}
	}
	return len(text) <= maxPlainWord
}

// lower returns a text with the ASCII letters in lower case.
func lower(text string) string {
	b := []byte(text)
	for i := range b {
		b[i] = folded[b[i]]
	}
	return string(b)
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

func separated(digits, separator string) string {
	var b strings.Builder
	for i := 0; i < len(digits); i += 2 {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(digits[i : i+2])
	}
	return b.String()
}

// base64At returns the part of the Base64 of a value that does not depend on the text around it. shift is the
// number of bytes before the value, modulo 3. The part has the characters whose bits all come from the value.
func base64At(value string, shift int) (std, inURL string) {
	bytes := append(make([]byte, shift), value...)
	from, to := (8*shift+5)/6, 8*len(bytes)/6
	return base64.RawStdEncoding.EncodeToString(bytes)[from:to], base64.RawURLEncoding.EncodeToString(bytes)[from:to]
}

// common returns how many bytes a text and a needle have in common at their beginning.
func common[T string | []byte](n *needle, text T) int {
	for i := range len(text) {
		if folded[text[i]] != n.text[i] {
			return i
		}
	}
	return len(text)
}

// isWordEnd reports a letter, a digit or an underscore; a byte of a character that is not ASCII counts as
// a letter.
func isWordEnd(ch byte) bool {
	return isLetter(ch) || ch >= '0' && ch <= '9' || ch == '_' || ch >= utf8.RuneSelf
}

// widened returns a range extended by the adjacent characters that may contain bits of the needle's value.
func widened[T string | []byte](n *needle, text T, at span) span {
	if !n.base64 {
		return at
	}
	if at.start > 0 && isBase64(text[at.start-1]) {
		at.start--
	}
	if at.end < len(text) && isBase64(text[at.end]) {
		at.end++
	}
	for range 2 {
		if at.end < len(text) && text[at.end] == '=' {
			at.end++
		}
	}
	return at
}

func isBase64(ch byte) bool {
	return isLetter(ch) || ch >= '0' && ch <= '9' || ch == '+' || ch == '/' || ch == '-' || ch == '_'
}

// latin1 returns a text in which each byte was decoded as one character.
func latin1(text string) string {
	var b []byte
	for i := range len(text) {
		b = utf8.AppendRune(b, rune(text[i]))
	}
	return string(b)
}

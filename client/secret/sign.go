package secret

import "strings"

// sign is a text to search for, with the bytes that are in it.
type sign struct {
	text  string
	bytes byteSet
}

// signs returns the signs of some texts.
func signs(texts ...string) []sign {
	all := make([]sign, len(texts))
	for i, text := range texts {
		all[i] = sign{text, bytesOf(text)}
	}
	return all
}

// byteSet is the set of the bytes of a text. A sign is searched only in texts that contain all its bytes: most
// do not, and the set shows that in the time of one search.
type byteSet [4]uint64

func bytesOf(text string) (b byteSet) {
	for i := range len(text) {
		b[text[i]>>6] |= 1 << (text[i] & 63)
	}
	return b
}

// has reports whether a text with these bytes can contain the sign.
func (b *byteSet) has(s *sign) bool {
	return s.bytes[0]&^b[0]|s.bytes[1]&^b[1]|s.bytes[2]&^b[2]|s.bytes[3]&^b[3] == 0
}

// hasAny reports whether there is a byte of another set.
func (b *byteSet) hasAny(other *byteSet) bool {
	return b[0]&other[0]|b[1]&other[1]|b[2]&other[2]|b[3]&other[3] != 0
}

// containsAny reports whether a text with some bytes contains one of the signs.
func containsAny(text string, bytes *byteSet, signs []sign) bool {
	for i := range signs {
		if bytes.has(&signs[i]) && strings.Contains(text, signs[i].text) {
			return true
		}
	}
	return false
}

package rule

import "strings"

// MetaKeyFault says why a key of _meta is invalid (specification, basic, "_meta");
// empty if it is valid.
func MetaKeyFault(key string) string {
	prefix, name, found := strings.Cut(key, "/")
	if !found {
		prefix, name = "", key
	}
	if found {
		for label := range strings.SplitSeq(prefix, ".") {
			switch {
			case label == "":
				return "the prefix has an empty part"
			case !IsLetter(label[0]):
				return "each part of the prefix begins with a letter"
			case !isAlphanumeric(label[len(label)-1]):
				return "each part of the prefix ends with a letter or digit"
			case !IsWord(label, "-"):
				return "the prefix may have letters, digits, hyphens and dots alone"
			}
		}
	}
	switch {
	case name == "":
		return ""
	case strings.Contains(name, "/"):
		return "there is more than one slash"
	case !IsWord(name, "-_."):
		return "the name may have letters, digits, hyphens, underscores and dots alone"
	case !isAlphanumeric(name[0]) || !isAlphanumeric(name[len(name)-1]):
		return "the name begins and ends with a letter or digit"
	}
	return ""
}

// IsLetter reports an ASCII letter.
func IsLetter(ch byte) bool { return ch|0x20 >= 'a' && ch|0x20 <= 'z' }

func isAlphanumeric(ch byte) bool { return IsLetter(ch) || ch >= '0' && ch <= '9' }

// IsWord reports a text of ASCII letters, digits and the other characters.
func IsWord(s, other string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && strings.IndexByte(other, s[i]) < 0 {
			return false
		}
	}
	return true
}

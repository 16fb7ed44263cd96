package invoke

import (
	"strings"

	"mcptea/internal/lazyregexp"
)

var (
	// plainName is a name that a parameter may have, and not a number.
	plainName = lazyregexp.New(`^[A-Za-z_$][A-Za-z0-9_.$-]*$`)
	// colonPair is name:value.
	colonPair = lazyregexp.New(`^([A-Za-z_$][A-Za-z0-9_.$-]*):([^=].*)$`)
)

// maxMeant bounds the words and the length of a text that is read as arguments in another notation.
const maxMeant = 4096

// Meant returns the words of mcptea for arguments in another notation: name value, name: value, name =
// value, {name: value}, {'name': 'value'}, and pairs with commas. It returns nil if the words are not such
// arguments.
func Meant(words []string) (pairs []string) {
	if total := len(strings.Join(words, " ")); total > maxMeant {
		return nil
	}
	for i := 0; i < len(words); i++ {
		word := strings.TrimSuffix(words[i], ",")
		next := ""
		if i+1 < len(words) {
			next = strings.TrimSuffix(words[i+1], ",")
		}
		inner, isObject := enclosed(word)
		switch name, isLabel := strings.CutSuffix(word, ":"); {
		case isObject:
			more := loosePairs(inner)
			if more == nil {
				return nil
			}
			pairs = append(pairs, more...)
		case strings.HasPrefix(word, "@") || word == "-":
			pairs = append(pairs, word)
		case next == "=" || next == ":" || next == ":=":
			if i+2 >= len(words) || !plainName().MatchString(word) {
				return nil
			}
			equals := "="
			if next == ":=" {
				equals = next
			}
			pairs = append(pairs, word+equals+strings.TrimSuffix(words[i+2], ","))
			i += 2
		case strings.HasSuffix(word, "=") && next != "" && !strings.Contains(next, "="):
			pairs = append(pairs, word+next)
			i++
		case strings.Contains(word, "="):
			pairs = append(pairs, word)
		case isLabel && plainName().MatchString(name) && next != "":
			pairs = append(pairs, name+"="+next)
			i++
		case colonPair().MatchString(word):
			m := colonPair().FindStringSubmatch(word)
			pairs = append(pairs, m[1]+"="+m[2])
		case plainName().MatchString(word) && next != "" && !strings.Contains(next, "="):
			pairs = append(pairs, word+"="+next)
			i++
		default:
			return nil
		}
	}
	return pairs
}

// enclosed returns the text between the braces of a word, or pairs with quoted names without braces.
func enclosed(word string) (inner string, ok bool) {
	if inner, ok = strings.CutPrefix(word, "{"); ok {
		return strings.CutSuffix(inner, "}")
	}
	return word, strings.HasPrefix(word, `"`) && strings.Contains(word, `":`)
}

// loosePairs returns the pairs of an object whose names or values have no quotes, or single ones. It returns nil for
// nested values, which it does not read.
func loosePairs(text string) (pairs []string) {
	if strings.ContainsAny(text, "{}[]") {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue // a comma at the end
		}
		name, value, found := strings.Cut(part, ":")
		name, value = unquoted(name), unquoted(value)
		if !found || !plainName().MatchString(name) {
			return nil
		}
		pairs = append(pairs, name+"="+value)
	}
	return pairs
}

func unquoted(text string) string { return strings.Trim(strings.TrimSpace(text), `"'`) }

// afterComma returns a hint, and a line break, if a value ends with a comma or contains the next argument after one. It returns
// "" for another value.
func afterComma(one argument) string {
	parts := strings.Split(one.name+"="+one.text, ",")
	if len(parts) < 2 {
		return ""
	}
	for _, part := range parts[1:] {
		if name, _, found := strings.Cut(part, "="); part != "" && (!found || !plainName().MatchString(name)) {
			return ""
		}
	}
	return "Arguments are words separated by spaces, not by commas: " + strings.TrimSpace(strings.Join(parts, " ")) + "\n"
}

// maxShownWord bounds the length of a word that a hint repeats.
const maxShownWord = 30

func shownWord(word string) string {
	if len(word) > maxShownWord || strings.ContainsAny(word, " \t\r\n'\"") {
		return "VALUE"
	}
	return word
}

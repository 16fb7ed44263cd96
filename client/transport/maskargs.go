package transport

import (
	"regexp"
	"strings"
)

// MaskArgs returns a copy of a command line in which secrets are masked: the
// values of secret options (--api-key VALUE, --token=VALUE, API_KEY=VALUE),
// headers ("Authorization: Bearer …") and what stands in URLs; also within an
// argument that is a script of its own, such as that of sh -c.
func MaskArgs(argv []string) []string {
	out := make([]string, len(argv))
	secret := false // the argument before was an option with a secret value
	for i, arg := range argv {
		name, value, found := strings.Cut(arg, "=")
		header, field, isHeader := strings.Cut(arg, ":")
		switch {
		case secret && !strings.HasPrefix(arg, "-"):
			out[i] = hidden
		case isHeader && field != "" && !strings.ContainsAny(header, " /\\") && IsSecretName(header) && !strings.HasPrefix(field, "//"):
			out[i] = header + ": " + hidden
		case strings.ContainsAny(arg, " \t\n"):
			out[i] = maskScript(arg)
		case strings.Contains(arg, "://"):
			out[i] = maskURLIn(arg)
		case found && value != "" && IsSecretName(name):
			out[i] = name + "=" + hidden
		default:
			out[i] = arg
		}
		secret = !found && strings.HasPrefix(arg, "-") && IsSecretName(arg)
	}
	return out
}

// maskURLIn masks the URL in an argument, which may stand after an option or a
// variable (--url=https://…).
func maskURLIn(arg string) string {
	before, after := "", arg
	if name, value, found := strings.Cut(arg, "="); found && !strings.Contains(name, "://") {
		if IsSecretName(name) {
			return name + "=" + hidden
		}
		before, after = name+"=", value
	}
	return before + MaskURL(after)
}

// urlInText is a URL within other text, as far as it can be told from what
// follows.
var urlInText = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>|;)]+`)

const (
	quotes    = "\"'`"
	brackets  = "(){}[];|&$"
	wordSpace = " \t\r\n"
)

// maskScript masks secrets in a text of several words and leaves the rest of it,
// the spaces included, as it was.
func maskScript(text string) string {
	var b strings.Builder
	m := scriptMask{b: &b}
	for text != "" {
		n := len(text) - len(strings.TrimLeft(text, wordSpace))
		b.WriteString(text[:n])
		text = text[n:]
		n = strings.IndexAny(text, wordSpace)
		if n < 0 {
			n = len(text)
		}
		if n > 0 {
			m.word(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// scriptMask remembers, from word to word, whether a secret goes on.
type scriptMask struct {
	b      *strings.Builder
	next   bool // the word before was an option with a secret value
	inside bool // a quoted secret is not over yet
}

func (m *scriptMask) word(w string) {
	bare := strings.Trim(w, quotes+brackets)
	name, value, assigned := strings.Cut(w, "=")
	header, field, isHeader := strings.Cut(bare, ":")
	switch {
	case m.inside, m.next && !strings.HasPrefix(bare, "-"):
		m.hide(w)
	case assigned && value != "" && !strings.Contains(name, "://") && IsSecretName(strings.Trim(name, quotes+brackets)):
		m.b.WriteString(name + "=")
		m.hide(value)
	case isHeader && !strings.HasPrefix(field, "//") && IsSecretName(header):
		m.b.WriteString(w[:strings.Index(w, ":")+1])
		if field != "" {
			m.hide(strings.TrimPrefix(w[strings.Index(w, ":"):], ":"))
		}
		// The scheme and the token follow, up to the quote or to the end.
		m.inside = !strings.ContainsAny(w[strings.Index(w, ":"):], quotes)
	default:
		m.b.WriteString(urlInText.ReplaceAllStringFunc(w, MaskURL))
		m.next = !assigned && strings.HasPrefix(bare, "-") && IsSecretName(bare)
	}
}

// hide writes the sign in place of a secret. One that begins with a quote lasts
// until that is closed; what closes it, or a command, stays.
func (m *scriptMask) hide(secret string) {
	end := len(strings.TrimRight(secret, quotes+brackets))
	tail := secret[end:]
	opens := strings.HasPrefix(secret, `"`) || strings.HasPrefix(secret, "'")
	m.b.WriteString(hidden + tail)
	m.inside = (m.inside || opens) && !strings.ContainsAny(tail, quotes)
	m.next = false
}

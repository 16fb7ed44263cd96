package oauth

import (
	"net/http"
	"slices"
	"strings"
)

// Challenge is an authentication challenge (RFC 9110 §11.3). A header field may
// have several.
type Challenge struct {
	scheme  string            // scheme, in the letter case of the server
	Params  map[string]string // parameters by name in lower case; of duplicates, the first
	token68 string            // instead of parameters, in some schemes
}

// Is reports whether the challenge has a scheme, ignoring case.
func (c Challenge) Is(scheme string) bool { return strings.EqualFold(c.scheme, scheme) }

// The bounds of the parts that are read from the challenges in a response. A server chooses their
// size.
const (
	maxChallenges     = 32
	maxChallengeBytes = 64 << 10 // in all fields
)

// Challenges parses the WWW-Authenticate fields of a response. Invalid parts are skipped, since the rest may be
// sufficient. Of very long fields only the beginning is read.
func Challenges(h http.Header) []Challenge {
	var all []Challenge
	left := maxChallengeBytes
	for _, field := range h.Values("WWW-Authenticate") {
		field = field[:min(len(field), left)]
		left -= len(field)
		all = append(all, parseChallenges(field)...)
		if left == 0 || len(all) >= maxChallenges {
			break
		}
	}
	return all[:min(len(all), maxChallenges)]
}

// parseChallenges parses one field. Commas separate challenges as well as
// parameters; a name before "=" is a parameter.
func parseChallenges(field string) []Challenge {
	var all []Challenge
	p := fieldParser{rest: field}
	for len(all) <= maxChallenges && p.next() {
		name := p.takeWhile(isTokenByte)
		if name == "" {
			p.skip()
			continue
		}
		if value, ok := p.value(); ok && len(all) > 0 {
			c := &all[len(all)-1]
			name = strings.ToLower(name)
			if _, twice := c.Params[name]; !twice {
				c.Params[name] = value
			}
			continue
		} else if ok {
			continue // a parameter before the first challenge
		}
		all = append(all, Challenge{scheme: name, Params: map[string]string{}, token68: p.token68()})
	}
	return all
}

// fieldParser parses a header field from left to right.
type fieldParser struct{ rest string }

// next skips white space and commas and reports whether anything is left.
func (p *fieldParser) next() bool {
	p.rest = strings.TrimLeft(p.rest, " \t,")
	return p.rest != ""
}

// takeWhile returns the longest prefix of bytes that satisfy is.
func (p *fieldParser) takeWhile(is func(byte) bool) string {
	n := 0
	for n < len(p.rest) && is(p.rest[n]) {
		n++
	}
	taken := p.rest[:n]
	p.rest = p.rest[n:]
	return taken
}

// skip skips a quoted string or one byte.
func (p *fieldParser) skip() {
	if p.rest[0] == '"' {
		p.quoted()
		return
	}
	p.rest = p.rest[1:]
}

// value parses "=" and a value; ok is false without "=".
func (p *fieldParser) value() (string, bool) {
	after, found := strings.CutPrefix(strings.TrimLeft(p.rest, " \t"), "=")
	if !found {
		return "", false
	}
	p.rest = strings.TrimLeft(after, " \t")
	if strings.HasPrefix(p.rest, `"`) {
		return p.quoted(), true
	}
	// More than the bytes of a token: servers omit the quotes of URLs and scopes.
	return p.takeWhile(func(b byte) bool { return b != ',' && b != ' ' && b != '\t' }), true
}

// quoted parses a quoted string (RFC 9110 §5.6.4). Without a closing quote it ends
// with the field.
func (p *fieldParser) quoted() string {
	var text strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch b := p.rest[i]; {
		case b == '"':
			p.rest = p.rest[i+1:]
			return text.String()
		case b == '\\' && i+1 < len(p.rest):
			i++
			text.WriteByte(p.rest[i])
		default:
			text.WriteByte(b)
		}
	}
	p.rest = ""
	return text.String()
}

// token68 parses the value that a scheme may have instead of parameters (RFC 9110
// §11.2), up to the next comma.
func (p *fieldParser) token68() string {
	before := p.rest[:len(p.rest)-len(strings.TrimLeftFunc(p.rest, isInToken68))]
	if after := p.rest[len(before):]; after != "" && after[0] != ',' {
		return "" // it has other characters
	}
	text := strings.Trim(before, " \t")
	bare := strings.TrimRight(text, "=")
	if bare == "" || strings.Trim(before[:1], " \t") != "" || len(text)-len(bare) > 2 {
		return ""
	}
	for i := range len(bare) {
		if !isToken68Byte(bare[i]) {
			return ""
		}
	}
	p.rest = p.rest[len(before):]
	return text
}

// isInToken68 reports whether a character is of a token68 or of the white space around it.
func isInToken68(r rune) bool {
	return r < 0x80 && (isToken68Byte(byte(r)) || r == '=' || r == ' ' || r == '\t')
}

func isAlphanumeric(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

func isTokenByte(b byte) bool {
	return isAlphanumeric(b) || strings.IndexByte("!#$%&'*+-.^_`|~", b) >= 0
}

func isToken68Byte(b byte) bool { return isAlphanumeric(b) || strings.IndexByte("-._~+/", b) >= 0 }

// challengeParams are the parameters of all challenges of a response.
type challengeParams struct {
	metadata    string   // URL of the resource metadata, or ""
	scopes      []string // scopes, or nil if absent
	err         string   // such as insufficient_scope
	description string
	dpop        bool // the server offers DPoP
}

// mergeChallenges merges the Bearer and DPoP challenges; others, such as Basic, are
// ignored.
func mergeChallenges(challenges []Challenge) challengeParams {
	var d challengeParams
	for _, c := range challenges {
		if !c.Is("Bearer") && !c.Is("DPoP") {
			continue
		}
		d.dpop = d.dpop || c.Is("DPoP")
		for name, into := range map[string]*string{
			"resource_metadata": &d.metadata, "error": &d.err, "error_description": &d.description,
		} {
			if *into == "" {
				*into = c.Params[name]
			}
		}
		d.scopes = union(d.scopes, strings.Fields(c.Params["scope"]))
	}
	return d
}

// union returns the scopes of a, followed by the scopes of b that are not in a.
func union(a, b []string) []string {
	all, known := slices.Clone(a), setOf(a)
	for _, scope := range b {
		if !known[scope] {
			known[scope] = true
			all = append(all, scope)
		}
	}
	return all
}

func setOf(texts []string) map[string]bool {
	set := make(map[string]bool, len(texts))
	for _, text := range texts {
		set[text] = true
	}
	return set
}

// missing returns the scopes of want that are not in have.
func missing(want, have []string) []string {
	known := setOf(have)
	return slices.DeleteFunc(slices.Clone(want), func(scope string) bool { return known[scope] })
}

package trial

import (
	"regexp"
	"strings"
	"sync"

	"mcptea/client/oauth"
)

// A challenge has the parameters of the Bearer and DPoP challenges of a response, of each the first.
type challenge struct {
	bearer, dpop bool   // there is a challenge with the scheme
	err          string // error, or ""
	scope        string
	metadata     string   // resource_metadata, or ""
	algorithms   []string // algs of DPoP, or nil
}

// challengeOf returns the parameters of the challenges of a response.
func challengeOf(r response) (c challenge) {
	for _, one := range oauth.Challenges(r.header) {
		isDPoP := one.Is(schemeDPoP)
		if !isDPoP && !one.Is("Bearer") {
			continue
		}
		c.dpop, c.bearer = c.dpop || isDPoP, c.bearer || !isDPoP
		for name, to := range map[string]*string{"error": &c.err, "scope": &c.scope, "resource_metadata": &c.metadata} {
			if *to == "" {
				*to = one.Params[name]
			}
		}
		c.algorithms = append(c.algorithms, strings.Fields(one.Params["algs"])...)
	}
	return c
}

// scopeComplaint returns what the challenge of a 403 lacks, or "".
func (c challenge) scopeComplaint() string {
	var lacks []string
	if c.err != "insufficient_scope" {
		lacks = append(lacks, "error=\"insufficient_scope\"")
	}
	if c.scope == "" {
		lacks = append(lacks, "scope")
	}
	if len(lacks) == 0 {
		return ""
	}
	return "WWW-Authenticate of the 403 has no " + strings.Join(lacks, " and no ") + ": a client cannot know what to request."
}

// isWellFormed reports whether each quoted text of header fields ends before a comma or the end (RFC 9110 §5.6.4).
func isWellFormed(fields []string) bool {
	for _, rest := range fields {
		for {
			_, after, found := strings.Cut(rest, `"`)
			if !found {
				break
			}
			end := 0
			for end < len(after) && after[end] != '"' {
				if after[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(after) {
				return false
			}
			rest = strings.TrimLeft(after[end+1:], " \t")
			if rest != "" && rest[0] != ',' {
				return false
			}
		}
	}
	return true
}

var (
	quotedText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"`) })
	spaced     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w-][ \t]+=|[\w-]=[ \t]+[^\s,]`) })
)

// isSpaced reports whether a parameter of header fields has white space around =, which a recipient must accept and a
// sender must not write (RFC 9110 §5.6.3, §11.2).
func isSpaced(fields []string) bool {
	for _, f := range fields {
		if spaced().MatchString(quotedText().ReplaceAllString(f, `""`)) {
			return true
		}
	}
	return false
}

package secret

import (
	"regexp"
	"slices"
	"strings"

	"mcptea/internal/lazyregexp"
)

// Found is one secret within an argument or text.
type Found struct {
	Arg        int    // index of the argument; 0 for a single text
	Start, End int    // byte range of the secret within it
	Name       string // environment variable that could hold it, such as API_KEY
}

// shape is the form of the values of one service or format.
type shape struct {
	name    string // suggested environment variable
	signs   []sign // texts, one of which is in each match; searched first, because that is much faster
	pattern func() *regexp.Regexp
	digit   bool // require a digit, where the prefix also begins ordinary words
}

// matches returns the ranges of the values in a text with some bytes.
func (s *shape) matches(text string, bytes *byteSet) [][]int {
	if !containsAny(text, bytes, s.signs) {
		return nil
	}
	all := s.pattern().FindAllStringIndex(text, -1)
	if s.digit {
		all = slices.DeleteFunc(all, func(m []int) bool { return !strings.ContainsAny(text[m[0]:m[1]], "0123456789") })
	}
	return all
}

var shapes = []shape{
	{"GITHUB_TOKEN", signs("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"), lazyregexp.New(`\b(?:gh[pousr]_\w{16,}|github_pat_\w{16,})`), false},
	{"GITLAB_TOKEN", signs("glpat-"), lazyregexp.New(`\bglpat-[\w-]{16,}`), false},
	{"API_KEY", signs("sk-", "sk_", "pk-", "pk_", "rk-", "rk_"), lazyregexp.New(`\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)[-_][\w-]{8,}|\bsk-[\w-]{16,}`), true},
	{"API_KEY", signs("gsk_", "hf_", "r8_", "npm_", "ntn_", "lin_api_", "dop_v1_", "shpat_", "shpca_", "shppa_", "shpss_", "figd_", "tvly-", "pplx-", "pypi-"), lazyregexp.New(`\b(?:gsk_|hf_|r8_|npm_|ntn_|lin_api_|dop_v1_|shp(?:at|ca|pa|ss)_|figd_)[\w-]{16,}|\b(?:tvly|pplx|pypi)-[\w-]{16,}`), true},
	{"API_KEY", signs("SG.", "AGE-SECRET-KEY-1"), lazyregexp.New(`\bSG\.[\w-]{16,}\.[\w-]{16,}|\bAGE-SECRET-KEY-1\w{16,}`), false},
	{"SLACK_TOKEN", signs("xox", "xapp-"), lazyregexp.New(`\bxox[abeoprs]-[\w-]{10,}|\bxapp-[\w-]{10,}`), true},
	{"AWS_ACCESS_KEY_ID", signs("AKIA", "ASIA"), lazyregexp.New(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`), false},
	{"GOOGLE_API_KEY", signs("AIza", "ya29."), lazyregexp.New(`\bAIza[\w-]{35}|\bya29\.[\w-]{16,}`), false},
	{"TOKEN", signs("eyJ"), lazyregexp.New(`\beyJ[\w-]{10,}\.eyJ[\w-]{10,}(?:\.[\w-]*)?`), false},
	{"PRIVATE_KEY", signs("-----BEGIN "), lazyregexp.New(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)`), false},
}

// word matches a value in a text: a quoted string, or everything up to a space
// or a character with a meaning in a shell, a URL query or a connection string.
const word = `("[^"]*"?|'[^']*'?|[^\s"'` + "`" + `;|&<>(){},]+)`

var (
	assignment = lazyregexp.New(`([A-Za-z_][\w.-]*)[ \t]?=[ \t]?` + word)
	jsonMember = lazyregexp.New(`"([A-Za-z_][\w.-]*)"[ \t]*:[ \t]*"((?:[^"\\]|\\.)*)`)
	headerLine = lazyregexp.New(`([A-Za-z][\w-]*):[ \t]*((?i:bearer|basic|token|digest|dpop)[ \t]+)?` + word)
	option     = lazyregexp.New(`(?:^|\s)(--?[A-Za-z][\w.-]*)[ \t]+("[^"]*"?|'[^']*'?|[^\s"'` + "`" + `;|&<>(){},-][^\s"'` + "`" + `;|&<>(){},]*)`)
	scheme     = lazyregexp.New(`\b(?i:bearer|basic)[ \t]+([A-Za-z0-9._~+/-]{12,}=*)`)
)

// Signs are texts. Each match of a pattern contains at least one of its signs. If all colons of a
// text are part of URLs, they are skipped, because the value after such a colon is a path.
var (
	schemeSigns                = signs("earer", "EARER", "asic", "ASIC")
	assignmentSigns, jsonSigns = signs("="), signs(`"`)
	headerSigns                = signs(":")
	optionSigns, blankSigns    = signs("-"), signs(" ", "\t")
)

// telling holds the bytes that indicate that a text may contain a secret: in the secret itself or next to it.
// Only a secret after the name of a scheme has none of them.
var telling = bytesOf("_-.AJ:=\"")

// minFound is the length of the shortest text that can contain a secret, such as PAT=x.
const minFound = 5

// minToken is the length of the shortest value that is secret just by its form, such as xapp- and ten
// characters.
const minToken = 15

// FindTokens returns the values in a text that are secret just by their form, such as ghp_… or a private key,
// in no particular order.
func FindTokens(text string) []Found {
	bytes := bytesOf(text)
	return findTokens(text, &bytes)
}

func findTokens(text string, bytes *byteSet) []Found {
	if len(text) < minToken {
		return nil
	}
	var all []Found
	for i := range shapes {
		for _, m := range shapes[i].matches(text, bytes) {
			all = append(all, Found{Start: m[0], End: m[1], Name: shapes[i].name})
		}
	}
	return all
}

// Find returns the secrets in a text, such as the argument of sh -c, an error message or a line of stderr, in
// order and without overlap. In prose, a name proves little ("error code: 404", "unexpected token: x"), so that
// the value must also look generated.
func Find(text string) []Found {
	bytes := bytesOf(text)
	if len(text) < minFound || !bytes.hasAny(&telling) && !containsAny(text, &bytes, schemeSigns) {
		return nil
	}
	var all []Found
	add := func(start, end int, name string) {
		if start < end && text[start:end] != Mark && text[start:end] != urlMark {
			all = append(all, Found{Start: start, End: end, Name: name})
		}
	}
	for _, f := range findTokens(text, &bytes) {
		add(f.Start, f.End, f.Name)
	}
	// search runs a pattern whose matches all contain one of the signs.
	search := func(p func() *regexp.Regexp, of []sign) [][]int {
		if !containsAny(text, &bytes, of) {
			return nil
		}
		return p().FindAllStringSubmatchIndex(text, -1)
	}
	for start, end := range urlsIn(text) {
		for _, f := range FindURL(text[start:end]) {
			add(start+f.Start, start+f.End, f.Name)
		}
	}
	for _, m := range search(scheme, schemeSigns) {
		if looksLikeToken(text[m[2]:m[3]]) {
			add(m[2], m[3], "TOKEN")
		}
	}
	named := func(m []int, value int, certain func(name string, at int) bool) {
		name := text[m[2]:m[3]]
		start, end := unquote(text, m[value], m[value+1])
		v := text[start:end]
		if IsName(name) && !strings.HasPrefix(v, "//") && !isPlaceholder(v) && (certain(name, m[2]) || len(v) >= 8 && looksLikeToken(v) && !strings.Contains(v, "://")) {
			add(start, end, variableName(name))
		}
	}
	for _, m := range search(assignment, assignmentSigns) {
		named(m, 4, func(name string, _ int) bool { return containsWord(name) || strings.ToUpper(name) == name })
	}
	for _, m := range search(jsonMember, jsonSigns) {
		named(m, 4, func(name string, _ int) bool { return containsWord(name) })
	}
	if strings.Count(text, ":") == strings.Count(text, "://") {
		bytes[':'>>6] &^= 1 << (':' & 63)
	}
	for _, m := range search(headerLine, headerSigns) {
		named(m, 6, func(name string, at int) bool {
			if isErrorCode(name) && isWord(text[m[6]:m[7]]) {
				return false
			}
			return containsWord(name) && (strings.Contains(name, "-") || m[4] >= 0 || strings.TrimRight(text[:at], `"'`) != text[:at])
		})
	}
	if containsAny(text, &bytes, optionSigns) {
		for _, m := range search(option, blankSigns) {
			named(m, 4, func(string, int) bool { return true })
		}
	}
	return merge(all)
}

// unquote narrows a range to the part inside its quotes.
func unquote(text string, start, end int) (int, int) {
	if start == end {
		return start, end
	}
	if q := text[start]; q == '"' || q == '\'' {
		start++
		if end > start && text[end-1] == q {
			end--
		}
	}
	return start, end
}

// isPlaceholder reports a value that only refers to a secret: $NAME, ${NAME},
// <token>, %NAME%, process.env.NAME, a literal such as null, or the text that mcptea makes up.
func isPlaceholder(value string) bool {
	switch strings.ToLower(value) {
	case "", "null", "none", "true", "false", "undefined", "redacted", "missing", "required", "invalid", "expired", "not", "is", "was", "for", "and", "or",
		"string", "strings", "value", "file", "path": // the kind of an option in a help text
		return true
	}
	return strings.ContainsAny(value[:1], "$<%{[*•") || isMadeUp(value) || strings.Contains(value, "env") && lookup().MatchString(value) || strings.HasPrefix(value, "ENV[")
}

// lookup matches code that reads an environment variable, such as os.environ["TOKEN"] in a stack
// trace. The match ends where a value would end.
var lookup = lazyregexp.New(`^(?:os\.environ|process\.env|import\.meta\.env|Deno\.env|os\.[gG]etenv|System\.getenv|getenv|(?:std::)?env::var)(?:[.\[(]|$)`)

// MadeUp is the text that mcptea sends if a server requires an argument whose value is unknown. It is not a
// secret, even if the name of the argument looks like one.
const MadeUp = "mcptea"

// isMadeUp reports [MadeUp], also repeated or cut to a length, and as the path of a URL.
func isMadeUp(value string) bool {
	value = strings.TrimPrefix(value, "https://example.com/")
	return strings.HasPrefix(strings.Repeat(MadeUp, len(value)/len(MadeUp)+1), value)
}

// merge sorts the secrets and joins overlapping ones.
func merge(all []Found) []Found {
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b Found) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	out := all[:0]
	for _, f := range all {
		if n := len(out); n > 0 && f.Start < out[n-1].End {
			out[n-1].End = max(out[n-1].End, f.End)
			continue
		}
		out = append(out, f)
	}
	return out
}

// replace puts the mark instead of each secret.
func replace(text string, found []Found, mark string) string {
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.Start])
		b.WriteString(mark)
		at = f.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// Text returns the text with the secrets that [Find] recognizes redacted.
func Text(text string) string { return replace(text, Find(text), Mark) }

// variableName returns the name of an environment variable for a secret: for "--api-key" API_KEY. It is a valid
// name in every shell.
func variableName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, strings.TrimLeft(name, "-"))
	name = strings.Trim(name, "_")
	switch {
	case name == "", name == "KEY", name == "P", name == "K":
		return "SECRET"
	case name == "AUTHORIZATION", name == "AUTH":
		return "TOKEN"
	case name[0] >= '0' && name[0] <= '9':
		return "SECRET_" + name
	}
	return name
}

// looksLikeToken reports a word that mixes letters and digits, or both cases,
// as generated values do and words of a language do not.
func looksLikeToken(w string) bool {
	digits, lower, upper := classes(w)
	return digits > 0 && lower+upper > 0 || lower > 3 && upper > 3 || len(w) >= 32 && !isConstant(w)
}

// isConstant reports words of one case that separators join, such as ERR_IMPORT_ASSERTION_TYPE_MISSING: the name of an
// error, and not a generated value.
func isConstant(w string) bool {
	words := strings.FieldsFunc(w, func(r rune) bool { return r == '_' || r == '-' })
	digits, lower, upper := classes(w)
	const longest = 16 // letters of a word
	return len(words) > 1 && digits == 0 && (lower == 0 || upper == 0) && lower+upper+len(words)-1 == len(w) &&
		!slices.ContainsFunc(words, func(word string) bool { return len(word) > longest })
}

// isErrorCode reports the name of an error about a secret, such as invalid_token (RFC 6750, section 3.1): what follows
// it is prose.
func isErrorCode(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"invalid", "missing", "expired", "unknown", "insufficient"}, func(begin string) bool { return strings.HasPrefix(name, begin) })
}

// isWord reports a word of a language: letters in lower case, perhaps after a capital.
func isWord(w string) bool {
	_, lower, upper := classes(w)
	return len(w) > 1 && lower+upper == len(w) && (upper == 0 || upper == 1 && w[0] <= 'Z')
}

func classes(w string) (digits, lower, upper int) {
	for i := range len(w) {
		switch ch := w[i]; {
		case ch >= '0' && ch <= '9':
			digits++
		case ch >= 'a' && ch <= 'z':
			lower++
		case ch >= 'A' && ch <= 'Z':
			upper++
		}
	}
	return digits, lower, upper
}

// isRandom reports a word that only a generator produces: 32 or more
// hexadecimal digits, or 24 or more characters with both cases and digits. A
// UUID is an identifier, and not secret by its form.
func isRandom(w string) bool {
	if len(w) < 24 || isUUID(w) {
		return false
	}
	if len(w) >= 32 && isHex(w) {
		return true
	}
	plain := w
	for range 2 {
		plain = strings.TrimSuffix(plain, "=")
	}
	digits, lower, upper := classes(plain)
	others := strings.Count(plain, "_") + strings.Count(plain, "-")
	return len(plain) >= 24 && digits+lower+upper+others == len(plain) && digits >= 3 && lower >= 3 && upper >= 3
}

func isUUID(w string) bool {
	const form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(w) != len(form) {
		return false
	}
	for i := range len(form) {
		if isDash := form[i] == '-'; isDash && w[i] != '-' || !isDash && !isHex(w[i:i+1]) {
			return false
		}
	}
	return true
}

func isHex(w string) bool {
	for i := range len(w) {
		if ch := w[i] | ' '; (ch < 'a' || ch > 'f') && (w[i] < '0' || w[i] > '9') {
			return false
		}
	}
	return true
}

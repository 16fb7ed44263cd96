package card

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strings"

	"mcptea/client/revision"
)

// entry is a line of meanings.jsonl: a meaning of a code or a status, or of a range of
// them, with the clues for it.
type entry struct {
	Kind     Kind   `json:"kind"`
	Code     *int64 `json:"code"` // or a range
	From, To *int64
	Meaning         // By is the origin, if origins does not name it
	Origin   string `json:"origin"`
	span
	Retired bool `json:"retired"` // must not be sent
	Private bool `json:"private"` // set for a range

	// The clues. If Needs is "words", the others count only together with a word.
	Words   []string `json:"words"` // words in the message
	Data    []string `json:"data"`
	Methods []string `json:"methods"`
	Sender  string   `json:"sender"`
	Status  []int    `json:"status"`
	Verbs   []string `json:"verbs"`
	Path    string   `json:"path"` // part of the URL's path
	Session bool     `json:"session"`
	Login   bool     `json:"login"` // the exchange requests a token
	Codes   []int64  `json:"codes"`
	Needs   string   `json:"needs"`
}

// kinds of entries in addition to [Code] and [Status]
const (
	codeRange   Kind = "range"
	statusClass Kind = "class"
)

// ByMCP is the origin of meanings that the specification defines.
const ByMCP = "MCP"

// origins maps origins to the names of those who defined a meaning.
var origins = map[string]string{
	"jsonrpc": "JSON-RPC 2.0 and MCP",
	"mcp":     ByMCP,
	"draft":   "drafts of 2026-07-28",
	"sdk":     "SDKs",
	"lsp":     "the Language Server Protocol",
	"article": "a widely copied article, not a version of MCP",
	"http":    "HTTP",
	"any":     "no specification",
}

// covers reports whether the entry is about a code.
func (e *entry) covers(code int64) bool {
	if e.Code != nil {
		return *e.Code == code
	}
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if e.From != nil {
		from = *e.From
	}
	if e.To != nil {
		to = *e.To
	}
	return from <= code && code <= to
}

// covering returns the entries of a kind about a code.
func covering(kind Kind, code int64) []*entry {
	var found []*entry
	all := meaningTable()
	for i := range all {
		if all[i].Kind == kind && all[i].covers(code) {
			found = append(found, &all[i])
		}
	}
	return found
}

// meaning returns the entry for display.
func (e *entry) meaning(w Where) Meaning {
	m := e.Meaning
	m.By, m.Elsewhere = cmp.Or(m.By, origins[e.Origin]), !e.has(w.Revision)
	switch {
	case e.Local:
		m.Revisions = "none: it is never sent"
	case e.Origin == "article", e.Origin == "lsp":
		m.Revisions = "none"
	case (e.Origin == "sdk" || e.Origin == "any") && len(e.in()) == len(revision.All()):
		m.Revisions = "none defines it"
	default:
		m.Revisions = revision.Words(e.in())
	}
	if e.Retired {
		m.Revisions += "; must not be sent"
	}
	if m.Elsewhere {
		m.Revisions += "; not " + string(w.Revision)
	}
	return m
}

// likelihood adds up the clues. Only the order among the meanings of one code
// matters, not the number itself.
func (e *entry) likelihood(w Where) int {
	const elsewhere, never = -2, -6
	score := 0
	if !e.has(w.Revision) {
		score += elsewhere
	}
	if e.Local && w.Wire {
		score += never
	}
	message, hits := strings.ToLower(w.Message), 0
	for _, word := range e.Words {
		if strings.Contains(message, word) {
			hits++
		}
	}
	score += 2 * min(hits, 2)
	if e.Needs == "words" && hits == 0 {
		return score + e.against(w)
	}
	if slices.ContainsFunc(e.Data, func(name string) bool { return slices.Contains(w.Data, name) }) {
		score += 6 // hardly a coincidence
	}
	if slices.Contains(e.Methods, w.Method) {
		score += 2
	}
	if w.HTTP != 0 && slices.Contains(e.Status, w.HTTP) {
		score += 2
	}
	return score + e.against(w)
}

// against adds up the clues that may also be evidence against a meaning.
func (e *entry) against(w Where) int {
	score := 0
	weigh := func(known, fits bool) {
		switch {
		case known && fits:
			score += 3
		case known:
			score -= 3
		}
	}
	if e.Sender != "" {
		weigh(w.Sender != 0, e.Sender == "client" && w.Sender == revision.Client || e.Sender == "server" && w.Sender == revision.Server)
	}
	if len(e.Verbs) > 0 {
		weigh(w.Verb != "", slices.Contains(e.Verbs, w.Verb))
	}
	if len(e.Status) > 0 && w.HTTP == 0 && w.Wire {
		score-- // probably not over HTTP
	}
	if e.Path != "" {
		for range 2 { // counts twice: it is stronger evidence than a session id
			weigh(true, strings.Contains(pathOf(w.URL), e.Path))
		}
	}
	if e.Session {
		weigh(w.Wire, w.Session)
	}
	if e.Login {
		for range 2 { // no other meaning is about the authorization server
			weigh(w.Wire, w.Login)
		}
	}
	if len(e.Codes) > 0 {
		weigh(w.Wire, slices.Contains(e.Codes, w.Code))
	}
	return score
}

// meanings returns the meanings of a number, most likely first. Meanings that the negotiated protocol version
// does not define are left out, unless there is no other or one of them is the most likely.
func meanings(kind Kind, code int64, w Where) []Meaning {
	type weighed struct {
		m     Meaning
		score int
	}
	var found []weighed
	for _, e := range covering(kind, code) {
		found = append(found, weighed{e.meaning(w), e.likelihood(w)})
	}
	slices.SortStableFunc(found, func(a, b weighed) int { return cmp.Compare(b.score, a.score) })
	var all []Meaning
	none := !slices.ContainsFunc(found, func(f weighed) bool { return !f.m.Elsewhere })
	for i, f := range found {
		if none || i == 0 || !f.m.Elsewhere {
			all = append(all, f.m)
		}
	}
	return all
}

// pathOf returns the path of a URL, or "".
func pathOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Path
}

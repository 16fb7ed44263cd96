package servercard

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Live is a connected server's description of itself.
type Live struct {
	URL, Transport string   // "http" or "sse"
	Name, Title    string   // name and title in its serverInfo
	Version        string   // version in its serverInfo
	Protocol       string   // negotiated version, or ""
	Supported      []string // versions listed by server/discover, or nil if the server has not listed any
}

// Rule is a requirement of a card or a catalog.
type Rule struct {
	ID, Name string
	Must     bool   // a MUST of the extension, else a SHOULD
	Requires string // requirement in words
	Fix      string
	Spec     string // the page
}

// spec is the page with most of the requirements.
const spec = "https://github.com/modelcontextprotocol/experimental-ext-server-card/blob/main/docs/" + "discovery.md"

// Rules returns the rules, in their order. They must not be changed.
func Rules() []Rule { return rules }

var rules = []Rule{
	{"CARD-01", "catalog", true, "The catalog lists each server with identifier, type, and one of url and data", "Write the entry as the extension defines it.", spec + "#server-card-entries"},
	{"CARD-02", "card-there", true, "Each entry of the catalog leads to a server card", "Serve the card where the catalog says, or correct its url.", spec + "#client-discovery-flow"},
	{"CARD-03", "card-schema", true, "The card is valid in its schema", "Correct the member.", "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"},
	{"CARD-04", "card-media-type", false, "The card is served as " + cardType, "Send Content-Type: " + cardType + ".", spec + "#hosted-server-card-location"},
	{"CARD-05", "card-cors", true, "The card is served with CORS headers for browsers", "Send Access-Control-Allow-Origin: *.", spec + "#cors-requirements"},
	{"CARD-06", "card-https", true, "The card is served over https, except for development on one machine", "Serve it over https.", spec + "#transport-security"},
	{"CARD-07", "card-endpoint", false, "The card has endpoints of the server", "Correct remotes[] of the card.", spec + "#consistency-with-runtime-behavior"},
	{"CARD-08", "card-identity", false, "The card has the name and version of the server", "Generate the card and serverInfo from one source.", spec + "#consistency-with-runtime-behavior"},
	{"CARD-09", "card-protocol-versions", false, "The card has the protocol versions of the server", "List in supportedProtocolVersions what the server supports.", spec + "#consistency-with-runtime-behavior"},
}

// Level returns "MUST" or "SHOULD".
func (r Rule) Level() string {
	if r.Must {
		return "MUST"
	}
	return "SHOULD"
}

// Outcome is the result of checking a [Discovery] with a rule.
type Outcome struct {
	Rule     Rule
	Problems []string // sentences with a period; none if the rule is fulfilled
	Skipped  string   // why the rule was not judged, or ""
	Advice   string   // a remark that is not a problem
}

// Check judges a discovery, and compares the card of the server with the server; live is nil if no server was
// connected.
func (d *Discovery) Check(live *Live) []Outcome {
	all := make([]Outcome, len(rules))
	judges := []func(*Outcome, *Live){d.catalog, d.there, d.schema, d.media, d.cors, d.https, d.endpoint, d.identity, d.versions}
	for i, r := range rules {
		all[i].Rule = r
		judges[i](&all[i], live)
	}
	return all
}

// catalogFound returns the catalog, or nil.
func (d *Discovery) catalogFound() *Document {
	if n := len(d.Catalogs); n > 0 && d.Catalogs[n-1].Found() {
		return &d.Catalogs[n-1]
	}
	return nil
}

const noCatalog, noCard = "no catalog was found", "no server card was found"

// found returns the cards that are there.
func (d *Discovery) found() (all []*FoundCard) {
	for i := range d.Cards {
		if d.Cards[i].Card != nil {
			all = append(all, &d.Cards[i])
		}
	}
	return all
}

// CardOf returns the card of the server at a URL: the card that is served next to the URL, or otherwise the
// card of the catalog that lists the URL as an endpoint, or nil.
func (d *Discovery) CardOf(to string) *FoundCard {
	if len(d.Cards) > 0 && d.Cards[0].Card != nil {
		return &d.Cards[0]
	}
	for _, c := range d.found() {
		if slices.ContainsFunc(c.Card.Remotes, func(r Remote) bool { return r.Serves(to) }) {
			return c
		}
	}
	return nil
}

func (d *Discovery) catalog(o *Outcome, _ *Live) {
	c := d.catalogFound()
	if c == nil {
		o.Skipped = noCatalog
		return
	}
	for _, f := range c.Faults {
		o.Problems = append(o.Problems, fmt.Sprintf("%s: %s.", c.URL, f))
	}
	if !strings.HasSuffix(c.URL, wellKnown[0]) {
		o.Advice = fmt.Sprintf("The catalog is at %s; clients look at %s.", c.URL, wellKnown[0])
	}
}

func (d *Discovery) there(o *Outcome, _ *Live) {
	if d.Entries == 0 {
		o.Skipped = "there is no catalog with a server card"
		return
	}
	for _, c := range d.Cards {
		if c.Entry != nil && !c.Found() {
			o.Problems = append(o.Problems, fmt.Sprintf("%s: %s.", c.URL, c.Absent))
		}
	}
}

// eachFound judges each card that was found, except cards in a catalog if hosted is set.
func (d *Discovery) eachFound(o *Outcome, hosted bool, judge func(*FoundCard) []string) {
	judged := false
	for _, c := range d.found() {
		if hosted && c.Inline {
			continue
		}
		judged = true
		for _, text := range judge(c) {
			o.Problems = append(o.Problems, c.URL+": "+text+".")
		}
	}
	if !judged {
		o.Skipped = noCard
	}
}

func (d *Discovery) schema(o *Outcome, _ *Live) {
	d.eachFound(o, false, func(c *FoundCard) []string { return c.Faults })
}

func (d *Discovery) media(o *Outcome, _ *Live) {
	d.eachFound(o, true, func(c *FoundCard) []string {
		if c.Media == cardType {
			return nil
		}
		if c.Media == "" {
			return []string{"it has no Content-Type"}
		}
		return []string{"its media type is " + c.Media}
	})
}

func (d *Discovery) cors(o *Outcome, _ *Live) {
	d.eachFound(o, true, func(c *FoundCard) []string {
		if c.Origin == "*" || c.Origin == "http://localhost" {
			return nil
		}
		if c.Origin != "" {
			return []string{"Access-Control-Allow-Origin is " + c.Origin + ": a page elsewhere cannot read it"}
		}
		return []string{"there is no Access-Control-Allow-Origin: no page can read it"}
	})
}

func (d *Discovery) https(o *Outcome, _ *Live) {
	d.eachFound(o, true, func(c *FoundCard) []string {
		if at, err := url.Parse(c.URL); err != nil || at.Scheme != "http" || isLocal(at.Hostname()) {
			return nil
		}
		return []string{"it is not https"}
	})
}

// ofLive returns the card of the connected server.
func (d *Discovery) ofLive(o *Outcome, live *Live) *Card {
	if len(d.found()) == 0 {
		o.Skipped = noCard
		return nil
	}
	if live == nil {
		o.Skipped = "the server was not connected"
		return nil
	}
	c := d.CardOf(live.URL)
	if c == nil {
		o.Skipped = "none of the cards has the endpoint " + live.URL
		return nil
	}
	return c.Card
}

func (d *Discovery) endpoint(o *Outcome, live *Live) {
	c := d.ofLive(o, live)
	switch {
	case c == nil:
		return
	case len(c.Remotes) == 0:
		o.Problems = []string{"The card has no remotes: a client cannot connect by it."}
		return
	}
	var other []string
	for _, r := range c.Remotes {
		if !r.Serves(live.URL) {
			other = append(other, r.URL)
			continue
		}
		if kind := map[string]string{"streamable-http": "http", "sse": "sse"}[r.Type]; kind != live.Transport {
			continue
		}
		return
	}
	if len(other) == len(c.Remotes) {
		o.Problems = []string{fmt.Sprintf("The card names %s, but the server was connected at %s.", strings.Join(other, ", "), live.URL)}
		return
	}
	o.Problems = []string{fmt.Sprintf("The card has another transport for %s than the one that works, %s.", live.URL, map[string]string{"http": "streamable-http"}[live.Transport]+map[string]string{"sse": "sse"}[live.Transport])}
}

func (d *Discovery) identity(o *Outcome, live *Live) {
	c := d.ofLive(o, live)
	if c == nil {
		return
	}
	if live.Name != "" && !isSameName(c, live) {
		o.Problems = append(o.Problems, fmt.Sprintf("The card has the name %q, but serverInfo has %q.", c.Name, live.Name))
	}
	if live.Version != "" && c.Version != "" && strings.TrimPrefix(live.Version, "v") != strings.TrimPrefix(c.Version, "v") {
		o.Problems = append(o.Problems, fmt.Sprintf("The card has the version %s, but serverInfo has %s.", c.Version, live.Version))
	}
}

// isSameName reports whether the name of a card, which is in reverse DNS, and the name in serverInfo may denote
// the same server: one contains the other, regardless of the separators between words.
func isSameName(c *Card, live *Live) bool {
	_, localName, _ := strings.Cut(c.Name, "/")
	for _, of := range []string{live.Name, live.Title} {
		for _, name := range []string{localName, c.Name, c.Title} {
			a, b := letters(of), letters(name)
			if a != "" && b != "" && (strings.Contains(a, b) || strings.Contains(b, a)) {
				return true
			}
		}
	}
	return false
}

// letters returns the letters and digits of a name, in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

func (d *Discovery) versions(o *Outcome, live *Live) {
	c := d.ofLive(o, live)
	if c == nil {
		return
	}
	var listed []string
	for _, r := range c.Remotes {
		if r.Serves(live.URL) {
			listed = append(listed, r.Versions...)
		}
	}
	switch {
	case len(listed) == 0:
		o.Skipped = "the card lists no protocol versions for " + live.URL
	case len(live.Supported) == 0 && live.Protocol == "":
		o.Skipped = "no protocol version was negotiated"
	case len(live.Supported) == 0:
		if !slices.Contains(listed, live.Protocol) {
			o.Problems = []string{fmt.Sprintf("The card lists %s, but the server has negotiated %s.", strings.Join(listed, ", "), live.Protocol)}
		}
	default:
		if gone := without(listed, live.Supported); len(gone) > 0 {
			o.Problems = append(o.Problems, fmt.Sprintf("The card lists %s, which the server does not support.", strings.Join(gone, ", ")))
		}
		if unlisted := without(live.Supported, listed); len(unlisted) > 0 {
			o.Advice = fmt.Sprintf("The server supports %s too, which the card does not list.", strings.Join(unlisted, ", "))
		}
	}
}

// without returns the texts of a that are not in b.
func without(a, b []string) (rest []string) {
	for _, text := range a {
		if !slices.Contains(b, text) && !slices.Contains(rest, text) {
			rest = append(rest, text)
		}
	}
	return rest
}

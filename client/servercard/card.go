// Package servercard reads descriptions of remote MCP servers before a client connects: server cards
// (SEP-2127 and its extension) and the catalogs that list them. It fetches them without credentials, reports
// their faults, and compares a card with the server that it describes.
//
// All texts come from the author of the document and are untrusted. The package connects to no URL in them.
package servercard

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"mcptea/client/hosts/syntax"
	"mcptea/client/jsonrpc"
)

// The media types of the documents, and the schema of cards.
const (
	cardType    = "application/mcp-server-card+json"
	catalogType = "application/ai-catalog+json"
	schemaForm  = "https://static.modelcontextprotocol.io/schemas/v1/NAME.schema.json"
)

// Card is a server card.
type Card struct {
	Name        string   `json:"name"`              // reverse DNS, one slash
	Title       string   `json:"title,omitempty"`   // name for people
	Description string   `json:"description"`       // description of the server
	Version     string   `json:"version"`           // version of the server
	Remotes     []Remote `json:"remotes,omitempty"` // endpoints of the server
}

// Bounds of the data that is read from a document.
const (
	maxRemotes  = 100
	maxVersions = 50
	maxEntries  = 100
	maxText     = 500 // bytes of a text
)

var (
	namePattern   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`) })
	urlPattern    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(https?://\S+|\{[a-zA-Z_][a-zA-Z0-9_]*\}\S*)$`) })
	schemaPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^https://static\.modelcontextprotocol\.io/schemas/v1/[^/]+\.schema\.json$`)
	})
	variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\\{[a-zA-Z_][a-zA-Z0-9_]*\\\}`) })
)

// parse reads a card. faults are violations of the schema of cards, each a sentence without a period.
func parse(raw []byte) (c Card, faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if reason := jsonrpc.InvalidReason(raw); reason != "" {
		return c, []string{"it is " + reason}
	}
	if jsonrpc.TypeOf(raw) != "object" {
		return c, []string{"it is not a JSON object"}
	}
	text := func(name string, required bool, most int) string {
		value := jsonrpc.Get(raw, name)
		switch {
		case value == nil && required:
			fault("%q is missing", name)
		case value != nil && jsonrpc.TypeOf(value) != "string":
			fault("%q is %s, not a string", name, jsonrpc.TypeOf(value))
		}
		s := jsonrpc.Text(raw, name)
		switch n := utf8.RuneCountInString(s); {
		case required && s == "" && value != nil && jsonrpc.TypeOf(value) == "string":
			fault("%q is empty", name)
		case most > 0 && n > most:
			fault("%q has %d characters, and at most %d are allowed", name, n, most)
		}
		return clip(s)
	}
	if schema := text("$schema", true, 0); schema != "" && !schemaPattern().MatchString(schema) {
		fault(`"$schema" is %q, not of the form %s`, schema, schemaForm)
	}
	c = Card{Name: text("name", true, 200), Title: text("title", false, 100), Description: text("description", true, 100), Version: text("version", true, 255)}
	if c.Name != "" && !namePattern().MatchString(c.Name) {
		fault(`"name" is %q, not of the form com.example/name`, c.Name)
	}
	for _, sign := range []string{"^", "~", ">=", "<=", "*"} {
		if strings.HasPrefix(c.Version, sign) {
			fault(`"version" is %q, a range instead of a version`, c.Version)
			break
		}
	}
	if jsonrpc.Get(raw, "packages") != nil {
		fault(`"packages" does not belong here: a card describes remote servers, and server.json has packages`)
	}
	remotes := jsonrpc.Get(raw, "remotes")
	if remotes != nil && jsonrpc.TypeOf(remotes) != "array" {
		fault(`"remotes" is %s, not an array`, jsonrpc.TypeOf(remotes))
		return c, faults
	}
	i := 0
	for r := range jsonrpc.Elements(remotes) {
		if i == maxRemotes {
			break
		}
		remote, wrong := remoteOf(r)
		for _, w := range wrong {
			fault("remotes[%d]: %s", i, w)
		}
		c.Remotes = append(c.Remotes, remote)
		i++
	}
	return c, faults
}

// remoteOf reads an endpoint of a card, whose texts are bounded.
func remoteOf(raw []byte) (r Remote, faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	tree, err := syntax.Parse(syntax.JSON, raw)
	if err != nil {
		return r, []string{err.Error()}
	}
	r = ReadRemote(tree.Root)
	r.Type, r.URL, r.Variables = clip(r.Type), clip(r.URL), nil
	if r.Type != "streamable-http" && r.Type != "sse" {
		fault(`"type" is %q, not streamable-http or sse`, r.Type)
	}
	if !urlPattern().MatchString(r.URL) {
		fault(`"url" is %q, not a URL with http or https`, r.URL)
	}
	for i := range r.Headers {
		h := &r.Headers[i]
		if h.Secret && h.Value != "" && !strings.Contains(h.Value, "{") {
			fault("the header %q is marked as a secret, but its value is in the card", clip(h.Name))
		}
		*h = Input{Name: clip(h.Name)}
	}
	if versions := jsonrpc.Get(raw, "supportedProtocolVersions"); versions != nil && jsonrpc.TypeOf(versions) != "array" {
		fault(`"supportedProtocolVersions" is %s, not an array`, jsonrpc.TypeOf(versions))
	}
	for i := range r.Versions {
		r.Versions[i] = clip(r.Versions[i])
	}
	r.Headers, r.Versions = r.Headers[:min(len(r.Headers), maxVersions)], r.Versions[:min(len(r.Versions), maxVersions)]
	return r, faults
}

func clip(s string) string {
	if len(s) > maxText {
		return strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}

// Serves reports whether a URL belongs to the endpoint: variables match any text, and a trailing slash makes no
// difference.
func (r Remote) Serves(to string) bool {
	pattern := variable().ReplaceAllString(regexp.QuoteMeta(plainURL(r.URL)), `[^/?#]+`)
	re, err := regexp.Compile("^" + pattern + "$")
	return err == nil && re.MatchString(plainURL(to))
}

// plainURL returns a URL with a host in lower case, without a port that is the default, and without an end slash.
func plainURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || strings.Contains(u.Host, "{") {
		return strings.TrimSuffix(text, "/")
	}
	host := strings.ToLower(u.Host)
	switch u.Scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	path := strings.TrimSuffix(u.Path, "/")
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return u.Scheme + "://" + host + path
}

// Entry is an entry of a catalog that names a server card.
type Entry struct {
	Identifier string `json:"identifier"`     // identifier, such as urn:air:example.com:mcp:weather
	Name       string `json:"name,omitempty"` // name for people
	URL        string `json:"url,omitempty"`  // URL of the card; empty if the card is part of the catalog
	data       []byte // the card
}

// cardTypes holds the media types of entries with cards: the current one, and the type of earlier drafts.
var cardTypes = map[string]bool{cardType: true, "application/mcp-server+json": true}

// parseCatalog reads a catalog: the entries with server cards, and how many others there are. faults are
// as in [parse]. isCatalog is false for any other document.
func parseCatalog(raw []byte) (entries []Entry, others int, faults []string, isCatalog bool) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	list := jsonrpc.Get(raw, "entries")
	if !jsonrpc.Valid(raw) || jsonrpc.TypeOf(raw) != "object" || jsonrpc.TypeOf(list) != "array" {
		return nil, 0, nil, false
	}
	if jsonrpc.Text(raw, "specVersion") == "" {
		fault(`"specVersion" is missing`)
	}
	i := -1
	for e := range jsonrpc.Elements(list) {
		i++
		kind := jsonrpc.Text(e, "type")
		if kind == "" {
			kind = jsonrpc.Text(e, "mediaType") // member of an earlier draft
		}
		if !cardTypes[kind] {
			others++
			continue
		}
		if len(entries) == maxEntries {
			break
		}
		entry := Entry{Identifier: clip(jsonrpc.Text(e, "identifier")), Name: clip(jsonrpc.Text(e, "displayName")), URL: clip(jsonrpc.Text(e, "url")), data: jsonrpc.Get(e, "data")}
		if entry.Identifier == "" {
			fault(`entries[%d]: "identifier" is missing`, i)
		}
		if (entry.URL == "") == (entry.data == nil) {
			fault(`entries[%d]: one of "url" and "data" is required, and not both`, i)
		}
		entries = append(entries, entry)
	}
	return entries, others, faults, true
}

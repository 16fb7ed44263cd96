// Package skills checks the skills of a server (SEP-2640): the declaration, the entries, and the
// files that are read. It reports what package skill finds in them.
package skills

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/offer/skill"
)

var (
	listing = []string{revision.Skills.Method, "skills/get"}
	reading = []string{"resources/read"}
)

// Rules check skills.
var Rules = []lint.Rule{
	{ID: "G001", Methods: []string{"initialize", "server/discover"}, When: lint.Result | lint.FromServer, Message: declaration},
	{ID: "G002", Methods: []string{"initialize", "server/discover"}, When: lint.Result | lint.FromServer, Message: settings},
	ofEntries("G003", skill.NoURI, skill.BadURI),
	ofEntries("G004", skill.OtherName),
	ofEntries("G005", skill.BadName),
	ofEntries("G006", skill.BadFrontmatter),
	ofEntries("G007", skill.BadFiles),
	ofEntries("G008", skill.NoMainFile, skill.Twice),
	ofEntries("G009", skill.Outside),
	ofEntries("G010", skill.BadDigest),
	ofEntries("G011", skill.BadSize),
	ofEntries("G012", skill.TooManyFiles, skill.TooLarge),
	ofEntries("G013", skill.OtherScheme, skill.BadAuthority),
	ofEntries("G014", skill.LongText),
	ofEntries("G015", skill.ReservedKey),
	{ID: "G016", Limit: lint.PerMessage(lint.SomeEntries), Methods: listing, When: lint.Complete, Message: dynamic},
	{ID: "G017", Limit: lint.PerMessage(lint.SomeEntries), Methods: listing[:1], When: lint.Complete, Message: sameNames},
	{ID: "G018", Limit: lint.PerMessage(lint.SomeEntries), Methods: listing[:1], When: lint.Complete | lint.Matched, Message: sameEntry},
	{ID: "G019", Methods: listing[1:], When: lint.Complete, Message: otherSkill},
	{ID: "G020", Methods: reading, When: lint.Complete, Message: differs},
	{ID: "G021", Methods: reading, When: lint.Complete, Message: doubts},
	{ID: "G022", Limit: lint.PerMessage(lint.SomeEntries), Methods: []string{"resources/directory/read"}, When: lint.Complete, Message: directory},
	{ID: "G023", Methods: listing, When: lint.Complete, Message: cacheMembers},
	{ID: "G024", Methods: reading, When: lint.Complete, Message: mainFile},
	{ID: "G025", Limit: lint.PerMessage(lint.SomeEntries), Methods: listing[:1], When: lint.Complete, Message: resourceNames},
	{Methods: []string{"resources/list"}, When: lint.Complete, After: watchResources},
	{Methods: listing, When: lint.Complete, After: watch},
}

// ofEntries returns a rule that reports faults of these kinds in entries.
func ofEntries(id string, kinds ...skill.Kind) lint.Rule {
	return lint.Rule{ID: id, Limit: lint.PerMessage(lint.SomeEntries), Methods: listing, When: lint.Complete, Message: func(c *lint.Context) {
		for _, s := range entriesOf(c) {
			for _, f := range s.faults {
				if slices.Contains(kinds, f.Kind) {
					c.Report(lint.Below(s.at, f.Place), "skill", s.shown(), "text", phrase.Clip(f.Text, maxText))
				}
			}
		}
	}}
}

// maxText bounds the description of a fault in a finding, in bytes.
const maxText = 300

// served is an entry with its place in the message.
type served struct {
	skill.Entry
	at     lint.Place
	faults []skill.Fault
}

func (s *served) shown() string {
	if s.Name == "" {
		return lint.Quoted(s.URI)
	}
	return lint.Quoted(s.Name)
}

// memory is the state that the family keeps for a connection.
type memory struct {
	// of and index identify the message that the entries were read from.
	of, index int32
	served    []served
	// entries holds the newest entries by URI, with the time of their arrival.
	entries map[string]known
	mains   map[string]named // the SKILL.md in resources/list, by their URIs
	pages   map[string]int32 // URIs of the newest listing, with the row of the request for their page
}

type known struct {
	skill.Entry
	at  time.Time
	ttl time.Duration
}

// A named is the name and the description of a SKILL.md in resources/list.
type named struct{ name, description string }

const (
	// maxEntries bounds the number of kept entries, and maxEntryBytes the size of each. An entry with as many
	// files as hosts support has about 100 kB.
	maxEntries    = 200
	maxEntryBytes = 256 << 10
)

// entriesOf returns the entries of a result. Several rules use them.
func entriesOf(c *lint.Context) []served {
	m := lint.Own[memory](c.St)
	if m.of == c.M.Frame.Row+1 && m.index == int32(c.M.Index) { //nolint:gosec // a batch is shorter
		return m.served
	}
	m.of, m.index, m.served = c.M.Frame.Row+1, int32(c.M.Index), m.served[:0] //nolint:gosec // as above
	add := func(raw []byte, at lint.Place) {
		if jsonrpc.TypeOf(raw) == "object" {
			s := served{Entry: skill.Parse(raw), at: at}
			s.faults = s.Faults()
			m.served = append(m.served, s)
		}
	}
	if c.M.Method == "skills/get" {
		add(c.M.Get(c.M.Result, "skill"), lint.At("result", "skill"))
		return m.served
	}
	for i, raw := range c.M.Indexed(c.M.Get(c.M.Result, revision.Skills.Member)) {
		add(raw, lint.At("result", revision.Skills.Member, i))
	}
	return m.served
}

// declared returns the value of the extension in the server's capabilities.
func declared(c *lint.Context) []byte {
	return jsonrpc.Get(c.M.Result, "capabilities", "extensions", revision.SkillsExtension)
}

func declaration(c *lint.Context) {
	if declared(c) != nil && jsonrpc.TypeOf(jsonrpc.Get(c.M.Result, "capabilities", "resources")) != "object" {
		c.Report(lint.At("result", "capabilities"))
	}
}

func settings(c *lint.Context) {
	value, at := declared(c), []any{"result", "capabilities", "extensions", revision.SkillsExtension}
	wrong := func(what string, names ...any) {
		c.Report(lint.At(append(slices.Clip(at), names...)...), "what", what)
	}
	if value == nil {
		return
	}
	if jsonrpc.TypeOf(value) != "object" {
		wrong("it is " + lint.KindOf(value) + ", not an object")
		return
	}
	if flag := jsonrpc.Get(value, "directoryRead"); flag != nil && jsonrpc.TypeOf(flag) != "boolean" {
		wrong("directoryRead is "+lint.KindOf(flag)+", not true or false", "directoryRead")
	}
	for _, name := range []string{"config", "specVersion", "stability", "id"} {
		if lint.Has(value, name) {
			wrong("its settings are not in it directly, but in an envelope with "+strconv.Quote(name), name)
			return
		}
	}
}

func dynamic(c *lint.Context) {
	for _, s := range entriesOf(c) {
		if s.Dynamic {
			c.Report(lint.Below(s.at, "/resources"), "skill", s.shown())
		}
	}
}

func sameNames(c *lint.Context) {
	first := map[string]string{}
	for _, s := range entriesOf(c) {
		if other, twice := first[s.Name]; twice && other != s.URI && s.Name != "" {
			c.Report(lint.Below(s.at, "/frontmatter/name"), "skill", s.shown(), "first", lint.QuotedURI(other), "second", lint.QuotedURI(s.URI))
		}
		first[s.Name] = s.URI
	}
}

// sameEntry reports an entry that a listing contains twice: on one page, or on the pages of two requests.
// Another rule handles a repeated response.
func sameEntry(c *lint.Context) {
	m := lint.Own[memory](c.St)
	if c.M.Request == nil {
		return
	}
	if jsonrpc.Get(c.M.Request.Params, "cursor") == nil {
		m.pages = nil
	}
	here := map[string]bool{}
	for _, s := range entriesOf(c) {
		row, twice := m.pages[s.URI]
		if s.URI != "" && (here[s.URI] || twice && row != c.M.Request.Row()) {
			c.Report(lint.Below(s.at, "/uri"), "uri", lint.QuotedURI(s.URI))
		}
		here[s.URI] = true
		lint.Keep(&m.pages, lint.MaxSubjects, strings.Clone(s.URI), c.M.Request.Row())
	}
}

func otherSkill(c *lint.Context) {
	if lint.Has(c.M.Result, "nextCursor") {
		c.Report(lint.At("result", "nextCursor"), "what", "has a cursor, although it is one entry")
	}
	if c.M.Request == nil {
		return
	}
	asked := jsonrpc.Text(c.M.Request.Params, "uri")
	for _, s := range entriesOf(c) {
		if s.URI != "" && asked != "" && s.URI != asked {
			c.Report(lint.Below(s.at, "/uri"), "what", "has the skill "+lint.Quoted(s.URI)+" for "+lint.Quoted(asked))
		}
	}
}

// watch keeps the newest entries.
func watch(c *lint.Context) {
	m := lint.Own[memory](c.St)
	ttl, _ := strconv.ParseFloat(string(c.M.Get(c.M.Result, "ttlMs")), 64)
	for _, s := range entriesOf(c) {
		if len(s.Raw) <= maxEntryBytes && s.URI != "" {
			e := skill.Parse(bytes.Clone(s.Raw))
			lint.Keep(&m.entries, maxEntries, e.URI, known{e, c.St.Now, time.Duration(min(ttl, maxTTL)) * time.Millisecond})
		}
	}
	m.served, m.of = nil, 0
}

const (
	// minFresh is the minimum time that an entry must be fresh to be compared. A server without a
	// cache, with ttlMs 0, does not change its skills with each request.
	minFresh = 5 * time.Second
	maxTTL   = 1e12 // in milliseconds, so that a duration does not overflow
)

// read calls check with each fresh entry that has the file of a result of resources/read, with the
// verdict.
func read(c *lint.Context, check func(e *known, uri string, v skill.Verdict)) {
	if c.M.Request == nil {
		return
	}
	m, uri := lint.Own[memory](c.St), jsonrpc.Text(c.M.Request.Params, "uri")
	for _, name := range slices.Sorted(maps.Keys(m.entries)) {
		e := m.entries[name]
		root := e.Root()
		if root == "" || !strings.HasPrefix(uri, root) || c.St.Now.Sub(e.at) > max(e.ttl, minFresh) {
			continue
		}
		if content, ok := skill.Content(c.M.Result, uri); ok {
			check(&e, uri, e.Verify(uri, content))
		}
	}
}

func differs(c *lint.Context) {
	read(c, func(e *known, uri string, v skill.Verdict) {
		for _, f := range v.Failures {
			if f.What == "entry" { // reported at the entry
				continue
			}
			c.Report(lint.At("result", "contents"), "file", lint.Quoted(e.Relative(uri)), "skill", lint.Quoted(e.Name), "text", phrase.Clip(printable(f.Sentence()), maxText))
			return
		}
	})
}

// printable returns a text without control characters, invisible characters and line breaks.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '·'
		}
		return r
	}, text)
}

func doubts(c *lint.Context) {
	read(c, func(e *known, _ string, v skill.Verdict) {
		for _, d := range v.Doubts {
			c.Report(lint.At("result", "contents"), "skill", lint.Quoted(e.Name), "field", lint.Escaped(d.Field), "expected", printable(d.Expected), "found", printable(d.Found))
			return
		}
	})
}

func cacheMembers(c *lint.Context) {
	for _, name := range []string{"ttlMs", "cacheScope"} {
		if !lint.Has(c.M.Result, name) {
			c.Report(lint.At("result", name), "member", name)
		}
	}
}

// ownKey reports a key of _meta with a prefix: a name with dots, and a slash.
var ownKey = lazyregexp.New(`(?i)^[a-z0-9-]+(\.[a-z0-9-]+)+/`)

// mainFile checks a SKILL.md that was read, except for its content.
func mainFile(c *lint.Context) {
	if c.M.Request == nil {
		return
	}
	uri := jsonrpc.Text(c.M.Request.Params, "uri")
	e, known := lint.Own[memory](c.St).entries[uri]
	if !known {
		return
	}
	for i, item := range c.M.Indexed(c.M.Get(c.M.Result, "contents")) {
		if jsonrpc.Text(item, "uri") != uri {
			continue
		}
		if mime := jsonrpc.Text(item, "mimeType"); lint.MediaTypeOf(mime) != "text/markdown" {
			c.Report(lint.At("result", "contents", i, "mimeType"), "skill", lint.Quoted(e.Name), "what", "the type "+lint.Quoted(mime)+", and text/markdown is expected")
		}
		for key := range jsonrpc.Members(jsonrpc.Get(item, "_meta")) {
			if !ownKey().Match(key) {
				c.Report(lint.At("result", "contents", i, "_meta", string(key)), "skill", lint.Quoted(e.Name), "what", "the key "+lint.Quoted(key)+" in _meta, which has no prefix")
			}
		}
	}
}

func watchResources(c *lint.Context) {
	m := lint.Own[memory](c.St)
	for _, item := range c.M.Indexed(c.M.Get(c.M.Result, "resources")) {
		if uri := jsonrpc.Text(item, "uri"); strings.HasSuffix(uri, "/"+skill.MainFile) && len(uri) <= lint.MaxKeptBytes {
			lint.Keep(&m.mains, maxEntries, strings.Clone(uri), named{strings.Clone(jsonrpc.Text(item, "name")), phrase.Clip(strings.Clone(jsonrpc.Text(item, "description")), maxDescription)})
		}
	}
}

// maxDescription bounds the kept part of a description, in bytes.
const maxDescription = 2000

// resourceNames compares the entries with the list of resources.
func resourceNames(c *lint.Context) {
	mains := lint.Own[memory](c.St).mains
	for _, s := range entriesOf(c) {
		switch r, listed := mains[s.URI]; {
		case !listed || s.Name == "":
		case r.name != s.Name:
			c.Report(lint.Below(s.at, "/frontmatter/name"), "skill", s.shown(), "what", "the name "+lint.Quoted(r.name))
		case r.description != phrase.Clip(s.Description, maxDescription):
			c.Report(lint.Below(s.at, "/frontmatter/description"), "skill", s.shown(), "what", "the description "+lint.Quoted(r.description))
		}
	}
}

func directory(c *lint.Context) {
	for i, child := range c.M.Indexed(c.M.Get(c.M.Result, "resources")) {
		if uri := jsonrpc.Text(child, "uri"); strings.HasSuffix(uri, "/") {
			c.Report(lint.At("result", "resources", i, "uri"), "uri", lint.QuotedURI(uri))
		}
	}
}

package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// forInformation is the reason of a change that means nothing to a client.
const forInformation = "it informs, and breaks no client"

// A Server is the offer of a server. Unknown parts are nil and not compared. Without capabilities, the
// instructions count as unknown.
type Server struct {
	Revision     string
	Info         []byte // serverInfo, raw
	Capabilities []byte // raw
	Instructions []byte // a raw string
	// Lists holds the raw entries of each requested list, by "tools", "resources", "templates" and "prompts".
	// Lists that were not requested on both sides are not compared.
	Lists map[string][][]byte
}

// Offer returns the description of a server in a JSON value: a response, its result, or the output of a command
// with lists under the names of [Server] or of the results. ok is false if the value contains none.
func Offer(value []byte) (s Server, ok bool) {
	s.Lists = map[string][][]byte{}
	for name, v := range jsonrpc.Members(value) {
		switch name := string(name); name {
		case "result": // the frame is a response
			return Offer(v)
		case "capabilities":
			s.Capabilities, ok = v, true
		case "serverInfo":
			s.Info = v
		case "instructions":
			s.Instructions = v
		case "_meta":
			if info, found := jsonrpc.Member(v, revision.MetaServerInfo); found {
				s.Info = info
			}
		default:
			list, known := revision.ListNamed(name)
			if !known {
				list, known = revision.ListIn(name)
			}
			if known && v[0] == '[' {
				s.Lists[list.Name], ok = elementsOf(v), true
			}
		}
	}
	return s, ok
}

// A Change is a change in the offer of a server.
type Change struct {
	Section  string          `json:"section"`                    // "protocol", "server", "capabilities", "instructions", or the name of a list
	Item     string          `json:"item,omitempty"`             // name of the tool or prompt, or URI; from the peer
	Path     string          `json:"path,omitempty"`             // JSON Pointer in the entry; empty for the entry itself
	Kind     Kind            `json:"kind"`                       // "added", "removed" or "changed"
	Breaking bool            `json:"breaking"`                   // breaks clients that work with the old server
	LessRisk bool            `json:"claims_less_risk,omitempty"` // a hint claims less risk than before: a host may run the tool without asking
	Reason   string          `json:"reason"`                     // one sentence
	Renamed  string          `json:"renamed,omitempty"`          // name of the probable replacement of a removed entry, or of the entry that an added one replaces
	Old      json.RawMessage `json:"old,omitempty"`              // as received
	New      json.RawMessage `json:"new,omitempty"`              // as received
	// Same reports whether both have the same meaning by the specification, although they are written
	// differently: a hint is absent in one and has its default in the other.
	Same bool `json:"-"`
}

// At returns the kind of the change and the values at its place. If part of a member was changed, old and now
// are the whole member. A missing value is nil.
func (c *Change) At() (kind Kind, old, now []byte) {
	at := strings.TrimPrefix(c.Path, "/")
	if c.Item != "" {
		_, at, _ = strings.Cut(at, "/")
	}
	if at == "" || c.Kind != Changed || !isContainer(c.Old) && !isContainer(c.New) {
		return c.Kind, c.Old, c.New
	}
	parts := jsonrpc.SplitPointer("/" + at)
	old, now = jsonrpc.Get(c.Old, parts[0], parts[1:]...), jsonrpc.Get(c.New, parts[0], parts[1:]...)
	switch {
	case old == nil && now != nil:
		kind = Added
	case old != nil && now == nil:
		kind = Removed
	default:
		kind = Changed
	}
	return kind, old, now
}

func isContainer(v []byte) bool { return len(v) > 0 && (v[0] == '{' || v[0] == '[') }

// Place returns the place of the change: "tools echo /annotations/readOnlyHint".
func (c *Change) Place() string {
	words := []string{c.Section, c.Item, c.Path}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// Servers compares the offers of two servers, or of two versions of one.
func Servers(old, now Server) []Change {
	s := &servers{}
	if old.Revision != "" && now.Revision != "" && old.Revision != now.Revision {
		s.add(Change{Section: "protocol", Kind: Changed, Reason: fmt.Sprintf("the protocol version was %s and is %s", old.Revision, now.Revision)})
	}
	if old.Info != nil && now.Info != nil {
		s.plain("server", old.Info, now.Info)
	}
	if old.Capabilities != nil && now.Capabilities != nil {
		s.capabilities("", old.Capabilities, now.Capabilities)
		s.plain("instructions", old.Instructions, now.Instructions)
	}
	for _, list := range revision.Lists {
		a, asked := old.Lists[list.Name]
		b, both := now.Lists[list.Name]
		if asked && both {
			s.list(list.Name, list.Key, a, b)
		}
	}
	return s.changes
}

// Entries compares two entries of a list. It ignores their names.
func Entries(list string, old, now []byte) []Change {
	l, _ := revision.ListNamed(list)
	s := &servers{}
	s.entry(list, jsonrpc.Text(now, l.Key), old, now)
	return slices.DeleteFunc(s.changes, func(c Change) bool { return c.Path == "/"+l.Key })
}

type servers struct{ changes []Change }

func (s *servers) add(c Change) { s.changes = append(s.changes, c) }

// plain reports changes that break no client.
func (s *servers) plain(section string, old, now []byte) {
	switch {
	case old == nil && now == nil:
		return
	case old == nil || now == nil:
		kind := kindOf(old, now)
		s.add(Change{Section: section, Kind: kind, Reason: "it was " + kind.String(), Old: old, New: now})
		return
	}
	s.values(Change{Section: section}, old, now, func(string) string { return forInformation })
}

// values reports the differences between two values that do not break clients. All differences have
// the fields of the given change.
func (s *servers) values(c Change, old, now []byte, reason func(path string) string) {
	differences, _, err := Compare(old, now, Options{Max: 100})
	if err != nil {
		return
	}
	for _, d := range differences {
		one := c
		one.Path, one.Kind, one.Reason, one.Old, one.New = c.Path+d.Path, d.Kind, reason(d.Path), d.Old, d.New
		s.add(one)
	}
}

// capabilities compares the members on all levels.
func (s *servers) capabilities(path string, old, now []byte) {
	for _, m := range membersOf(old, now) {
		c := Change{Section: "capabilities", Path: path + "/" + jsonrpc.EscapePointer(m.name), Kind: m.kind(), Old: m.old, New: m.now}
		const noLongerOffered = "the server no longer offers it"
		switch {
		case m.now == nil:
			c.Breaking, c.Reason = string(m.old) != "false", noLongerOffered
		case m.old == nil:
			c.Reason = "the server offers it now"
		case m.old[0] == '{' && m.now[0] == '{':
			s.capabilities(c.Path, m.old, m.now)
			continue
		case jsonrpc.Equal(m.old, m.now):
			continue
		case string(m.now) == "false" || string(m.now) == "null":
			c.Breaking, c.Reason = true, noLongerOffered
		default:
			c.Reason = "the value changed"
		}
		s.add(c)
	}
}

func (s *servers) list(section, key string, old, now [][]byte) {
	entries := entriesOf(old, now, key)
	renamed, replaces := renamesIn(section, entries)
	for _, m := range entries {
		switch {
		case m.now == nil:
			c := Change{Section: section, Item: m.name, Kind: Removed, Breaking: true, Reason: "clients that use it fail", Old: m.old}
			if is, ok := renamed[m.name]; ok {
				c.Renamed, c.Reason = is.To, fmt.Sprintf("probably renamed to %q (%s): clients that use it fail", is.To, is.Why)
			}
			s.add(c)
		case m.old == nil:
			c := Change{Section: section, Item: m.name, Kind: Added, Reason: "no client uses it yet", New: m.now}
			if was, ok := replaces[m.name]; ok {
				c.Renamed, c.Reason = was.To, fmt.Sprintf("probably %q under another name (%s): no client uses it yet", was.To, was.Why)
			}
			s.add(c)
		default:
			s.entry(section, m.name, m.old, m.now)
		}
	}
}

// entry compares an entry of a list member by member. It adds a change for each member that differs, even if no
// rule determines its effect.
func (s *servers) entry(section, id string, old, now []byte) {
	if jsonrpc.Equal(old, now) {
		return
	}
	before := len(s.changes)
	for _, m := range membersOf(old, now) {
		if m.old == nil || m.now == nil || !jsonrpc.Equal(m.old, m.now) {
			c := Change{Section: section, Item: id, Path: "/" + jsonrpc.EscapePointer(m.name), Kind: m.kind(), Old: m.old, New: m.now}
			before := len(s.changes)
			s.member(c, m.name)
			s.orRewritten(before, c)
		}
	}
	s.orRewritten(before, Change{Section: section, Item: id, Kind: Changed, Old: old, New: now})
}

// orRewritten adds the change c of a value that differs, if none was added since the number before: a
// difference must not be left out because no rule recognizes it.
func (s *servers) orRewritten(before int, c Change) {
	if len(s.changes) == before {
		c.Reason = "it is written differently; no change of what it means was found"
		s.add(c)
	}
}

func (s *servers) member(c Change, name string) {
	c.Reason = forInformation
	switch c.Section + "/" + name {
	case "tools/inputSchema", "events/inputSchema":
		s.schemas(c, inputSchema)
		return
	case "tools/outputSchema":
		s.output(c)
		return
	case "events/payloadSchema":
		s.payload(c)
		return
	case "events/delivery":
		s.delivery(c)
		return
	case "prompts/arguments":
		s.arguments(c)
		return
	case "tools/annotations":
		s.annotations(c)
		return
	case "tools/execution":
		c.Breaking, c.Reason = executionBreaks(c.Old, c.New)
	case "resources/mimeType", "templates/mimeType":
		c.Breaking, c.Reason = c.Old != nil, "clients read the content by its media type"
	}
	s.add(c)
}

func (s *servers) schemas(c Change, use schemaUse) {
	for _, change := range schemaChanges(c.Old, c.New, use) {
		one := c
		one.Path, one.Breaking, one.Reason = c.Path+change.Path, change.Breaking, change.Reason
		s.add(one)
	}
}

func (s *servers) output(c Change) {
	switch c.Kind {
	case Added:
		c.Reason = "results have a schema now"
		s.add(c)
	case Removed:
		c.Breaking, c.Reason = true, "results no longer have a schema, but clients that read structuredContent depend on it"
		s.add(c)
	default:
		s.schemas(c, outputSchema)
	}
}

// arguments compares the arguments of a prompt.
func (s *servers) arguments(c Change) {
	isRequired := func(argument []byte) bool { return string(jsonrpc.Get(argument, "required")) == "true" }
	for _, m := range entriesOf(elementsOf(c.Old), elementsOf(c.New), "name") {
		one := Change{Section: c.Section, Item: c.Item, Path: "/arguments/" + jsonrpc.EscapePointer(m.name), Kind: m.kind(), Old: m.old, New: m.now}
		was, is := isRequired(m.old), isRequired(m.now)
		switch {
		case m.now == nil:
			one.Breaking, one.Reason = true, "a server may reject an argument that it does not know"
		case m.old == nil && is:
			one.Breaking, one.Reason = true, "the argument is required"
		case m.old == nil:
			one.Reason = "the argument is optional"
		case is && !was:
			one.Breaking, one.Reason = true, "the argument is required now"
		case was && !is:
			one.Reason = "the argument is no longer required"
		case jsonrpc.Equal(m.old, m.now):
			continue
		default:
			one.Reason = forInformation
		}
		s.add(one)
	}
}

// hints maps the annotations of a tool to the meaning of a missing one (ToolAnnotations): always the value with
// the most risk.
var hints = map[string]string{"/readOnlyHint": "false", "/destructiveHint": "true", "/idempotentHint": "false", "/openWorldHint": "true"}

// annotations compares the annotations of a tool, with their defaults. They are hints: hosts use them to decide
// what runs without confirmation, and no call fails.
func (s *servers) annotations(c Change) {
	before := len(s.changes)
	differences, _, err := Compare(orObject(c.Old), orObject(c.New), Options{Max: 100})
	if err != nil {
		return
	}
	for _, d := range differences {
		absent, isHint := hints[d.Path]
		old, now := cmp.Or(string(d.Old), absent), cmp.Or(string(d.New), absent)
		if isHint && jsonrpc.Equal([]byte(old), []byte(now)) {
			continue
		}
		one := c
		one.Path, one.Kind, one.Old, one.New, one.Reason = c.Path+d.Path, d.Kind, d.Old, d.New, "it is a hint"
		if d.Path == "/readOnlyHint" || d.Path == "/destructiveHint" {
			one.Reason = "it is a hint by which hosts ask for confirmation"
		}
		if isHint && d.Kind != Changed {
			one.Reason += fmt.Sprintf(", and %s where it is absent", absent)
		}
		if isHint && old == absent && (now == "true" || now == "false") {
			one.LessRisk = true
			one.Reason += "; it claims less risk than before"
		}
		s.add(one)
	}
	if len(s.changes) == before {
		c.Same, c.Reason = true, "the hints mean the same: one that is absent has its default"
		s.add(c)
	}
}

func orObject(value []byte) []byte {
	if value == nil {
		return []byte("{}")
	}
	return value
}

// executionBreaks decides by taskSupport: "forbidden" (the default), "optional" or
// "required" (server / utilities / tasks).
func executionBreaks(old, now []byte) (breaking bool, reason string) {
	of := func(execution []byte) string {
		if s := jsonrpc.Text(execution, "taskSupport"); s != "" {
			return s
		}
		return "forbidden"
	}
	a, b := of(old), of(now)
	switch {
	case a == b:
		return false, forInformation
	case b == "optional":
		return false, "the tool can be called as a task, and without one"
	case b == "required":
		return true, "the tool must be called as a task now"
	}
	return true, "the tool can no longer be called as a task"
}

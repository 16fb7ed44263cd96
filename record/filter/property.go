package filter

import (
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/record"
	"mcptea/record/store"
)

// matcher reports whether a frame has a property.
type matcher = func(fr *Frame) bool

// A property is an attribute of frames that a filter can test.
type property struct {
	takes   string // description of its values, for an error
	meaning string // meaning of the property, for a list
	example string
	values  func() []string // fixed values, or nil if there are none
	whole   bool            // a comma is part of the value
	changes bool            // a row that does not match now may match later
	linted  bool            // a frame with a finding matches
	bound   bool            // the property accepts >x and <x; the sign can replace the colon
	build   func(value string) matcher
}

// fixed returns a function for values that do not depend on the protocol version.
func fixed(values ...string) func() []string { return func() []string { return values } }

// valuesOf returns the values of a property, or the known ones if they are not fixed.
func (p property) valuesOf(name string, known func(name string) []string) []string {
	if p.values != nil {
		return p.values()
	}
	return known(name)
}

const toolProperty = "tool"

// A Language is the set of properties that a filter for a list can use. Without properties, it has only words.
type Language struct {
	Items string // noun for the items, in a sentence
	order []string
	names Names
}

// The languages.
var (
	Frames   = Language{Items: "frames", order: []string{"tool", "method", "status", "rule", "severity", "took", "since", "http", "code", "json", "kind", "level", "logger", "dir", "size", "id", "conn"}}
	Findings = Language{Items: "findings", order: []string{"rule", "severity", "tool", "method", "dir", "since", "code", "http", "took", "kind", "id", "conn"}}
	Messages = Language{Items: "log messages", order: []string{"level", "from", "logger", "since"}}
)

// lacks returns the end of a sentence about a property that is unknown or belongs to another language.
func (l Language) lacks(name string) string {
	var of []string
	for _, other := range []Language{Frames, Findings, Messages} {
		if slices.Contains(other.order, name) {
			of = append(of, other.Items)
		}
	}
	if len(of) == 0 {
		return "unknown." + l.proposal(name)
	}
	return "a property of " + strings.Join(of, " and ") + ", not of " + l.Items + "."
}

// otherNames maps the names that other programs have for properties to the names here.
var otherNames = map[string]string{
	"is": "status", "state": "status", "error": "status", "result": "status", "type": "kind", "name": "tool", "rpc": "method",
	"duration": "took", "latency": "took", "ms": "took", "time": "since", "direction": "dir", "path": "json", "jq": "json",
	"session": "conn", "request": "id", "log": "logger", "bytes": "size", "finding": "rule",
}

// proposal returns a question, after a blank, with the property that an unknown name may mean, or "".
func (l Language) proposal(name string) string {
	name = strings.ToLower(name)
	meant := otherNames[name]
	if near := phrase.Nearest(name, l.order); meant == "" && len(near) > 0 {
		meant = near[0]
	}
	if !slices.Contains(l.order, meant) {
		return ""
	}
	return " Did you mean " + properties[meant].example + "?"
}

// HasProperties reports whether the language has more than words.
func (l Language) HasProperties() bool { return len(l.order) > 0 }

// Examples returns an example for each property, the most common first.
func (l Language) Examples() []string {
	all := make([]string, len(l.order))
	for i, name := range l.order {
		all[i] = properties[name].example
	}
	return all
}

func (l Language) property(name string) (property, bool) {
	if name == columnTook {
		name = "took"
	}
	return properties[name], slices.Contains(l.order, name)
}

// cut splits a part into the name of a property and its value: at the colon, or before the < or > of a property
// that has bounds, so that took>100ms means took:>100ms.
func (l Language) cut(part string) (name, value string, found bool) {
	if at := strings.IndexAny(part, ":<>"); at > 0 && part[at] != ':' {
		if p, known := l.property(part[:at]); known && p.bound {
			return part[:at], part[at:], true
		}
	}
	return strings.Cut(part, ":")
}

var properties = map[string]property{
	"tool":     {takes: "the name of a tool, such as search or delete_*", meaning: "calls of a tool and their responses", example: "tool:search", build: named(1, func(fr *Frame) string { return fr.Tool() })},
	"method":   {takes: "a method, such as tools/call or notifications/*", meaning: "a method and the responses to it", example: "method:tools/*", build: named(0, func(fr *Frame) string { return fr.Method })},
	"status":   {takes: "ok, error, toolerror, pending, cancelled or late", meaning: "how it ended", example: "status:error", values: fixed("ok", "error", "toolerror", "pending", "cancelled", "late"), changes: true, build: oneOf(statuses)},
	"rule":     {takes: "the id of a rule, such as S011, S* or *", meaning: "frames with this finding", example: "rule:*", linted: true, build: ruleIs},
	"severity": {takes: "error, warning or info, and higher ones; also <warning or info..warning", meaning: "a finding of at least this severity", example: "severity:warning", values: fixed("error", "warning", "info"), linted: true, bound: true, build: severityIs},
	"level":    {takes: "a level such as info, warning or error, and higher ones; also <warning or info..warning", meaning: "a log message of at least this level", example: "level:warning", values: revision.Levels, bound: true, build: levelIs},
	"logger":   {takes: "the name of a logger, such as db or db.*", meaning: "log messages of a logger", example: "logger:db", build: named(1, func(fr *Frame) string { _, logger := fr.log(); return logger })},
	"from":     {takes: "server, stderr, stdout, http or mcptea", meaning: "log messages from there", example: "from:stderr", values: fixed("server", "stderr", "stdout", "http", "mcptea"), build: named(1, func(fr *Frame) string { return fr.From })},
	"took":     {takes: "a time such as >100ms, <2s or 1s..5s", meaning: "time from request to response", example: "took:>100ms", changes: true, bound: true, build: tookIs},
	"since":    {takes: "a time such as 30s or 5m, or a time of the day such as 14:28", meaning: "not older than", example: "since:30s", build: sinceIs},
	"http":     {takes: "a status such as 404 or 4xx", meaning: "status of the HTTP exchange", example: "http:4xx,5xx", changes: true, build: httpIs},
	"code":     {takes: "a number, such as -32602", meaning: "code of an error response", example: "code:-32602", build: codeIs},
	"json":     {takes: "a path, such as .error or .params.name=echo", meaning: "a value at a path", example: "json:.error", whole: true, build: jsonIs},
	"kind":     {takes: "request, notification, response, error, batch, event, delivery, invalid or http", meaning: "kind of frame", example: "kind:request", values: fixed("request", "notification", "response", "error", "batch", "event", "delivery", "invalid", "http"), build: oneOf(kinds())},
	"dir":      {takes: "in or out", meaning: "from the server, or to it", example: "dir:in", values: fixed("in", "out"), build: oneOf(directions)},
	"size":     {takes: "a size such as >1k, <200 or 1k..2M", meaning: "bytes of the frame", example: "size:>1k", bound: true, build: sizeIs},
	"id":       {takes: "an id", meaning: "id of the message", example: "id:7", build: idIs},
	"conn":     {takes: "the number of a connection, from 1, app or server", meaning: "connection", example: "conn:1", build: connIs},
}

// named selects a name. A value that ends with * matches the names with its prefix that have at least least
// bytes.
func named(least int, name func(*Frame) string) func(string) matcher {
	return func(value string) matcher {
		prefix, open := strings.CutSuffix(value, "*")
		return func(fr *Frame) bool {
			n := name(fr)
			return n == value || open && len(n) >= least && strings.HasPrefix(n, prefix)
		}
	}
}

func ruleIs(value string) matcher {
	prefix, open := strings.CutSuffix(strings.ToUpper(value), "*")
	return foundBy(func(id string, _ record.Severity) bool {
		return id == prefix || open && strings.HasPrefix(id, prefix)
	})
}

func severityIs(value string) matcher {
	in := ranked(value, []string{"info", "warning", "error"})
	if in == nil {
		return nil
	}
	return foundBy(func(_ string, s record.Severity) bool { return in(int(record.SeverityInfo) - int(s)) })
}

func foundBy(match func(id string, s record.Severity) bool) matcher {
	return func(fr *Frame) bool { return fr.Found != nil && fr.Found(match) }
}

func levelIs(value string) matcher {
	in := ranked(value, revision.Levels())
	if in == nil {
		return nil
	}
	return func(fr *Frame) bool {
		level, _ := fr.log()
		return level >= store.LevelDebug && in(int(level-store.LevelDebug))
	}
}

func httpIs(value string) matcher {
	class, isClass := strings.CutSuffix(value, "xx")
	n, err := strconv.Atoi(class)
	if err != nil {
		return nil
	}
	return func(fr *Frame) bool {
		if fr.HTTP == nil {
			return false
		}
		status := fr.HTTP()
		return status == n || isClass && status/100 == n
	}
}

func idIs(value string) matcher {
	text, token := jsonrpc.KeyOfText(value), jsonrpc.Key{}
	if id, ok := jsonrpc.ParseID(value); ok {
		token = id.Key()
	}
	return func(fr *Frame) bool {
		id := jsonrpc.TokenOf(fr.ID()).Key()
		return id == text || id == token && token != jsonrpc.Key{}
	}
}

func codeIs(value string) matcher {
	code, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return nil
	}
	return func(fr *Frame) bool { return fr.Row.ErrorCode().Is(code) }
}

// connIs selects the frames of a connection by its number, from 1, the frames of all apps, or the frames
// of the server.
func connIs(value string) matcher {
	if value == "app" || value == "server" {
		return func(fr *Frame) bool { return fr.Row.App == (value == "app") }
	}
	n, err := strconv.ParseUint(value, 10, 16)
	if err != nil || n == 0 {
		return nil
	}
	return func(fr *Frame) bool { return fr.Row.Conn == uint16(n) }
}

// A rowTest examines only the row.
type rowTest = func(r *store.Row) bool

// oneOf selects one of some values.
func oneOf(tests map[string]rowTest) func(string) matcher {
	return func(value string) matcher {
		test, ok := tests[value]
		if !ok {
			return nil
		}
		return func(fr *Frame) bool { return test(fr.Row) }
	}
}

func flagged(flag store.Flags) rowTest {
	return func(r *store.Row) bool { return r.Flags&flag != 0 }
}

var directions = map[string]rowTest{
	"in":  func(r *store.Row) bool { return r.Dir == transport.In },
	"out": func(r *store.Row) bool { return r.Dir == transport.Out },
}

var statuses = map[string]rowTest{
	"ok":        func(r *store.Row) bool { return r.Kind == jsonrpc.Response && !r.IsError() },
	"error":     (*store.Row).IsError,
	"toolerror": flagged(store.ToolError), "pending": flagged(store.Pending), "cancelled": flagged(store.Cancelled), "late": flagged(store.Late),
}

func kinds() map[string]rowTest {
	tests := map[string]rowTest{
		"http":     func(r *store.Row) bool { return r.Kind == store.KindExchange },
		"event":    (*store.Row).IsEvent,
		"delivery": func(r *store.Row) bool { return r.Kind == store.KindDelivery },
	}
	for k := jsonrpc.Invalid; k <= jsonrpc.Batch; k++ {
		tests[k.String()] = func(r *store.Row) bool { return r.Kind == k && !r.IsEvent() }
	}
	return tests
}

// jsonIs selects frames with a value at a path such as .a.b[0], optionally with a condition: =text, >number or
// <number.
func jsonIs(value string) matcher {
	path, sign, want := value, byte(0), ""
	if i := strings.IndexAny(value, "=<>"); i >= 0 {
		path, sign, want = value[:i], value[i], value[i+1:]
	}
	if !strings.HasPrefix(path, ".") || strings.Contains(path, "..") {
		return nil
	}
	steps := strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
	bound, err := strconv.ParseFloat(want, 64)
	if len(steps) == 0 || sign != 0 && sign != '=' && err != nil {
		return nil
	}
	return func(fr *Frame) bool {
		v, ok := valueAt(fr.Body(), steps)
		if !ok || sign == 0 {
			return ok
		}
		if sign == '=' {
			text, isText := jsonrpc.Unquote(v)
			return string(v) == want || isText && text == want
		}
		n, err := strconv.ParseFloat(string(v), 64)
		return err == nil && (sign == '<' && n < bound || sign == '>' && n > bound)
	}
}

func valueAt(v []byte, steps []string) ([]byte, bool) {
	for _, step := range steps {
		if len(v) > 0 && v[0] == '[' {
			n, err := strconv.Atoi(step)
			found := false
			for element := range jsonrpc.Elements(v) {
				if n == 0 && err == nil {
					v, found = element, true
					break
				}
				n--
			}
			if !found {
				return nil, false
			}
			continue
		}
		next, ok := jsonrpc.Start(v, step)
		if !ok {
			return nil, false
		}
		v = next
	}
	return v, true
}

package filter

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/record"
	"mcptea/record/store"
)

// Filter decides which frames are shown. The zero Filter accepts all. It may be used from one goroutine at a
// time.
type Filter struct {
	root    node
	parts   int
	nots    bool
	changes bool
	linted  bool
}

// part is a word, or a property.
type part struct {
	word  []byte      // a word in the body; match is nil then
	text  string      // word in lower case, for text outside of the body
	shown shown       // place of the text in a list
	fold  *foldedWord // the word without capitals, whose case does not count; or nil
	match matcher     // matcher of a property
	bit   uint8       // index among the parts of the filter
	// changes reports whether a row can match later, and linted whether it can because of a finding.
	changes, linted bool
}

// Frame holds the facts of a frame that a filter reads. Only Row, Method, Body, ID and Tool must be set.
type Frame struct {
	Row    *store.Row
	Index  int32         // the row of the store
	Method string        // method of the frame or of its request
	Newest int64         // time of the newest row, Unix nanoseconds
	Body   func() []byte // called only if the filter needs it, like all functions here
	ID     func() []byte
	// Tool is the tool that a tools/call names, or the request of a response does; empty
	// for other frames.
	Tool func() string
	// Took is the time from the request to the response, for both of them.
	Took func() (time.Duration, bool)
	HTTP func() int // the status of the exchange, or 0
	// Found reports whether match is true for a finding: the id of its rule or probe, and how
	// severe it is.
	Found func(match func(id string, s record.Severity) bool) bool
	// Shown returns text that a list shows for the frame and that is not in its bytes, such as the user's note,
	// in lower case.
	Shown func() string
	// Log is the level and the logger of an entry of the log. Without it they are read from a
	// frame that is a log message.
	Log func() (level store.Level, logger string)
	// From is the source of a log entry, as in its column.
	From string
}

// log returns the level of a log message and its logger; LevelNone for other frames. A level
// that MCP does not have counts as info, bytes that are not a message as an error.
func (fr *Frame) log() (level store.Level, logger string) {
	switch {
	case fr.Log != nil:
		return fr.Log()
	case fr.Row.Kind == jsonrpc.Invalid && !fr.Row.IsEvent():
		return store.LevelError, ""
	case fr.Method != methodMessage || fr.Row.Kind != jsonrpc.Notification:
		return store.LevelNone, ""
	}
	params, _ := jsonrpc.Member(fr.Body(), "params")
	member := func(name string) string {
		value, _ := jsonrpc.Member(params, name)
		text, _ := jsonrpc.Unquote(value)
		return text
	}
	level = store.LevelInfo
	if i := slices.Index(revision.Levels(), member("level")); i >= 0 {
		level = store.LevelDebug + store.Level(i)
	}
	return level, member("logger")
}

// OfText returns a frame whose text a filter of words searches.
func OfText(text string) *Frame {
	return &Frame{Row: &store.Row{}, Body: func() []byte { return []byte(text) }}
}

// Tool returns the tool that a request names, which has the method and may be cut off after it;
// empty for requests that are not tool call.
func Tool(frame []byte, method string) string {
	if method != methodCall {
		return ""
	}
	name, _ := jsonrpc.Start(frame, "params", "name")
	text, _ := jsonrpc.Unquote(name)
	return text
}

const (
	methodCall    = "tools/call"
	methodMessage = "notifications/message"
)

// OfRow sets the functions of a frame that read the store with a scanner. They read the frame of Row at the
// time of the call.
func (fr *Frame) OfRow(s *store.Store, scanner *store.Scanner) {
	if newest, ok := s.Row(int32(s.Snapshot().Rows) - 1); ok {
		fr.Newest = newest.Time
	}
	notes := map[int32]string{}
	for _, m := range s.Marks() {
		notes[m.Row] = strings.ToLower(m.Note)
	}
	if len(notes) > 0 {
		fr.Shown = func() string { return notes[fr.Index] }
	}
	fr.Took = func() (time.Duration, bool) {
		other, ok := s.Row(fr.Row.Pair)
		switch {
		case !ok:
			return 0, false
		case fr.Row.Kind == jsonrpc.Request:
			return time.Duration(other.Time - fr.Row.Time), true
		}
		return time.Duration(fr.Row.Time - other.Time), true
	}
	fr.HTTP = func() int {
		if !fr.Row.IsFrame() {
			return fr.Row.Status()
		}
		x, _ := s.ExchangeOf(fr.Row.Exchange)
		return x.Status
	}
	fr.Body = func() []byte { return scanner.Text(fr.Row) }
	fr.ID = func() []byte { return scanner.ID(fr.Row) }
	fr.Tool = func() string {
		if fr.Method != methodCall {
			return ""
		}
		if fr.Row.Kind == jsonrpc.Request {
			return Tool(scanner.Body(fr.Row), methodCall)
		}
		head, err := s.Head(fr.Row.Pair, maxToolHead)
		if err != nil {
			return "" // the request is not in the record, or cannot be read
		}
		return Tool(head, methodCall)
	}
}

// maxToolHead is the number of bytes of a request that are searched for the name of its tool.
const maxToolHead = 64 << 10

// Changes reports whether a frame can pass at one time and not at another,
// because the filter asks how requests ended.
func (f *Filter) Changes() bool { return f.changes }

// Linted reports whether a frame can pass when a rule has found something in it.
func (f *Filter) Linted() bool { return f.linted }

// Words returns the words that an item must contain, to mark them on the screen.
func (f *Filter) Words() []string { return f.root.words(nil) }

// Empty reports whether everything passes.
func (f *Filter) Empty() bool { return len(f.root.list) == 0 }

// Match reports whether a frame passes.
func (f *Filter) Match(fr *Frame) bool {
	m := matching{Frame: fr}
	return f.root.list == nil || m.has(&f.root)
}

// Spans reports whether the frames of an exchange are matched together, with [Filter.Mask] and [Filter.Holds]:
// wanted parts may be in different frames, excluded parts must be in none, and parts that can change are
// matched again. Otherwise an exchange passes if any of its frames does.
func (f *Filter) Spans() bool {
	return (f.parts > 1 || f.nots || f.changes || f.linted) && f.parts <= maxSpanning
}

// maxSpanning is the number of parts that have a bit.
const maxSpanning = 64

// Mask returns a bit for each part that matches the frame.
func (f *Filter) Mask(fr *Frame) (mask uint64) {
	m := matching{Frame: fr}
	f.root.walk(func(p *part) {
		if m.is(p) {
			mask |= 1 << p.bit
		}
	})
	return mask
}

// Wanted returns the bits of [Filter.Mask] for wanted parts, not for excluded ones.
func (f *Filter) Wanted() (mask uint64) {
	f.root.wanted(func(p *part) { mask |= 1 << p.bit })
	return mask
}

// Holds reports whether frames pass together that have the parts of a mask.
func (f *Filter) Holds(mask uint64) bool { return f.root.list == nil || f.root.holds(mask) }

func (n *node) holds(mask uint64) bool {
	if n.list == nil {
		return (mask&(1<<n.part.bit) != 0) != n.not
	}
	hit := !n.any
	for i := range n.list {
		if hit = n.list[i].holds(mask); hit == n.any {
			break
		}
	}
	return hit != n.not
}

// wanted visits the parts that are not excluded.
func (n *node) wanted(visit func(p *part)) {
	switch {
	case n.not:
	case n.list == nil:
		visit(&n.part)
	default:
		for i := range n.list {
			n.list[i].wanted(visit)
		}
	}
}

func (n *node) hasNot() bool {
	return n.not || slices.ContainsFunc(n.list, func(n node) bool { return n.hasNot() })
}

// matching is a frame whose bytes are read once.
type matching struct {
	*Frame
	body   []byte
	loaded bool
}

func (m *matching) has(n *node) bool {
	if n.list == nil {
		return m.is(&n.part) != n.not
	}
	hit := !n.any
	for i := range n.list {
		if hit = m.has(&n.list[i]); hit == n.any {
			break
		}
	}
	return hit != n.not
}

func (m *matching) is(p *part) bool {
	if p.match != nil {
		return p.match(m.Frame)
	}
	if !m.loaded {
		m.body, m.loaded = m.Body(), true
	}
	if p.fold != nil {
		return p.fold.index(m.body) >= 0 || m.shows(&p.shown)
	}
	return bytes.Contains(m.body, p.word) || m.shows(&p.shown)
}

func wordPart(word string) part {
	p := part{word: []byte(word), text: strings.ToLower(word)}
	if p.text == word {
		folded := newFoldedWord(word)
		p.fold = &folded
	}
	p.linted = isRule(p.text)
	p.shown = newShown(p.text)
	return p
}

// isRule reports whether a word can be the id of a rule: a letter and digits.
func isRule(word string) bool {
	return len(word) > 1 && word[0] >= 'a' && word[0] <= 'z' && strings.Trim(word[1:], "0123456789") == ""
}

// Rows returns the rows of a store that pass, in their order.
func (f *Filter) Rows(s *store.Store) []int32 {
	var rows []int32
	scanner := s.NewScanner()
	var fr Frame
	fr.OfRow(s, scanner)
	scanner.Rows(0, s.Snapshot().Rows, func(i int32, r *store.Row) bool {
		if fr.Row, fr.Index, fr.Method = r, i, s.Method(r.Method); f.Match(&fr) {
			rows = append(rows, i)
		}
		return true
	})
	return rows
}

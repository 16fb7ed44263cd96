package filter

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/store"
)

// Filter decides which frames are shown. The zero Filter lets all through. It
// may be used from one goroutine at a time.
type Filter struct {
	parts []part
}

type part struct {
	not   bool
	word  []byte      // a word in the body; match is nil then
	fold  *foldedWord // the word without capitals, whose case does not count; or nil
	match matcher     // of a property
	// changes says that a row can match later.
	changes bool
}

// matcher reports whether a frame has a property.
type matcher = func(fr Frame) bool

// Frame is what a filter looks at.
type Frame struct {
	Row    *store.Row
	Method string        // of the frame, or of its request
	Body   func() []byte // called only when the filter needs it
	ID     func() []byte // likewise
	// Tool is the tool that a tools/call names, or the request of a response does; empty
	// for other frames. It is called only when the filter needs it.
	Tool func() string
}

// Tool returns the tool that a request names, which has the method; empty for requests
// that are no tool call.
func Tool(frame []byte, method string) string {
	if method != methodCall {
		return ""
	}
	params, _ := jsonrpc.Member(frame, "params")
	return jsonrpc.Text(params, "name")
}

const methodCall = "tools/call"

// OfRow completes a frame with what a scanner of its store reads: the frame is that of Row
// at the time of the call.
func (fr *Frame) OfRow(s *store.Store, scanner *store.Scanner) {
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
			return "" // its request is not in the record
		}
		params, _ := jsonrpc.Start(head, "params")
		name, _ := jsonrpc.Start(params, "name")
		text, _ := jsonrpc.Unquote(name)
		return text
	}
}

// maxToolHead is how much of a request is read for the name of its tool, in bytes.
const maxToolHead = 64 << 10

// Parse reads a filter. The error says which part is wrong and what is
// possible there.
func Parse(text string) (Filter, error) {
	var f Filter
	for _, token := range split(text) {
		p, err := parsePart(token)
		if err != nil {
			return Filter{}, err
		}
		f.parts = append(f.parts, p)
	}
	return f, nil
}

// Changes reports whether a frame can pass at one time and not at another,
// because the filter asks how requests stand.
func (f *Filter) Changes() bool {
	return slices.ContainsFunc(f.parts, func(p part) bool { return p.changes })
}

// Empty reports whether everything passes.
func (f *Filter) Empty() bool { return len(f.parts) == 0 }

// Match reports whether a frame passes.
func (f *Filter) Match(fr Frame) bool {
	var body []byte
	loaded := false
	for i := range f.parts {
		p := &f.parts[i]
		if p.match == nil && !loaded {
			body, loaded = fr.Body(), true
		}
		var hit bool
		switch {
		case p.match != nil:
			hit = p.match(fr)
		case p.fold != nil:
			hit = p.fold.in(body)
		default:
			hit = bytes.Contains(body, p.word)
		}
		if hit == p.not {
			return false
		}
	}
	return true
}

// split cuts at blanks that are not inside quotes.
func split(text string) []string {
	var tokens []string
	var b strings.Builder
	quoted := false
	for _, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
			b.WriteRune(r)
		case unicode.IsSpace(r) && !quoted:
			if b.Len() > 0 {
				tokens = append(tokens, b.String())
			}
			b.Reset()
		default:
			b.WriteRune(r)
		}
	}
	if b.Len() > 0 {
		tokens = append(tokens, b.String())
	}
	return tokens
}

func parsePart(token string) (part, error) {
	var p part
	if rest, ok := strings.CutPrefix(token, "-"); ok && rest != "" {
		p.not, token = true, rest
	}
	key, value, found := strings.Cut(token, ":")
	build := properties[key]
	if found && build == nil && isWord(key) && !strings.HasPrefix(value, "/") {
		names := strings.Join(slices.Sorted(maps.Keys(properties)), ", ")
		return p, fmt.Errorf(`unknown property "%s:" (known: %s); "%s" in quotes looks for the text`, key, names, token)
	}
	if found && build != nil {
		value, _ = unquote(value)
		if value == "" {
			return p, fmt.Errorf("missing value after %q", key+":")
		}
		var err error
		p.match, err = build(value)
		p.changes = key == "status"
		return p, err
	}
	word, ok := unquote(token)
	if !ok {
		return p, fmt.Errorf("missing closing quotation mark: %s", token)
	}
	p.word = []byte(word)
	if strings.ToLower(word) == word {
		folded := newFoldedWord(word)
		p.fold = &folded
	}
	return p, nil
}

// unquote removes the quotation marks of a part; one that is written twice inside of
// quotes stays. It reports false when the last one is missing.
func unquote(token string) (text string, ok bool) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(token); i++ {
		switch {
		case token[i] != '"':
			b.WriteByte(token[i])
		case quoted && strings.HasPrefix(token[i+1:], `"`):
			b.WriteByte('"')
			i++
		default:
			quoted = !quoted
		}
	}
	return b.String(), !quoted
}

// Quote returns a filter for a text, whatever is in it.
func Quote(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// isWord reports whether a key looks as if it was meant as a property.
func isWord(key string) bool {
	for _, r := range key {
		if r < 'a' || r > 'z' {
			return false
		}
	}
	return key != ""
}

const toolProperty = "tool"

// properties make the matcher of a value.
var properties = map[string]func(value string) (matcher, error){
	"conn": connIs,
	"method": func(value string) (matcher, error) {
		return nameIs(value, 0, func(fr Frame) string { return fr.Method })
	},
	toolProperty: func(value string) (matcher, error) {
		return nameIs(value, 1, func(fr Frame) string { return fr.Tool() })
	},
	"id":   idIs,
	"dir":  func(value string) (matcher, error) { return oneOf(value, directions, `"dir:" takes in or out, not %q`) },
	"kind": kindIs,
	"status": func(value string) (matcher, error) {
		return oneOf(value, statuses, "status:%s is not one of ok, error, toolerror, pending, cancelled, late")
	},
	"code": codeIs,
	"size": sizeIs,
}

// nameIs selects a name, with * at the end any rest of it, if it has so many bytes.
func nameIs(value string, least int, name func(Frame) string) (matcher, error) {
	prefix, ok := strings.CutSuffix(value, "*")
	if !ok {
		return func(fr Frame) bool { return name(fr) == value }, nil
	}
	return func(fr Frame) bool {
		n := name(fr)
		return len(n) >= least && strings.HasPrefix(n, prefix)
	}, nil
}

func idIs(value string) (matcher, error) {
	quoted := string(jsonrpc.StringID(value))
	return func(fr Frame) bool {
		id := string(fr.ID())
		return id == value || id == quoted
	}, nil
}

// rowTest looks at the row alone.
type rowTest = func(r *store.Row) bool

// oneOf selects one of some values.
func oneOf(value string, tests map[string]rowTest, unknown string) (matcher, error) {
	test, ok := tests[value]
	if !ok {
		return nil, fmt.Errorf(unknown, value)
	}
	return func(fr Frame) bool { return test(fr.Row) }, nil
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

func kindIs(value string) (matcher, error) {
	tests := map[string]rowTest{
		"http":  func(r *store.Row) bool { return r.Kind == store.KindExchange },
		"event": (*store.Row).IsEvent,
	}
	for k := jsonrpc.Invalid; k <= jsonrpc.Batch; k++ {
		tests[k.String()] = func(r *store.Row) bool { return r.Kind == k && !r.IsEvent() }
	}
	return oneOf(value, tests, "kind:%s is not one of request, notification, response, error, batch, event, invalid, http")
}

func codeIs(value string) (matcher, error) {
	code, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("code:%s is not a number", value)
	}
	return func(fr Frame) bool { return fr.Row.Kind == jsonrpc.ErrorResponse && fr.Row.Code == code }, nil
}

// connIs selects the frames of a connection by its number, from 1.
func connIs(value string) (matcher, error) {
	n, err := strconv.ParseUint(value, 10, 16)
	if err != nil || n == 0 {
		return nil, fmt.Errorf("conn:%s is not the number of a connection", value)
	}
	return func(fr Frame) bool { return fr.Row.Conn == uint16(n) }, nil
}

// sizeIs compares the bytes of a frame: size:>1k, size:<200.
func sizeIs(value string) (matcher, error) {
	number := strings.TrimLeft(value, "<>")
	sign, unit := value[:len(value)-len(number)], int64(1)
	for suffix, factor := range map[string]int64{"k": 1e3, "M": 1e6} {
		if n, ok := strings.CutSuffix(number, suffix); ok {
			number, unit = n, factor
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || sign != "<" && sign != ">" {
		return nil, fmt.Errorf("size:%s is not like >1k or <200", value)
	}
	n *= unit
	return func(fr Frame) bool {
		if sign == "<" {
			return int64(fr.Row.Size) < n
		}
		return int64(fr.Row.Size) > n
	}, nil
}

// Rows returns the rows of a store that pass, in their order.
func (f *Filter) Rows(s *store.Store) []int32 {
	var rows []int32
	scanner := s.NewScanner()
	var fr Frame
	fr.OfRow(s, scanner)
	scanner.Rows(0, s.Snapshot().Rows, func(i int32, r *store.Row) bool {
		if fr.Row, fr.Method = r, s.Method(r.Method); f.Match(fr) {
			rows = append(rows, i)
		}
		return true
	})
	return rows
}

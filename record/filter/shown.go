package filter

import (
	"net/http"
	"strconv"
	"strings"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
)

// A shown describes where a list shows a word that need not be in the bytes of a frame. It is computed once per
// word, because a filter examines millions of rows. The zero shown matches nothing.
type shown struct {
	word   string // searched word in lower case, or "" if it is too short
	number int32  // number of the row for #12; 0 for other words
	flags  store.Flags
	faults uint64 // a bit for each jsonrpc.Fault
	became uint64 // a bit for each record.Changed
	states []*state
	rule   func(id string, _ record.Severity) bool // whether a rule has this id; nil if no rule can
}

// flagWords lists the words that a list shows for the flags of a row.
var flagWords = []struct {
	flag store.Flags
	text string
}{
	{store.UnknownID, "unknown id"},
	{store.DuplicateResponse, "2nd response"},
	{store.NoID, "no id"},
	{store.DuplicateID, "id reused"},
	{store.Late, "late"},
	{store.Torn, "cut off"},
	{store.Abandoned, "no response"},
	{store.OddEnding, "crlf"},
	{store.ToolError, "tool error"},
	{store.TimedOut, "timed out"},
	{store.Cancelled, "cancelled"},
	{store.Pending, "pending"},
}

// A state is a word that a list shows if something is true of a row.
type state struct {
	text    string
	typed   func(text, word string) bool // whether the word of the filter means it
	inBytes bool                         // only the bytes of the frame decide
	is      func(fr *Frame) bool
}

var states = []state{
	{"malformed", strings.HasPrefix, true, func(fr *Frame) bool { return fr.Row.Flaws != 0 }},
	{"batch", whole, true, func(fr *Frame) bool { return fr.Row.Kind == jsonrpc.Batch }},
	{"log", whole, true, func(fr *Frame) bool { return fr.Row.Kind == jsonrpc.Notification && fr.Method == methodMessage }},
	{"ok", whole, true, func(fr *Frame) bool { return fr.Row.Kind == jsonrpc.Response }},
	{"delivery", whole, false, func(fr *Frame) bool { return fr.Row.Kind == store.KindDelivery }},
	{"auth", whole, false, func(fr *Frame) bool {
		return fr.Row.Kind == store.KindExchange && fr.Row.Dir == transport.Out && fr.Method != transport.PurposeTrial
	}},
	{"trial", whole, false, func(fr *Frame) bool { return fr.Row.Kind == store.KindExchange && fr.Method == transport.PurposeTrial }},
}

func whole(text, word string) bool { return text == word }

// newShown finds where lists show a word, which has small letters.
func newShown(word string) (s shown) {
	if len(word) < 2 {
		return s
	}
	s.word = word
	if digits, ok := strings.CutPrefix(word, "#"); ok {
		if n, err := strconv.ParseInt(digits, 10, 32); err == nil && digits == strconv.FormatInt(n, 10) {
			s.number = int32(n)
		}
		return s
	}
	for _, f := range flagWords {
		if strings.Contains(f.text, word) {
			s.flags |= f.flag
		}
	}
	for f := jsonrpc.FaultEmpty; f <= jsonrpc.FaultTrailingBytes; f++ {
		if strings.Contains(strings.ToLower(f.String()), word) {
			s.faults |= 1 << f
		}
	}
	for c := record.Forwarded; c <= record.Added; c++ {
		if strings.Contains(c.String(), word) {
			s.became |= 1 << c
		}
	}
	for i := range states {
		if states[i].typed(states[i].text, word) {
			s.states = append(s.states, &states[i])
		}
	}
	if isRule(word) {
		s.rule = func(id string, _ record.Severity) bool {
			return len(id) >= len(word) && strings.EqualFold(id[:len(word)], word)
		}
	}
	return s
}

// inBytes reports whether the bytes alone may decide [Frame.shows] for some frame: see [store.Scanner.Find].
// Findings of rules count.
func (s *shown) inBytes() bool {
	for _, st := range s.states {
		if st.inBytes {
			return true
		}
	}
	return strings.HasPrefix(s.word, "#") || s.flags != 0 || s.faults != 0 || s.rule != nil
}

// shows reports whether a list shows a word in the row of the frame.
func (fr *Frame) shows(s *shown) bool {
	r := fr.Row
	switch {
	case s.word == "":
		return false
	case s.word[0] == '#':
		return s.number > 0 && s.number == fr.Index+1
	case r.Flags&s.flags != 0,
		r.Kind == jsonrpc.Invalid && s.faults>>r.Fault&1 != 0,
		s.became>>r.Changed&1 != 0,
		(r.Kind == store.KindExchange || r.Kind == store.KindDelivery) && strings.Contains(statusText(r.Status()), s.word),
		s.rule != nil && fr.Found != nil && fr.Found(s.rule):
		return true
	}
	for _, st := range s.states {
		if st.is(fr) {
			return true
		}
	}
	return fr.Shown != nil && strings.Contains(fr.Shown(), s.word)
}

// statusTexts returns the texts of HTTP status codes, as a list shows them.
var statusTexts = sync.OnceValue(func() []string {
	texts := make([]string, 1000)
	for code := range texts {
		texts[code] = "http " + strconv.Itoa(code) + " " + strings.ToLower(http.StatusText(code))
	}
	return texts
})

func statusText(code int) string {
	if texts := statusTexts(); code >= 0 && code < len(texts) {
		return texts[code]
	}
	return "http " + strconv.Itoa(code) + " " // status in a recording that was edited
}

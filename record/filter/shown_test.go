package filter

import (
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
)

// shownFrames have no bytes: what a list shows of them is in the row.
var shownFrames = []struct {
	name string
	fr   Frame
	by   string // words that find it, apart by commas
	not  string // words that do not
}{
	{"late", Frame{Row: &store.Row{Flags: store.Late}}, "late,at", "pending,timed out"},
	{"fault", Frame{Row: &store.Row{Kind: jsonrpc.Invalid, Fault: jsonrpc.FaultNotUTF8}}, "utf-8,not", "json"},
	{"flaw", Frame{Row: &store.Row{Flaws: 1}}, "malformed,mal", "formed"},
	{"batch", Frame{Row: &store.Row{Kind: jsonrpc.Batch}}, "batch", "bat"},
	{"log", Frame{Row: &store.Row{Kind: jsonrpc.Notification}, Method: methodMessage}, "log", "lo"},
	{"response", Frame{Row: &store.Row{Kind: jsonrpc.Response}}, "ok", "log"},
	{"dropped", Frame{Row: &store.Row{Changed: record.Dropped}}, "dropped,drop", "edited"},
	{"exchange", Frame{Row: exchangeRow(511, true)}, "http 5,511,network auth", "404,auth required,x"},
	{"authorization", Frame{Row: exchangeRow(200, false)}, "auth,ok", "authorization"},
	{"row", Frame{Row: &store.Row{}, Index: 1203}, "#1204", "#120,#01204,#12040"},
	{"finding", Frame{Row: &store.Row{}, Found: func(match func(string, record.Severity) bool) bool { return match("T016", record.SeverityWarning) }}, "t016,t0", "t02,s016"},
	{"note", Frame{Row: &store.Row{}, Shown: func() string { return "a note" }}, "note", "nothing"},
}

// exchangeRow is the row of an exchange, which only a store makes.
func exchangeRow(status int, failed bool) *store.Row {
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	s.Exchange(&transport.Exchange{ID: 1, Purpose: "authorization", Method: "POST", URL: "http://h/", Phase: transport.ExchangeDone, Status: status, Failed: failed})
	r, _ := s.Row(0)
	return &r
}

func TestMatch_ShownWords(t *testing.T) {
	for _, tt := range shownFrames {
		for want, words := range map[bool]string{true: tt.by, false: tt.not} {
			for word := range strings.SplitSeq(words, ",") {
				s := newShown(word)
				if tt.fr.shows(&s) != want {
					t.Errorf("%s: %q is shown: %t, want %t", tt.name, word, !want, want)
				}
			}
		}
	}
}

// A filter looks at each row of a record, which has millions.
func TestMatch_ShownWordsAllocateNothing(t *testing.T) {
	for _, tt := range shownFrames {
		for word := range strings.SplitSeq(tt.by+","+tt.not, ",") {
			s := newShown(word)
			if n := testing.AllocsPerRun(10, func() { tt.fr.shows(&s) }); n > 0 {
				t.Errorf("%s: %q allocates %.0f times for each row", tt.name, word, n)
			}
		}
	}
}

package parts_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/raced"
	"mcptea/lint"
	"mcptea/record"
	"mcptea/record/filter"
	"mcptea/record/store"
	"mcptea/ui/frames"
)

// longText lies over the end of some of the pieces that are read.
var longText = strings.Repeat("long text ", 20)

// variedStore has a few MB of frames, with rows of all kinds between them.
func variedStore(t *testing.T, random *rand.Rand) *store.Store {
	t.Helper()
	s := storeOf(t)
	s.Connection(record.Connection{What: record.ConnectionOpened, Transport: "http"})
	beside := s.Beside(record.Connection{Transport: "stdio"})
	for i := range 6_000 {
		text, flags := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"text":"Alpha %d %s"}}`, i, random.IntN(1000), longText), random.IntN(400)
		f := transport.Frame{Dir: transport.In, Ending: "\n"}
		switch {
		case flags == 0:
			text = strings.Repeat("x", random.IntN(2<<20)) + "needle alpha"
		case flags < 5:
			text = "stray \xff alpha ERROR"
		case flags < 10:
			s.Process(transport.ProcessEvent{What: transport.ProcessExited, ExitCode: i}, "process exited  needle alpha")
		case flags < 15:
			beside.Process(transport.ProcessEvent{What: transport.ProcessExited})
		case flags < 20:
			s.Exchange(&transport.Exchange{ID: uint32(i), Purpose: transport.PurposeAuthorization, Method: "GET", URL: "http://alpha/needle", Phase: transport.ExchangeDone, Status: 404})
		case flags < 25:
			_ = s.SetMark(record.Mark{Row: max(0, int32(s.Snapshot().Rows)-1), Marked: true, Note: "beta"})
		case flags < 150:
			text, f.Dir = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"needle %d"}}`, i, i%7), transport.Out
		case flags < 200:
			text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32602,"message":"NEEDLE %d"}}`, i, i)
		}
		f.Bytes, f.Envelope, f.Time = []byte(text), jsonrpc.Scan([]byte(text)), time.Unix(int64(i), 0)
		row := s.Append(f)
		if flags == 300 {
			s.Changed(&record.Change{Row: max(0, row-int32(random.IntN(700))), What: record.Edited, Received: []byte("gamma needle")})
		}
	}
	return s
}

// randomFilter is a filter of words and properties.
func randomFilter(random *rand.Rand) string {
	words := []string{
		"alpha", "Alpha", "needle", "NEEDLE", "needle 3", "beta", "gamma", "error", "ERROR", "12", "7}", "#12", "stray", "404", "auth", "exited", "edited", "process", "xxxx", "not utf-8",
		"dir:in", "kind:request", "kind:http", "status:error", "method:tools/*", "code:-32602", "size:>100", "x", `"`, "tool:needle*", "attached", "ok", "http",
	}
	var parts []string
	for range 1 + random.IntN(3) {
		part := words[random.IntN(len(words))]
		if strings.Contains(part, " ") || part == `"` {
			part = `"` + strings.ReplaceAll(part, `"`, `""`) + `"`
		}
		parts = append(parts, []string{"", "", "", "-"}[random.IntN(4)]+part)
	}
	text := strings.Join(parts, []string{" ", " ", " or "}[random.IntN(3)])
	if random.IntN(5) == 0 {
		text = "(" + text + ") " + words[random.IntN(5)]
	}
	return text
}

// A search of the bytes finds the frames that pass when each is looked at by itself.
// frameAsShown is what a filter looks at in a list of frames: the frame, with its findings, who
// sent it, and whether it waits for the user.
func frameAsShown(of *frames.Program, each *store.Scanner) *filter.Frame {
	f := &filter.Frame{}
	f.OfRow(of.Store(), each)
	f.Found = func(match func(id string, of lint.Severity) bool) bool {
		return slices.ContainsFunc(of.Source.FindingsAt(f.Index), func(x lint.Finding) bool { return match(x.Rule.ID, x.Severity) })
	}
	agents, note := of.Agents(), f.Shown
	f.Shown = func() (text string) {
		if note != nil {
			text = note()
		}
		if by := of.SentBy(agents, f.Index, f.Row); by != "" {
			text += "\n" + by
		}
		if frames.WaitsForUser(f.Row, f.Method) {
			text += "\nwaits for you"
		}
		return text
	}
	return f
}

func TestFrames_Scan_EqualToEachRow(t *testing.T) {
	raced.Never(t, "searches all rows for each text, twice")
	random := rand.New(rand.NewPCG(21, 7))
	s := variedStore(t, random)
	p := programOf(t, s)
	p.of.Filter = frames.NewFilter(source{s}, filter.Names{})
	found := 0
	for n := range 60 {
		text := randomFilter(random)
		p.of.Filter.Set(text)
		scan := p.of.NewScan()
		for scan.Look(s.Snapshot().Rows, s.Snapshot().Generation) {
		}
		var want []int32
		each := s.NewScanner()
		f := frameAsShown(&p.of, each)
		each.Rows(0, s.Snapshot().Rows, func(i int32, r *store.Row) bool {
			if f.Row, f.Index, f.Method = r, i, s.Method(r.Method); scan.Compiled().Match(f) {
				want = append(want, i)
			}
			return true
		})
		if !slices.Equal(scan.Passed, want) && (scan.On() || len(want) != s.Snapshot().Rows) {
			t.Fatalf("filter %d, %q: %d rows pass, want %d; the first differences are %v", n, text, len(scan.Passed), len(want), difference(scan.Passed, want))
		}
		if found += len(want); n == 30 {
			s.Flush()
		}
	}
	if found == 0 {
		t.Error("nothing passes any filter")
	}
}

// difference has the first rows that only one of two lists has.
func difference(a, b []int32) (rows []int32) {
	for _, lists := range [][2][]int32{{a, b}, {b, a}} {
		for _, row := range lists[0] {
			if _, found := slices.BinarySearch(lists[1], row); !found && len(rows) < 10 {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// needle is plain bytes.
type needle []byte

func (n needle) Len() int           { return len(n) }
func (n needle) Index(b []byte) int { return bytes.Index(b, n) }

// All rows whose bytes have a text are found, wherever a piece of the record ends.
func TestFrames_Find_EqualToEachRow(t *testing.T) {
	raced.Never(t, "searches all rows for each text, twice")
	s := variedStore(t, rand.New(rand.NewPCG(3, 4)))
	rows := int32(s.Snapshot().Rows)
	for _, of := range []needle{needle("needle"), needle(longText), needle(strings.Repeat("x", 1000)), needle(`"id":9`), needle(`"n":`), needle("\n")} {
		for _, end := range []int32{rows, rows - 700, 1} {
			var found []int32
			scanner := s.NewScanner()
			for from := int32(0); from < end; {
				more, next := scanner.Find(of, from, end)
				if next <= from || len(more) > 0 && (more[0] < from || more[len(more)-1] >= next) || next > end {
					t.Fatalf("%q: rows %d to %d has %v", of, from, next, more)
				}
				found, from = append(found, more...), next
			}
			scanner.Rows(0, int(end), func(i int32, r *store.Row) bool {
				_, is := slices.BinarySearch(found, i)
				if has := of.Index(scanner.Body(r)) >= 0; has && !is || !has && is && r.IsPlain() {
					t.Fatalf("%q: row %d of %d is found: %t, %+v", of, i, end, is, r)
				}
				return true
			})
		}
	}
}

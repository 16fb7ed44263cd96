package traffic

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
)

// maxExtremes bounds the exchanges of each kind in the window.
const maxExtremes = 7

// extremes lists the orders of the window of extreme exchanges.
var extremes = [...]struct {
	group string
	least int64 // minimum value of a listed exchange
	say   func(n int64) string
}{
	{"slowest", 0, func(n int64) string { return phrase.Took(time.Duration(n)) }},
	{"most frames", 2, func(n int64) string { return phrase.Count(int(n), "frame") }}, // each exchange has at least a request and a response
	{"most bytes", 0, phrase.Size},
}

// An extreme is an exchange with an extreme value, such as the longest duration.
type extreme struct {
	root int32
	n    int64
}

// extremesCommand lists the slowest exchanges, and those with the most frames and bytes.
func (p *Pane) extremesCommand() keys.Command {
	return keys.Command{
		ID: "sort", Verb: keys.Sort, Label: "slowest", Help: "List the slowest exchanges, and those with most frames and bytes, to go to one",
		Words: "sort order by duration time longest largest biggest size progress top slow", Footer: 33, Run: p.listExtremes,
		Off: func() string { return keys.Reason(p.limit == 0, "No frames yet.") },
	}
}

// listExtremes finds the extremes among the exchanges that match the filter, on a goroutine, and opens the
// window.
func (p *Pane) listExtremes() {
	var passed []int32
	if p.scan.On() {
		passed = slices.Clone(p.scan.Passed)
	}
	end, filtered := int32(p.limit), p.scan.On()
	p.work.Start(p.app.App, func(ctx context.Context) func() {
		found := findExtremes(ctx, p.store, end, passed, filtered)
		return func() { p.openExtremes(found, filtered) }
	})
}

// findExtremes returns the extremes of the exchanges of the rows before end. If filtered is set, only exchanges
// with a row in passed count. It may take long.
func findExtremes(ctx context.Context, s *store.Store, end int32, passed []int32, filtered bool) (found [len(extremes)][]extreme) {
	frames, bytes, until, passes := make([]int32, end), make([]int64, end), make([]int64, end), make([]bool, end)
	for _, row := range passed {
		passes[s.Root(row)] = true
	}
	var roots []int32
	for from := int32(0); from < end && ctx.Err() == nil; from += int32(len(roots)) {
		if roots = s.Roots(roots[:0], from, int(min(4096, end-from))); len(roots) == 0 {
			break
		}
		for i, root := range roots {
			r, _ := s.Row(from + int32(i))
			if !r.IsFrame() {
				continue
			}
			frames[root]++
			bytes[root] += int64(r.Size)
			if r.Kind.IsResponse() || root == from+int32(i) {
				until[root] = max(until[root], r.Time)
			}
		}
	}
	for root := range end {
		if frames[root] < 2 || filtered && !passes[root] {
			continue // only a notification, or a request without a response
		}
		r, _ := s.Row(root)
		for kind, n := range [len(extremes)]int64{until[root] - r.Time, int64(frames[root]), bytes[root]} {
			if n > extremes[kind].least {
				found[kind] = keepLargest(found[kind], extreme{root, n})
			}
		}
	}
	return found
}

// keepLargest inserts an extreme into a list that is sorted from largest to smallest.
func keepLargest(list []extreme, e extreme) []extreme {
	at, _ := slices.BinarySearchFunc(list, e, func(a, b extreme) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.root, b.root)) })
	if at == maxExtremes {
		return list
	}
	return slices.Insert(list, at, e)[:min(len(list)+1, maxExtremes)]
}

func (p *Pane) openExtremes(found [len(extremes)][]extreme, filtered bool) {
	var roots []int32
	var entries []dialog.Entry
	for kind, list := range found {
		x := extremes[kind]
		for _, e := range list {
			m, _ := p.messages.Message(e.root)
			name := cmp.Or(m.Name, m.Method)
			roots = append(roots, e.root)
			entries = append(entries, dialog.Entry{
				Key: x.group + strconv.Itoa(int(e.root)), Group: x.group, Name: "#" + strconv.Itoa(int(e.root)+1) + " " + name, Summary: m.Text, Note: x.say(e.n),
			})
		}
	}
	if len(roots) == 0 {
		p.app.Say("No exchange has a response yet.")
		return
	}
	text := "Of all exchanges of this session."
	if filtered {
		text = "Of the exchanges that pass the filter."
	}
	dialog.Choose{
		Title: "Slowest and largest exchanges", Text: text, Verb: "go to", Width: 100,
		Len: func() int { return len(entries) }, Entry: func(i int) dialog.Entry { return entries[i] },
		Accept: func(i int) { p.Select(roots[i]) },
	}.Open(p.app.App)
}

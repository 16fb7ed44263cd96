package replay

import (
	"cmp"
	"fmt"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/offer/diff"
)

// maxLines is the number of lines after which only the headings of responses are added.
const maxLines = 50_000

// ReportOf makes a report, to be printed or shown, of what [CompareFiles] returns. Each request whose responses differ
// has a heading.
func ReportOf(changes []diff.Change, responses []Difference) (r diff.Report) {
	for i := range changes {
		r.Entries = append(r.Entries, diff.EntryOf(&changes[i]))
	}
	for i := range responses {
		d := &responses[i]
		it := diff.Entry{Note: d.Note}
		if it.Kind = d.Kind(); it.Kind != diff.Changed {
			it.Note = "only in this recording"
		}
		it.Name = strings.TrimSpace(cmp.Or(d.New, d.Old).Method + " " + d.Subject)
		heading := it.Name
		if d.Old != nil {
			it.Old = fmt.Appendf(nil, "#%d", d.Old.Row+1)
			heading += "  A " + string(it.Old)
		}
		if d.New != nil {
			it.New = fmt.Appendf(nil, "#%d", d.New.Row+1)
			heading += "  B " + string(it.New)
		}
		if n := len(d.Differences) + d.More; n > 0 {
			it.Note = phrase.Count(n, "difference")
		}
		heading += "  " + it.Note
		entry := len(r.Entries)
		r.Lines = append(r.Lines, diff.Line{Heading: heading, Entry: entry})
		for _, row := range d.Rows {
			if len(r.Lines) < maxLines {
				r.Lines = append(r.Lines, diff.Line{Row: row, Entry: entry})
			}
		}
		r.Entries = append(r.Entries, it)
	}
	return r
}

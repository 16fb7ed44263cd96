package frames

import (
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// views are the views of the traffic, in the order of their names in the upper border; the
// list has no command of its own.
var views = []struct {
	name    string
	command command.ID
}{{"list", ""}, {"timeline", command.ShowTimeline}, {"sequence", command.ShowSequence}}

const viewGap = "  "

// ViewNames are the names of the views of the traffic for the end of the upper border.
// The one that the command shows stands out.
func ViewNames(pal *paint.Palette, shown command.ID) []paint.Span {
	var spans []paint.Span
	for i, v := range views {
		st, gap := pal.Muted, viewGap
		if v.command == shown {
			st = pal.AccentBold
		}
		if i == len(views)-1 {
			gap = ""
		}
		spans = append(spans, paint.Span{Style: st, Text: v.name}, paint.Span{Text: gap})
	}
	return spans
}

// ViewAt shows the view whose name is at a column of the upper border of so many cells;
// nil if there is none.
func ViewAt(x, w int) action.Action {
	end := w - len(" -+")
	for i := range views {
		v := views[len(views)-1-i]
		begin := end - len(v.name)
		if x >= begin && x < end {
			return action.ShowView{Command: v.command}
		}
		end = begin - len(viewGap)
	}
	return nil
}

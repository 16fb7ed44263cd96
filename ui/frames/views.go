package frames

import (
	"slices"

	"mcptea/ui/action"
	"mcptea/ui/command"
)

// views are the commands that show the traffic as something else than a list, which is
// the first view.
var views = []command.ID{"", command.ShowTimeline, command.ShowSequence}

// ViewNames are the names of the views of the traffic, in their order. The caller owns the
// slice.
func ViewNames() []string { return []string{"list", "timeline", "sequence"} }

// ViewOf is the index of the view that a command shows.
func ViewOf(id command.ID) int { return slices.Index(views, id) }

// ShowView shows a view by its index; nil for another index.
func ShowView(i int) action.Action {
	if i < 0 || i >= len(views) {
		return nil
	}
	return action.ShowView{Command: views[i]}
}

package keys

// Moving is a command of the program that moves the pane with the focus.
type Moving struct {
	Command
	Motion Motion
}

// Motions lists the commands that move. They are the same in every pane. A key that is text moves only while no
// text field has the focus.
var Motions = []Moving{
	{Command{ID: "move.down", Keys: On("j down"), Label: "down", Help: "Move down one line"}, Down},
	{Command{ID: "move.up", Keys: On("k up"), Label: "up", Help: "Move up one line"}, Up},
	{Command{ID: "move.first", Keys: On("g home"), Label: "first", Help: "Move to the first line", Words: "top begin"}, Top},
	{Command{ID: "move.last", Keys: On("G end"), Label: "last", Help: "Move to the last line", Words: "bottom end"}, Bottom},
	{Command{ID: "move.half-page-down", Keys: On("ctrl+d"), Label: "half page down", Help: "Move down half a page"}, HalfDown},
	{Command{ID: "move.half-page-up", Keys: On("ctrl+u"), Label: "half page up", Help: "Move up half a page"}, HalfUp},
	{Command{ID: "move.page-down", Keys: On("pgdown ctrl+f"), Label: "page down", Help: "Move down a page"}, PageDown},
	{Command{ID: "move.page-up", Keys: On("pgup ctrl+b"), Label: "page up", Help: "Move up a page"}, PageUp},
	{Command{ID: "pane.next", Keys: On("tab"), Label: "next pane", Help: "Move the focus to the next pane", Words: "focus"}, Next},
	{Command{ID: "pane.previous", Keys: On("shift+tab"), Label: "previous pane", Help: "Move the focus to the previous pane", Words: "focus"}, Previous},
	{Command{ID: "back", Keys: On("esc"), Label: "back", Help: "Go one step back; never quits", Words: "close leave cancel"}, Back},
}

// What ends the typing of a line: the words of a filter, of a search, of a question.
var (
	Apply = Command{ID: "filter.apply", Keys: On("enter tab down up"), Label: "apply", Help: "Apply the words and go to the list", Footer: 10}
	Clear = Command{ID: "filter.clear", Keys: On("esc"), Label: "clear", Help: "Clear the words", Footer: 12}
)

package result

import (
	"mcptea/internal/words/display"
	"mcptea/ui/app"

	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// shown returns the visible result, or nil.
type shown func() *View

// do returns a command that is off if there is no result, or if off returns a reason.
func (s shown) do(c keys.Command, run func(v *View, c *Body), off func(v *View, c *Body) string) keys.Command {
	c.Run = func() {
		v := s()
		run(v, v.Top())
	}
	c.Off = func() string {
		v := s()
		switch {
		case v == nil || v.Top() == nil:
			return "There is no result yet."
		case off != nil:
			return off(v, v.Top())
		}
		return ""
	}
	return c
}

// view returns a command that changes what is visible.
func (s shown) view(c keys.Command, run func(c *Body)) keys.Command {
	return s.do(c, func(_ *View, c *Body) { run(c) }, nil)
}

// fold returns a command that folds the content, or columns of a table.
func (s shown) fold(c keys.Command, run func(c *Body)) keys.Command {
	return s.do(c, func(_ *View, c *Body) { run(c) }, func(_ *View, c *Body) string {
		_, table := c.Table()
		return keys.Reason(!table && !c.Folds(), "There is nothing to fold here.")
	})
}

// match returns a command that goes to another match of the search.
func (s shown) match(c keys.Command, step int) keys.Command {
	return s.do(c, func(_ *View, c *Body) { c.SearchNext(step) }, func(v *View, c *Body) string {
		return keys.Reason(c.Search().Value() == "", "No search yet: "+v.app.Key("filter")+" starts one.")
	})
}

// section returns a command that goes to another section.
func (s shown) section(c keys.Command, step int) keys.Command {
	return s.do(c, func(v *View, c *Body) {
		if !c.NextSection(step) {
			v.app.Say("There are no more sections in this direction.")
		}
	}, nil)
}

// frame makes a command about the frame of the response.
func (s shown) frame(c keys.Command, run func(a app.App, row int32)) keys.Command {
	return s.do(c, func(v *View, _ *Body) { run(v.app, v.row()) }, func(v *View, _ *Body) string { return keys.Reason(v.row() < 0, "The frame is not in Traffic.") })
}

// use makes a command that does something with content.
func (s shown) use(c keys.Command, how app.Use) keys.Command {
	return s.do(c, func(v *View, _ *Body) {
		items, likely := v.source().Items()
		v.app.Use(how, items, likely, v)
	}, func(v *View, _ *Body) string {
		if v.query != nil && !v.source().HasItems() {
			return "The filter gives several values, or none: " + v.app.Key("copy") + " copies the command that prints them."
		}
		return keys.Reason(!v.source().HasItems(), "There is no content: nothing was received.")
	})
}

// covered returns why commands on the result do nothing while something else covers it.
func (v *View) covered() string {
	return "This is not the whole result: " + v.app.Key("back") + " leads back to it."
}

// Commands returns the commands of a result. current returns the visible one, or nil.
func Commands(current func() *View) []keys.Command {
	s := shown(current)
	return append([]keys.Command{
		s.do(keys.Command{ID: "view.shown", Verb: keys.NextView, Label: "raw", Now: s.otherForm, Help: "Switch between rendered and raw", Words: "json shown", Footer: 10},
			func(_ *View, c *Body) { c.Switch() },
			func(v *View, c *Body) string {
				if c != v.below && !c.HasJSON() {
					return v.covered()
				}
				return keys.Reason(!c.HasJSON(), "There is no JSON: no response was received.")
			}),
		s.do(keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy", Now: s.copies, Help: "Copy the result; with a jq filter, the command that prints the same", Words: "yank clipboard", Footer: 12}, func(v *View, c *Body) {
			if v.copiesCommand() {
				v.Command(v.query.Value())
				return
			}
			text, raw := c.Whole()
			v.app.Copy(text, raw, "result")
		}, nil),
		s.view(keys.Command{ID: "filter", Keys: keys.On("/"), Label: "search", Help: "Search the result", Words: "find", Footer: 13}, func(c *Body) { c.Search().Open() }),
		s.do(keys.Command{ID: "result.jq", Verb: keys.Query, Label: "jq", Help: "Filter the result with jq while you type; it stays for the next call", Words: "query select extract transform where rows table filter", Footer: 16}, func(v *View, _ *Body) { v.openQuery() }, func(v *View, _ *Body) string {
			if len(v.layers) > 0 {
				return v.covered()
			}
			return keys.Reason(v.below == nil || !v.below.HasJSON(), "There is no JSON: no response was received.")
		}),
		s.match(keys.Command{ID: "match.next", Verb: keys.NextMatch, Label: "next match", Help: "Go to the next match", Words: "search"}, 1),
		s.match(keys.Command{ID: "match.previous", Verb: keys.PrevMatch, Label: "previous match", Help: "Go to the previous match", Words: "search"}, -1),
		s.do(keys.Command{ID: "result.open-link", Keys: keys.On("enter"), Label: "link/frame", Help: "Read the linked resource, else show the frame of the result", Words: "wire link follow resource", Footer: 14}, (*View).enter, func(v *View, c *Body) string {
			if v.Rests != nil && (c.Raw() || len(c.Links()) == 0) {
				return v.Rests()
			}
			return ""
		}),
		s.frame(keys.Command{ID: "frame", Keys: keys.On("f4"), Label: "frame", Help: "Show the frame of the result", Words: "wire"}, app.App.ShowFrame),
		s.use(keys.Command{ID: "write", Verb: keys.Write, Label: "write", Help: "Write a text, a blob or the whole result to a file, byte for byte", Words: "save response result content file export download", Footer: 15}, app.Write),
		s.use(keys.Command{ID: "result.pipe", Keys: keys.On("|"), Label: "pipe", Help: "Send the content through a command of the shell and show what it prints", Words: "filter shell jq", Footer: 21}, app.Pipe),
		s.use(keys.Command{ID: "open", Verb: keys.Open, Label: "open outside", Help: "Open the content in its default program; asks first", Words: "view external browser image", Footer: 18}, app.Open),
		s.frame(keys.Command{ID: "mark", Verb: keys.Mark, Label: "mark", Help: "Mark the frame of the response, to compare it or to export it; or unmark it", Words: "select remember bookmark"}, app.App.MarkFrame),
	}, s.moves()...)
}

// commandsOfFrames lists the commands about the frame of a result, which the output of a program does not have.
var commandsOfFrames = []string{"result.open-link", "frame", "mark"}

// copiesCommand reports whether copying copies the command that prints the filtered result.
func (v *View) copiesCommand() bool { return v.query != nil && v.Command != nil && len(v.layers) == 0 }

// copies returns the label of the copy command.
func (s shown) copies() string {
	v := s()
	return paint.If(v != nil && v.copiesCommand(), "copy command", "copy")
}

// moves returns the commands that change what is visible.
func (s shown) moves() []keys.Command {
	return []keys.Command{
		s.section(keys.Command{ID: "result.section-next", Keys: keys.On("}"), Label: "next section", Help: "Go to the next content of the result, to fold it", Words: "block heading"}, 1),
		s.section(keys.Command{ID: "result.section-previous", Keys: keys.On("{"), Label: "previous section", Help: "Go to the previous content of the result", Words: "block heading"}, -1),
		s.do(keys.Command{ID: "result.wrap", Verb: keys.Wrap, Label: "wrap", Help: "Wrap long lines, or cut them", Words: "fold long lines"}, func(v *View, c *Body) {
			if c.ToggleWrap() {
				v.app.Say("Long lines are wrapped.")
				return
			}
			v.app.Say("Long lines are cut. " + v.app.Key("result.left") + " " + v.app.Key("result.right") + " move sideways.")
		}, nil),
		s.side(keys.Command{ID: "result.left", Keys: keys.On("shift+left"), Label: "left", Help: "Move to the left in a table, or in lines that are not wrapped", Words: "scroll columns"}, -1),
		s.side(keys.Command{ID: "result.right", Keys: keys.On("shift+right"), Label: "right", Now: s.onTable("column", "right"), Help: "Move to the right in a table, or in lines that are not wrapped", Words: "scroll columns", Footer: 14}, 1),
		s.do(keys.Command{ID: "fold.toggle", Keys: keys.On("space"), Label: "fold", Help: "Fold or unfold", Words: "collapse expand"}, func(v *View, c *Body) {
			if !c.Window().Toggle() {
				v.app.Say("There is nothing to fold here.")
			}
		}, nil),
		s.fold(keys.Command{ID: "fold.close", Keys: keys.On("h"), Label: "fold", Help: "Fold, or go to the parent", Words: "collapse"}, func(c *Body) { c.Window().Fold() }),
		s.fold(keys.Command{ID: "fold.open", Keys: keys.On("l"), Label: "unfold", Help: "Unfold, or go to the first child", Words: "expand"}, func(c *Body) { c.Window().Unfold() }),
		s.fold(keys.Command{ID: "fold.open-all", Keys: keys.On("+"), Label: "unfold all", Help: "Unfold all; show the hidden columns of a table", Words: "expand"}, func(c *Body) {
			if t, ok := c.Table(); !ok || !t.ShowAll() {
				c.Window().UnfoldAll()
			}
		}),
		s.fold(keys.Command{ID: "fold.close-all", Keys: keys.On("-"), Label: "fold all", Now: s.onTable("hide", ""), Help: "Fold all; hide the column of a table", Words: "collapse", Footer: 14}, func(c *Body) {
			if t, ok := c.Table(); !ok || !t.Hide() {
				c.Window().FoldDepth(2)
			}
		}),
		s.table(keys.Command{ID: "sort", Verb: keys.Sort, Label: "sort", Now: s.sorts, Help: "Sort the table by its column: up, down, as it was sent", Words: "order column", Footer: 11}, func(v *View, t Table) {
			v.app.Say(t.Sort() + " " + v.app.Key("result.left") + " and " + v.app.Key("result.right") + " go to another column.")
		}),
		s.table(keys.Command{ID: "copy.other", Verb: keys.CopyOther, Label: "copy table", Help: "Copy the table as CSV, Markdown or JSON, as it is shown", Words: "spreadsheet columns csv markdown", Footer: 11}, (*View).copyTable),
	}
}

// otherForm returns the form in which a result is not shown.
func (s shown) otherForm() string {
	switch v := s(); {
	case v == nil || v.Top() == nil:
	case v.Top().isOutput:
		return paint.If(v.Top().Raw(), "as written", "formatted")
	case v.Top().Raw():
		return "rendered"
	}
	return "raw"
}

// side makes a command that moves to a side, where something is there.
func (s shown) side(c keys.Command, step int) keys.Command {
	return s.do(c, func(_ *View, c *Body) { c.ScrollSide(step) }, func(_ *View, c *Body) string {
		_, table := c.Table()
		return keys.Reason(!table && !c.Wide(), "Nothing is wider than the pane.")
	})
}

// onTable returns a function for the label of a key that has another meaning on a table.
func (s shown) onTable(with, without string) func() string {
	return func() string {
		if v := s(); v != nil && v.Top() != nil {
			if _, ok := v.Top().Table(); ok {
				return with
			}
		}
		return without
	}
}

// sorts returns the label of the sort command.
func (s shown) sorts() string {
	if v := s(); v != nil && v.Top() != nil {
		if t, ok := v.Top().Table(); ok {
			return "sort by " + display.Cut(t.Column(), maxColumn)
		}
	}
	return "sort"
}

// maxColumn is the number of cells of a column's name in a label.
const maxColumn = 16

// table returns a command about the visible table.
func (s shown) table(c keys.Command, run func(v *View, t Table)) keys.Command {
	return s.do(c, func(v *View, c *Body) {
		if t, ok := c.Table(); ok {
			run(v, t)
		}
	}, func(_ *View, c *Body) string {
		_, ok := c.Table()
		return keys.Reason(!ok, "There is no visible table: an array of objects is shown as one.")
	})
}

// copyTable lets the user choose the format in which the table is copied.
func (v *View) copyTable(t Table) {
	forms := []struct {
		name string
		text func() string
	}{{"CSV", t.CSV}, {"Markdown", t.Markdown}, {"JSON", t.JSON}}
	dialog.Choose{
		Title: "Copy the table", Verb: "copy", Len: func() int { return len(forms) },
		Entry:  func(i int) dialog.Entry { return dialog.Entry{Key: forms[i].name, Name: forms[i].name} },
		Accept: func(i int) { v.app.Copy(forms[i].text(), nil, "table as "+forms[i].name) },
	}.Open(v.app)
}

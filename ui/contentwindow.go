package ui

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/content"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
	"mcptea/ui/widget/masterdetail"
)

// contentWindow asks which item of a result is used, and for the path of the file or
// the command.
type contentWindow struct {
	action.UseContent

	input   input.Input
	typed   bool   // the user has changed the path
	replace string // path of a file that the user accepts to replace
	problem string
	at      [2]int
	list    masterdetail.List[int]
	top     int
}

var _ worker = (*contentWindow)(nil)

// useContent opens the window for the items of a result.
func (m *model) useContent(a action.UseContent) {
	if len(a.Items) == 0 {
		m.say(action.Flash{Text: "There is no content: nothing was received."})
		return
	}
	o := &contentWindow{UseContent: a}
	o.list.Items = masterdetail.Items[int]{Len: func() int { return len(o.Items) }, Key: func(i int) int { return i }, Row: o.row}
	o.list.Refresh()
	o.list.SelectIndex(a.Likely)
	if a.How == action.PipeContent {
		o.input.SetValue(m.pipe)
	}
	o.suggest()
	m.overlay = o
}

func (o *contentWindow) row(r *paint.Row, p *paint.Palette, i, _ int, selected bool) {
	it, st := &o.Items[i], p.Text
	if selected {
		st = p.Strong
	}
	r.Right(paint.Span{Style: p.Muted, Text: paint.HumanSize(int64(it.Size())) + " "})
	r.Cell(st, it.Kind, 20)
	r.Cell(p.Muted, it.MIME, 24)
	r.Put(p.Value, it.Name)
}

// suggest names a file for the item, unless the user has.
func (o *contentWindow) suggest() {
	o.problem, o.replace = "", ""
	if o.How == action.WriteContent && !o.typed {
		o.input.SetValue(o.Items[o.list.Index()].FileName())
	}
}

func (o *contentWindow) title() (title, text, verb string) {
	switch o.How {
	case action.PipeContent:
		return "Pipe", "The shell runs this command with the content on its stdin. Its output is shown in place of the result; it has " + paint.HumanDuration(pipeTimeout) + ".", "run"
	case action.OpenContent:
		return "Open", "The content of the server is written to a private temporary file and opened with the program that the system has for it. Open only what you trust.", "open"
	}
	return "Write", "The exact bytes are written to this file, with mode 0600.", "write"
}

func (o *contentWindow) size(w, h int) (int, int) {
	w = min(w-4, 96)
	_, text, _ := o.title()
	rows := len(paint.Wrap(text, max(1, w-4))) + len(o.Items) + 5
	if o.How != action.OpenContent {
		rows += 2
	}
	return w, min(rows, h-2)
}

func (o *contentWindow) scroll(n int)                { o.list.Move(n); o.suggest() }
func (o *contentWindow) close()                      {}
func (o *contentWindow) refresh(time.Time, int) bool { return false }
func (o *contentWindow) cursor() (x, y int, ok bool) {
	return o.at[0], o.at[1], o.How != action.OpenContent
}

func (o *contentWindow) paste(text string) {
	o.input.Insert(text)
	o.typed, o.problem, o.replace = true, "", ""
}

var _ clicker = (*contentWindow)(nil)

func (o *contentWindow) click(_, y int) (*command.Command, bool) {
	if hit, _ := o.list.Click(y - o.top); hit {
		o.suggest()
	}
	return nil, false
}

func (o *contentWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	if c, _ := command.Lookup(command.Dialog, k.String()); c.ID == command.Dismiss {
		return nil, true
	}
	before := o.input.Version()
	if o.How != action.OpenContent && o.input.Key(k) && o.input.Version() != before {
		o.typed, o.problem, o.replace = true, "", ""
	}
	return nil, false
}

// do implements [worker].
func (o *contentWindow) do(k tea.KeyPressMsg) (action.Action, bool) {
	c, _ := command.Lookup(command.Dialog, k.String())
	switch {
	case c.Context != command.Dialog:
		return nil, false
	case c.ID == command.Accept:
		return o.accept(), true
	case !command.ApplyScroll(&o.list, c.ID):
		return nil, false
	}
	o.suggest()
	return nil, true
}

// accept returns what is to be done, or nil when something is wrong with the text.
func (o *contentWindow) accept() action.Action {
	text := strings.TrimSpace(o.input.Value())
	switch {
	case o.How != action.OpenContent && text == "":
		o.problem = "Type a path."
		if o.How == action.PipeContent {
			o.problem = "Type a command."
		}
		return nil
	case o.How == action.WriteContent:
		text = homePath(text)
		info, err := os.Lstat(text)
		switch {
		case err == nil && info.IsDir():
			text = filepath.Join(text, o.Items[o.list.Index()].FileName())
			o.input.SetValue(text)
			o.typed = true
			return nil
		case err == nil && !info.Mode().IsRegular():
			o.problem = "This is not a regular file. Type another path."
			return nil
		case err == nil && o.replace != text:
			o.replace = text
			o.problem = "The file exists. " + command.KeyIn(command.Dialog, command.Accept, true) + " again replaces it."
			return nil
		}
	}
	return action.Accepted{Action: action.ContentChosen{How: o.How, Item: o.Items[o.list.Index()], Text: text, Ref: o.Ref}}
}

// homePath is a path in which ~/ is the home directory.
func homePath(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

func (o *contentWindow) paint(p *paint.Palette, w, h int) []string {
	title, text, verb := o.title()
	s := paint.NewSheet(p, w-2, h-2)
	s.Text(p.Muted, text, 4)
	if o.How != action.OpenContent {
		s.Line(func(r *paint.Row) {
			r.Put(p.Accent, p.Prompt+" ")
			shown, x := o.input.Visible(r.Left() - 2)
			o.at = [2]int{1 + r.Used() + x, 1 + len(s.Rows)}
			r.Put(p.Text, shown)
		})
	}
	if o.problem != "" {
		s.Text(p.Warn, o.problem, 1)
	} else {
		s.Blank()
	}
	o.top = 1 + len(s.Rows)
	s.Rows = append(s.Rows, o.list.Paint(p, w-2, max(s.Left()-1, 0), true)...)
	for s.Left() > 1 {
		s.Blank()
	}
	hints := []paint.Hint{{Key: command.KeyIn(command.Dialog, command.Accept, true), Label: verb}}
	if len(o.Items) > 1 {
		hints = append(hints, paint.Hint{Key: command.KeyIn(command.Dialog, command.Up, true) + " " + command.KeyIn(command.Dialog, command.Down, true), Label: "select"})
	}
	s.Hints(1, append(hints, paint.Hint{Key: command.KeyOf(command.Dismiss), Label: "cancel"})...)
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.TextBold, Text: title}}, nil, s.Rows)
}

// followLink reads the resource of a link; of several the user chooses one.
func (m *model) followLink(a action.FollowLink) tea.Cmd {
	read := func(it content.Item) action.Action {
		return action.Start{Ref: a.Ref, Method: "resources/read", Params: readParams(it.URI)}
	}
	if len(a.Links) == 1 {
		return m.act(read(a.Links[0]))
	}
	dialog.Choose{
		Title: "Linked resources", Verb: "read", Text: "The resource is read and shown in place of the result.",
		Load: func() []dialog.Entry {
			entries := make([]dialog.Entry, len(a.Links))
			for i, it := range a.Links {
				entries[i] = dialog.Entry{Key: it.URI, Name: it.Name, Summary: it.URI}
			}
			return entries
		},
		Accept: func(i int) { m.app().Do(read(a.Links[i])) },
	}.Open(m.app())
	return nil
}

package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/probe/checker"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// allowWindow chooses the tools that a check may call although they are not
// read-only.
type allowWindow struct {
	checker *checker.Checker
	tools   []string
	allowed []string
	list    masterdetail.List[string]
}

// allowTools opens the window with the tools that are not annotated as read-only.
func (m *model) allowTools() {
	o := &allowWindow{checker: m.checker, allowed: m.checker.State().Allowed}
	for _, item := range m.session.State().Lists[client.Tools.Name].Items {
		if v, _ := jsonrpc.Member(item.Raw, "annotations", "readOnlyHint"); string(v) != "true" {
			o.tools = append(o.tools, item.Name)
		}
	}
	if len(o.tools) == 0 {
		m.say(action.Flash{Text: "All tools are annotated as read-only: the check calls them anyway."})
		return
	}
	o.list.Items = masterdetail.Items[string]{
		Len: func() int { return len(o.tools) },
		Key: func(i int) string { return o.tools[i] },
		Row: func(r *paint.Row, p *paint.Palette, i, _ int, _ bool) {
			if slices.Contains(o.allowed, o.tools[i]) {
				r.Put(p.WarnBold, p.On+" ")
			} else {
				r.Put(p.Muted, p.Off+" ")
			}
			r.Put(p.Text, o.tools[i])
		},
	}
	m.overlay = o
}

func (o *allowWindow) size(w, h int) (int, int)    { return min(w-4, 72), min(h-4, len(o.tools)+7) }
func (o *allowWindow) cursor() (x, y int, ok bool) { return 0, 0, false }
func (o *allowWindow) scroll(n int)                { o.list.Move(n) }

func (o *allowWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	c, _ := command.Lookup(command.Check, k.String())
	switch dialog, _ := command.Lookup(command.Dialog, k.String()); {
	case dialog.ID == command.Dismiss:
		return nil, true
	case dialog.ID == command.Accept, c.ID == command.ToggleFold:
		o.toggle()
	default:
		command.ApplyScroll(&o.list, c.ID)
	}
	return nil, false
}

func (o *allowWindow) toggle() {
	tool := o.tools[o.list.Index()]
	o.checker.Allow(tool, !slices.Contains(o.allowed, tool))
	o.allowed = o.checker.State().Allowed
}

func (o *allowWindow) paint(p *paint.Palette, w, h int) []string {
	s := paint.NewSheet(p, w-2, h-2)
	s.Text(p.Text, "The check calls these tools only if you allow it. Their calls have made-up arguments and may change what the server manages.", 3)
	s.Blank()
	s.Rows = append(s.Rows, o.list.Paint(p, w-2, max(s.Left()-1, 1), true)...)
	for s.Left() > 1 {
		s.Blank()
	}
	s.Hints(1, paint.Hint{Key: command.KeyIn(command.Dialog, command.Accept, true), Label: "allow, or no longer"}, paint.Hint{Key: command.KeyOf(command.Dismiss), Label: "close"})
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.TextBold, Text: "Tools that a check may call"}}, nil, s.Rows)
}

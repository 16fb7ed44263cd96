package ui

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// confirmation asks before an action is carried out.
type confirmation struct {
	title, text, label string
	action             action.Action
}

// newConfirmation returns the question of a title about untrusted text; the label names
// the action.
func newConfirmation(title, text, label string, a action.Action) *confirmation {
	return &confirmation{title, text, label, a}
}

var _ worker = (*confirmation)(nil)

func (o *confirmation) size(w, _ int) (int, int)    { return min(w-4, 76), 6 }
func (o *confirmation) scroll(int)                  {}
func (o *confirmation) close()                      {}
func (o *confirmation) cursor() (x, y int, ok bool) { return 0, 0, false }
func (o *confirmation) refresh(time.Time, int) bool { return false }

// do implements [worker].
func (o *confirmation) do(k tea.KeyPressMsg) (action.Action, bool) {
	accept, _ := command.In(command.Dialog, command.Accept)
	return action.Accepted{Action: o.action}, key.Matches(k, accept.Binding)
}

func (o *confirmation) key(tea.KeyPressMsg) (*command.Command, bool) { return nil, true }

func (o *confirmation) paint(p *paint.Palette, w, h int) []string {
	s := paint.NewSheet(p, w-2, h-2)
	s.Text(p.Text, o.text, 2)
	for s.Left() > 1 {
		s.Blank()
	}
	s.Hints(1, paint.Hint{Key: command.KeyIn(command.Dialog, command.Accept, true), Label: o.label},
		paint.Hint{Key: command.KeyOf(command.Dismiss), Label: "cancel"})
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.TextBold, Text: o.title}}, nil, s.Rows)
}

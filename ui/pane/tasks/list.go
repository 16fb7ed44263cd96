package tasks

import (
	"mcptea/session/requests"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	p.resultArea = masterdetail.Rect{}
	return p.view.Paint(pal, w, h, focused, masterdetail.Content{
		Title: []paint.Span{{Text: "Tasks"}},
		Note:  p.note(pal),
		Empty: func(w, h int) []string { return p.empty(pal, w, h) },
		Detail: func(at masterdetail.Rect, focused bool) masterdetail.Box {
			return p.detail(pal, js, at, focused)
		},
	})
}

func (p *Pane) note(pal *paint.Palette) []paint.Span {
	switch {
	case p.requiring == 1:
		return []paint.Span{{Style: pal.AskedBold, Text: "1 requires input"}}
	case p.requiring > 1:
		return []paint.Span{{Style: pal.AskedBold, Text: paint.HumanCount(p.requiring) + " require input"}}
	case p.running > 0:
		return []paint.Span{{Style: pal.Warn, Text: paint.HumanCount(p.running) + " running"}}
	case len(p.order) > 0:
		return []paint.Span{{Style: pal.Muted, Text: paint.HumanCount(len(p.order))}}
	}
	return nil
}

// empty explains what a task is and how to get one.
func (p *Pane) empty(pal *paint.Palette, w, h int) []string {
	s := paint.NewSheet(pal, w, h)
	s.Text(pal.Strong, "No tasks yet.", 2)
	s.Blank()
	s.Text(pal.Text, "A task is a call that the server continues after its first response. Its status, its history and its result are shown here.", 4)
	s.Blank()
	if p.st.Handshake.Revision.IsStateless() {
		s.Text(pal.Text, "The server decides which calls become tasks.", 2)
	} else {
		s.Text(pal.Text, "Tools that require a task are always called as one. For tools that allow it, "+
			command.KeyIn(command.Form, command.CycleTaskOption, true)+" in the form calls as a task.", 4)
	}
	s.Blank()
	s.Text(pal.Muted, "To try it: mcptea demo, then call brew-task.", 2)
	if p.canList() {
		s.Blank()
		s.Hints(1, paint.Hint{Key: command.KeyOf(command.ListTasks), Label: "request the list of tasks"})
	}
	return s.Rows
}

// itemRow writes the name and the state of a task, or how long it takes and how
// far it is.
func (p *Pane) itemRow(r *paint.Row, pal *paint.Palette, i, row int, selected bool) {
	t := p.order[i]
	if row == 0 {
		name := pal.Text
		switch {
		case selected:
			name = pal.Strong
		case isRunning(t):
			name = pal.TextBold
		}
		r.Right(paint.Span{Style: stateStyle(pal, t), Text: paint.Sanitize(stateOf(t)) + " "})
		r.Put(name, nameOf(t))
		return
	}
	r.Right(paint.Span{Style: pal.Muted, Text: p.keptFor(t) + " "})
	if isRunning(t) {
		r.Put(pal.Warn, paint.Spinner(pal, p.spin)+" "+paint.HumanDuration(max(p.now.Sub(t.FirstSeen), 0)))
	} else {
		r.Put(pal.Muted, paint.HumanDuration(max(t.Ended.Sub(t.FirstSeen), 0)))
	}
	r.Gap(2)
	if t.HasTotal && t.Total > 0 && isRunning(t) {
		r.Put(pal.Muted, paint.HumanNumber(t.Progress)+"/"+paint.HumanNumber(t.Total))
	} else {
		r.Put(pal.Muted, t.Message)
	}
}

// nameOf is the tool of a task, or its id when the call is not known.
func nameOf(t *requests.Task) string {
	if t.Tool != "" {
		return t.Tool
	}
	return t.ID
}

// keptFor is the rest of the time for which the server keeps the task.
func (p *Pane) keptFor(t *requests.Task) string {
	switch at := t.Expires(); {
	case at.IsZero():
		return ""
	case !p.now.Before(at):
		return "expired"
	default:
		return "ttl " + paint.HumanCountdown(at.Sub(p.now))
	}
}

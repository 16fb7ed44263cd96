package inspector

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/record"
	"mcptea/session/requests"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// lessonRows bounds the rows that one refresh reads.
const lessonRows = 4096

// taught maps names of steps to functions that report whether the step was done.
var taught = map[string]func(m *model) bool{
	"call": func(m *model) bool { return m.lesson.called },
	"frames": func(m *model) bool {
		return m.inTraffic() && (m.frameOpen || m.views.view != frames.ExchangeList || m.views.traffic.Unfolded())
	},
	"bytes": func(m *model) bool { return m.inTraffic() && m.views.detail.ShowsBytes() },
	"break": func(m *model) bool { return m.lesson.broken || m.composer.HasBroken() },
	"answer": func(m *model) bool {
		for _, r := range m.session.Inbox().Requests() {
			if r.State != requests.Waiting && r.State != requests.Withdrawn {
				return true
			}
		}
		return false
	},
	"start": func(*model) bool { return false }, // the step ends with the program
	"fault": func(*model) bool { return false }, // the step only informs
}

// isLast reports whether the step is the last one, which ends with the program.
func (l *lesson) isLast() bool { return l.shown() && l.at == len(l.Steps)-1 }

// learn reads the events, and moves to the first step that was not done.
func (m *model) learn() {
	l := &m.lesson
	if !l.shown() {
		return
	}
	s := m.session.Store()
	for end := min(int32(m.snap.Rows), l.next+lessonRows); l.next < end; l.next++ {
		row, _ := s.Row(l.next)
		switch row.Dir {
		case transport.In:
			l.called = l.called || row.Kind.IsResponse() && s.Method(row.Method) == "tools/call"
		case transport.Out:
			l.broken = l.broken || row.Fault != jsonrpc.FaultNone || row.Flaws != 0 || row.Changed > record.Forwarded
		}
	}
	for l.shown() && taught[l.Steps[l.at].Name](m) {
		l.at++
	}
}

// restful reports whether esc would do nothing else on the screen. Then esc ends the lesson.
func (m *model) restful() bool {
	list, _ := m.Focused().(app.Listed)
	if _, typing := m.Painted.Field().(app.Line); typing {
		return false
	}
	return m.here() == stop{tab: m.activeTab} && (list == nil || !list.Inside()) && !m.composerOpen
}

// endLesson ends the lesson permanently.
func (m *model) endLesson() {
	m.lesson.Over = true
	if end := m.lesson.End; end != nil {
		m.Go(func(context.Context) func() {
			end()
			return nil
		})
	}
	if len(m.lesson.Steps) == 1 {
		return
	}
	m.Say("The steps have ended. " + m.Name("commands") + ` shows them again, with the word "steps".`)
}

// lessonCommands returns the commands that show the lesson again, or end it, if the session has one.
func (m *model) lessonCommands() []keys.Command {
	return []keys.Command{{
		ID: "demo.steps", Label: "steps", Help: "Show the steps of mcptea demo from the first one, or end them", Words: "lesson tutorial guide tour learn introduction", Run: func() {
			if m.lesson.shown() {
				m.endLesson()
				return
			}
			m.lesson = lesson{Lesson: m.lesson.Lesson, next: int32(m.snap.Rows)}
			m.lesson.Over = false
		},
	}}
}

// leftToDo returns the text of a step without the key of the tab that is already active.
func (m *model) leftToDo(text string) string {
	if before, form, asks := strings.Cut(text, "{"+tabInbox+"} has its form, "); asks && m.inbox.Waiting() > 0 && m.tabs[m.activeTab].ID == tabInbox && !m.inTraffic() {
		what, _, _ := strings.Cut(before, ": ") // the call waits for an answer, and its form is in front
		return what + ": " + form
	}
	if m.focus == slotComposer {
		return leftInComposer(text, m.composer.Breaks(), m.composer.IsBroken())
	}
	front := m.tabs[m.activeTab].ID
	if m.inTraffic() {
		front = tabTraffic
	}
	before, after, named := strings.Cut(text, "{"+front+"} ")
	if !named || m.composerOpen {
		return text
	}
	if strings.HasPrefix(after, "is ") || strings.HasPrefix(after, "has ") { // the sentence explains the tab
		_, after, _ = strings.Cut(after, ", ")
	}
	return before + after
}

// leftInComposer returns the text of a step without the parts that are done: the way to the focused composer,
// the way to its list of faults if that is open, and the choice of a fault.
func leftInComposer(text string, breaks, broken bool) string {
	what, rest, _ := strings.Cut(text, ": ")
	_, inside, leads := strings.Cut(rest, "{compose}, ")
	if !leads {
		return text
	}
	switch _, there, further := strings.Cut(inside, "{pane.next} "); {
	case further && breaks:
		_, inside, _ = strings.Cut(there, ", ")
	case further && broken:
		inside = there[strings.LastIndex(there, ", ")+len(", "):]
	}
	return what + ": " + inside
}

// paintLesson paints the current step, with its keys.
func (m *model) paintLesson(c *app.Canvas) {
	l := &m.lesson
	c.Line(func(r *paint.Row) {
		if m.Window() != nil {
			return // its keys act on the panes
		}
		r.Gap(1)
		if len(l.Steps) > 1 {
			r.Put(c.Pal.AskedBold, strconv.Itoa(l.at+1)+"/"+strconv.Itoa(len(l.Steps))+" ")
		}
		if m.restful() {
			end := paint.Span{Style: c.Pal.AccentBold, Text: m.Name("back")}
			label := paint.Span{Style: c.Pal.Muted, Text: " end "}
			c.Click(c.W-paint.SpansWidth([]paint.Span{end, label}), 0, c.W, 1, func(int, int) { m.endLesson() })
			r.Right(end, label)
		}
		for text := m.leftToDo(l.Steps[l.at].Text); text != ""; {
			words, rest, _ := strings.Cut(text, "{")
			r.Put(c.Pal.Text, words)
			id, after, _ := strings.Cut(rest, "}")
			key := id
			if m.Find(id) != nil {
				key = cmp.Or(m.Name(id), m.Key(id)) // a text field may have the focus now
				c.Click(r.Used(), 0, display.Width(key), 1, func(int, int) { m.Run(id) })
			}
			r.Put(c.Pal.AccentBold, key)
			text = after
		}
	})
}

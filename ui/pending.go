package ui

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/session/record/store"
	"mcptea/session/requests"
	"mcptea/ui/paint"
)

// slowAfter is how long a request may take without being shown in the strip:
// quick ones would only make the screen jump.
const slowAfter = 300 * time.Millisecond

// slowRequests are the requests that the strip shows, newest first.
func (m *model) slowRequests() []store.Flow {
	var found []store.Flow
	for i := len(m.pending) - 1; i >= 0; i-- {
		if f := m.pending[i]; m.clock.Sub(f.Start) >= slowAfter && !isTaskPoll(f) {
			found = append(found, f)
		}
	}
	return found
}

// isTaskPoll reports whether a request polls a task: the task itself is shown.
func isTaskPoll(f store.Flow) bool {
	switch f.Method {
	case "tasks/get", "tasks/result", "tasks/update", "tasks/cancel":
		return true
	}
	return false
}

// longTasks are the tasks that the strip shows, newest first.
func (m *model) longTasks() []*requests.Task {
	var found []*requests.Task
	running := m.tasks.Running()
	for i := len(running) - 1; i >= 0; i-- {
		if m.tick.Now.Sub(running[i].FirstSeen) >= slowAfter {
			found = append(found, running[i])
		}
	}
	return found
}

// pendingCount counts what is pending: a task counts once, with all its requests.
func (m *model) pendingCount() int {
	n := m.snap.Pending + len(m.tasks.Running())
	for _, f := range m.pending {
		if isTaskPoll(f) {
			n--
		}
	}
	return n
}

// pendingRows paints the strip of slow requests.
func (m *model) pendingRows(at rect) []string {
	p := m.pal
	flights := m.slowRequests()
	cancel := m.find("cancel.newest")
	key := m.keys.Name(cancel, m.painted.Field() != nil)
	note := []paint.Span{{Style: p.AccentBold, Text: key}, {Style: p.Muted, Text: " " + cancel.Label}}
	if here := m.keys.Lookup(key, m.focused().Commands()); here != nil && (here.ID == "respond.decline" || here.ID == "cancel.task") {
		note = nil // the key is about what is selected there
	}
	tasks := m.longTasks()
	if more := len(flights) + len(tasks) - (at.h - 2); more > 0 {
		rest := fmt.Sprintf("%d more", more)
		if note != nil {
			rest += "   "
		}
		note = append([]paint.Span{{Style: p.Muted, Text: rest}}, note...)
	}
	var body []string
	for _, f := range flights[:min(len(flights), at.h-2)] {
		body = append(body, m.pendingRow(f, at.w-2))
	}
	for _, t := range tasks[:min(len(tasks), at.h-2-len(body))] {
		body = append(body, m.taskRow(t, at.w-2))
	}
	title := []paint.Span{{Style: p.TextBold, Text: "Pending"}, {Style: p.Muted, Text: "  " + strconv.Itoa(m.pendingCount())}}
	return paint.Box(p, at.w, at.h, false, title, note, body)
}

// stripRow writes a row of the strip: what is waited for, for how long, and the rest.
func (m *model) stripRow(w int, in bool, id, name string, since time.Time, rest func(r *paint.Row)) string {
	p := m.pal
	var r paint.Row
	r.Start(w, paint.Style{})
	r.Right(paint.Span{Style: p.Warn, Text: paint.HumanDuration(max(0, m.tick.Now.Sub(since))) + " "})
	r.Gap(1)
	who, arrow, direction := p.TextBold, p.ArrowOut, p.Out
	if in {
		who, arrow, direction = p.AskedBold, p.ArrowIn, p.Asked
	}
	r.Put(direction, arrow+" ")
	r.Cell(p.Muted, id, 6)
	r.Gap(1)
	r.Cell(who, paint.Sanitize(name), max(12, w/4))
	r.Gap(1)
	rest(&r)
	return r.String()
}

func (m *model) pendingRow(f store.Flow, w int) string {
	p := m.pal
	return m.stripRow(w, f.Dir == transport.In, f.ID.String(), cmp.Or(f.Name, f.Method), f.Start, func(r *paint.Row) {
		bar := min(40, w/4)
		switch {
		case f.HasTotal && f.Total > 0:
			part := max(0, min(1, f.Progress/f.Total))
			r.Painted(paint.Bar(p, bar, part), bar)
			r.Put(p.Strong, fmt.Sprintf(" %3.0f%% ", part*100))
			r.Put(p.Muted, number(f.Progress)+"/"+number(f.Total))
			if left, ok := m.remaining(f, part); ok {
				r.Put(p.Muted, "   about "+paint.HumanDuration(left)+" left")
			}
		case f.Reports > 0:
			r.Put(p.Accent, m.tick.Waits(p)+" ")
			r.Put(p.Text, number(f.Progress))
		default:
			r.Put(p.Accent, m.tick.Waits(p))
		}
		message(r, p, f.Message)
	})
}

// taskRow is a call in the strip that has become a task.
func (m *model) taskRow(t *requests.Task, w int) string {
	p := m.pal
	return m.stripRow(w, false, t.Call.String(), cmp.Or(t.Tool, t.ID), t.FirstSeen, func(r *paint.Row) {
		r.Put(p.Accent, m.tick.Waits(p)+" ")
		switch {
		case t.Cancelling:
			r.Put(p.Warn, "task is being cancelled")
		case t.Waiting > 0:
			r.Put(p.AskedBold, "task requires input from you")
			r.Put(p.Muted, "   "+m.Name(tabInbox)+" respond")
		case t.Status == client.TaskInputRequired:
			r.Put(p.Asked, "task requires input")
		default:
			r.Put(p.Muted, "task ")
			r.Put(p.Accent, string(t.Status))
		}
		if t.HasTotal && t.Total > 0 {
			r.Put(p.Strong, fmt.Sprintf("   %.0f%%", 100*max(0, min(1, t.Progress/t.Total))))
		}
		message(r, p, t.Message)
	})
}

// message writes what the server says of the progress.
func message(r *paint.Row, p *paint.Palette, text string) {
	if text != "" {
		r.Gap(3)
		r.Put(p.Muted, text)
	}
}

// remaining estimates the remaining time from the progress so far.
func (m *model) remaining(f store.Flow, part float64) (time.Duration, bool) {
	if part <= 0.01 || part >= 1 {
		return 0, false
	}
	pace := f.LastReport.Sub(f.Start)
	left := time.Duration(float64(pace)*(1-part)/part) - m.tick.Now.Sub(f.LastReport)
	return max(0, left).Round(time.Second / 2), true
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// terminalProgress shows the newest call with a known total in the terminal's
// own progress bar, where it has one.
func (m *model) terminalProgress() *tea.ProgressBar {
	for i := len(m.pending) - 1; i >= 0; i-- {
		if f := m.pending[i]; f.HasTotal && f.Total > 0 {
			return progressBar(f.Progress, f.Total)
		}
	}
	for _, t := range m.tasks.Running() {
		if t.HasTotal && t.Total > 0 {
			return progressBar(t.Progress, t.Total)
		}
	}
	return nil
}

func progressBar(done, total float64) *tea.ProgressBar {
	return tea.NewProgressBar(tea.ProgressBarDefault, int(100*min(1, max(0, done/total))))
}

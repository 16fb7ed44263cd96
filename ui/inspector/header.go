package inspector

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/session/runs/watch"
	"mcptea/session/session"
	"mcptea/ui/diff"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// leastName is the minimum width that the server name has in the header, in cells. Other parts are
// left out for it.
const leastName = 10

// header returns the first row: the server and the state of the connection. The state is visible at every
// width; the name of the server gets the remaining cells.
func (m *model) header() string {
	p := m.Pal
	var r paint.Row
	r.Start(m.W, p.Header)
	wide := m.W >= wideWidth
	state, counts := m.phase(), m.counts(wide, !m.Tick.Still)
	if m.isFull(state, counts) {
		counts = m.counts(wide, false)
	}
	var details []paint.Span
	if len(state) > 1 {
		state, details = state[:1], state[1:]
	}
	for len(counts) > 0 && paint.SpansWidth(state)+paint.SpansWidth(counts)+3 > m.W {
		counts = counts[1:]
	}
	if paint.SpansWidth(counts) < m.pulse.after+pulseSteps {
		m.pulse.after = 0
	}
	room := m.W - 2 - paint.SpansWidth(counts) - paint.SpansWidth(state)
	fits := func(cells int) bool {
		if cells > room {
			return false
		}
		room -= cells
		return true
	}
	unverified := append(m.unverified(), m.asClient()...)
	room -= paint.SpansWidth(unverified)
	name := display.Sanitize(m.serverName())
	rev := string(m.state.Handshake.Revision)
	rev, over := display.Sanitize(rev), m.session.Transport()
	least := min(display.Width(name), leastName)
	named := fits(least + 2)
	program := fits(len("mcptea") + 2)
	if rev == "" || !fits(display.Width(rev)+2) {
		rev = ""
	}
	if over == "" || !fits(display.Width(over)+2) {
		over = ""
	}
	// The whole name has priority over details.
	missing := min(display.Width(name), m.W/3) - least
	for len(details) > 0 && !fits(paint.SpansWidth(details)+missing) {
		details = details[:len(details)-1]
	}
	if len(details) > 0 {
		room += missing
	}
	r.Right(m.withTaps(counts, room+least-display.Width(name)-2)...)
	r.Gap(1)
	write := func(on bool, st paint.Style, text string) {
		if on {
			r.Put(st, text)
			r.Gap(2)
		}
	}
	write(program, p.AccentBold, "mcptea")
	write(named, p.Strong, p.Cut(name, least+max(0, room)))
	r.Spans(unverified...)
	write(over != "", p.Muted, over)
	write(rev != "", p.Muted, rev)
	r.Spans(state...)
	r.Spans(details...)
	return r.String()
}

// withTaps returns the counts at the right of the first row, preceded by taps that no session shows, if there
// is room.
func (m *model) withTaps(counts []paint.Span, room int) []paint.Span {
	m.taps = m.taps[:0]
	var spans []paint.Span
	taps := m.Around.Taps()
	alone := len(m.Around.Sessions()) == 1 // the key then leads to the first tap
	for i := range taps {
		shown := []paint.Span{{Style: m.Pal.Muted, Text: "tap " + taps[i].Name}}
		if how := m.offers(" ", "session.next", ""); how != "" && alone && i == 0 && paint.SpansWidth(shown)+display.Width(how+" watches")+2 <= room {
			shown = append(shown, paint.Span{Style: m.Pal.AccentBold, Text: how}, paint.Span{Style: m.Pal.Muted, Text: " watches"})
		}
		cells := paint.SpansWidth(shown)
		if room -= cells + 2; room < 0 {
			break
		}
		m.taps = append(m.taps, tapAt{paint.SpansWidth(spans), cells, taps[i].Show})
		spans = append(append(spans, shown...), paint.Span{Text: "  "})
	}
	spans = append(spans, counts...)
	for i := range m.taps {
		m.taps[i].x += m.W - paint.SpansWidth(spans)
	}
	return spans
}

// unverified returns the warning in the first row that the certificate of the server is not verified.
func (m *model) unverified() []paint.Span {
	if t := m.state.TLS; t != nil && t.Insecure {
		return []paint.Span{{Style: m.Pal.Error, Text: m.Pal.FailMark + " TLS not verified  "}}
	}
	return nil
}

// asClient returns the text in the first row about the client that the session acts as.
func (m *model) asClient() []paint.Span {
	as, _ := m.session.As()
	if as == "" {
		return nil
	}
	return []paint.Span{{Style: m.Pal.Warn, Text: "as " + m.Pal.Cut(display.Sanitize(as), max(leastName, m.W/4)) + "  "}}
}

// isFull reports whether the header has no room for the pulse.
func (m *model) isFull(state, counts []paint.Span) bool {
	cells := len("mcptea") + 2 + paint.SpansWidth(state) + paint.SpansWidth(counts) + 3
	for _, text := range []string{display.Cut(m.serverName(), m.W/3), m.session.Transport(), string(m.state.Handshake.Revision)} {
		cells += display.Width(display.Sanitize(text)) + 2
	}
	return cells > m.W
}

func (m *model) phase() []paint.Span {
	p := m.Pal
	if rec, ok := m.session.Recording(); ok {
		return m.recordingSpans(&rec)
	}
	took := phrase.Took(m.state.Took)
	switch m.state.Phase {
	case session.Ready:
		spans := []paint.Span{{Style: p.OK, Text: p.Dot + " connected"}}
		if n := len(m.state.Restarts); n > 0 && m.W >= wideWidth {
			again := diff.RestartName(m.state.Restarts[n-1].Number)
			if !m.session.Target().IsStdio() { // nothing was restarted
				again = "attempt " + phrase.Digits(m.state.Attempt)
			}
			spans = append(spans, paint.Span{Style: p.Muted, Text: " " + again + ", " + took})
		} else if m.W >= wideWidth {
			spans = append(spans, paint.Span{Style: p.Muted, Text: " in " + took})
		}
		if name := m.branchName(); name != "" && m.W >= wideWidth {
			spans = append(spans, paint.Span{Style: p.Accent, Text: "  " + p.Cut(display.Sanitize(name), m.W/3)})
		}
		if m.state.Subscription.Err != nil {
			spans = append(spans, paint.Span{Style: p.Warn, Text: "  no subscription"})
		}
		return spans
	case session.Failed, session.Ended:
		what, next := "ended", m.offers("  ", "restart", " restart")
		if m.state.Phase == session.Failed {
			what, next = "not connected", "  "+took
		}
		if m.state.Reconnects {
			next = "  reconnecting"
		}
		return []paint.Span{{Style: p.Error, Text: p.FailMark + " " + what}, {Style: p.Muted, Text: next}}
	case session.Connecting:
		return []paint.Span{{Style: p.Warn, Text: paint.Spinner(p, m.Tick.Spin) + " connecting  " + phrase.Took(max(0, m.Tick.Now.Sub(m.state.Started)))}}
	}
	return nil
}

// counts returns the totals at the right of the header.
func (m *model) counts(wide, pulsing bool) (spans []paint.Span) {
	p := m.Pal
	add := func(st paint.Style, text string) { spans = append(spans, paint.Span{Style: st, Text: text}) }
	pulse := -1 // index of the first span after it
	defer func() {
		if m.pulse.after = 0; pulse >= 0 {
			m.pulse.after = paint.SpansWidth(spans[pulse:])
		}
	}()
	spans = append(spans, m.reloadSpans(wide)...)
	if wide && !m.restartWaits() {
		add(p.Out, p.Up+" "+phrase.Digits(m.snap.Out))
		add(p.In, " "+p.Down+" "+phrase.Digits(m.snap.In)+paint.If(pulsing, " ", "  "))
		if pulsing {
			spans = append(spans, m.pulse.spans(p)...)
			pulse = len(spans) - 1
		}
	}
	if n := m.intercept.Waiting(); n > 0 {
		text := paint.If(!wide, "  ", " held  ")
		add(p.WarnBold, p.Pause+" "+phrase.Digits(n)+text)
	}
	if shared := m.options.Sharing; shared != nil && shared.Agents() > 0 {
		if _, asks := shared.Next(); asks {
			add(p.AskedBold, "agent asks  ")
		} else {
			add(p.Asked, "agent  ")
		}
	}
	asking := 0
	for i := range m.pending {
		if m.pending[i].Dir == transport.In {
			asking++
		}
	}
	switch n := m.snap.Pending; {
	case n == 0:
	case !wide:
		add(p.Warn, phrase.Digits(n)+" "+m.Tick.Waits(p)+" ")
	default:
		add(p.Warn, phrase.Digits(n)+" pending")
		if _, recorded := m.session.Recording(); asking > 0 && recorded {
			add(p.Asked, ", "+phrase.Digits(asking)+" of the server")
		} else if asking > 0 {
			add(p.Asked, ", "+phrase.Digits(asking)+" for you")
		}
		add(p.Warn, "  ")
	}
	if m.state.Phase == session.Ready {
		spans = append(spans, m.pinCounts(wide)...)
	}
	if n := len(m.tasks.Running()); n > 0 && wide {
		text := paint.If(n == 1, " task  ", " tasks  ")
		add(p.Warn, phrase.Digits(n)+text)
	}
	errs, warnings := m.problems.Total()
	if errs > 0 {
		add(p.Error, p.FailMark+" "+phrase.Digits(errs)+"  ")
	}
	if warnings > 0 {
		add(p.Warn, p.WarnMark+" "+phrase.Digits(warnings)+"  ")
	}
	if rec, ok := m.session.Recording(); ok {
		return append(spans, m.recordingState(&rec)...)
	}
	switch {
	case errors.As(m.session.Store().Failure(), new(*store.LimitError)):
		add(p.Warn, "recording stopped ")
	case errors.As(m.session.Store().Failure(), new(*store.GoneError)):
		add(p.ErrorBold, "recording moved or deleted ")
	case m.session.Store().Failure() != nil:
		add(p.ErrorBold, "recording failed ")
	case m.session.Store().Path() == "":
		add(p.Muted, p.Ring+" not recorded ")
	default:
		add(p.Muted, p.Dot+" rec ")
	}
	return spans
}

// reloadSpans returns the state of the watch loop for the header.
func (m *model) reloadSpans(wide bool) []paint.Span {
	if m.options.Reload == nil {
		return nil
	}
	p, st := m.Pal, m.options.Reload.State()
	switch line := st.Line(m.Tick.Now); st.Phase {
	case watch.Building, watch.Restarting:
		return []paint.Span{{Style: p.Warn, Text: paint.Spinner(p, m.Tick.Spin) + " " + line + " " + phrase.Took(max(0, m.Tick.Now.Sub(st.Since))) + "  "}}
	case watch.Broken:
		return []paint.Span{{Style: p.ErrorBold, Text: p.FailMark + " " + line}, {Style: p.AccentBold, Text: m.offers(" ", tabBuild, "") + "  "}}
	case watch.Waiting, watch.Slowed, watch.Undecided:
		if why := st.Because(); wide && why != "" {
			line += ": " + display.Sanitize(why)
		}
		return []paint.Span{{Style: p.WarnBold, Text: p.Pause + " " + line}, {Style: p.AccentBold, Text: m.offers(" "+p.Separator+" ", "restart", " now") + "  "}}
	}
	if !wide {
		return []paint.Span{{Style: p.Muted, Text: "watching  "}}
	}
	return []paint.Span{{Style: p.Muted, Text: "watching "}, {Style: p.Text, Text: p.Label(st.Watching, 24) + "  "}}
}

// offers returns the key of a command between two texts of the header, or "" under a window, where the key has
// no effect.
func (m *model) offers(before, id, after string) string {
	if m.Window() != nil {
		return ""
	}
	return before + m.Name(id) + after
}

// branchName returns the text in the header about a branch, or "".
func (m *model) branchName() string {
	if b := m.options.Branch; b != nil {
		return "branch " + b.Name + " of " + b.Origin()
	}
	return ""
}

// watching is the text in the header of a session whose client is another program.
const watching = "WATCHING another client"

// recordingSpans returns the text in the header about a recording: which one, and its date.
func (m *model) recordingSpans(rec *session.Recording) []paint.Span {
	p := m.Pal
	spans := []paint.Span{{Style: p.WarnBold, Text: paint.If(watches(rec), watching, "RECORDING")}}
	if !rec.Made.IsZero() {
		spans = append(spans, paint.Span{Style: p.Text, Text: "  " + phrase.Date(rec.Made, m.Tick.Now)})
	}
	if m.W >= wideWidth {
		name := display.Sanitize(filepath.Base(rec.Path))
		spans = append(spans, paint.Span{Style: p.Muted, Text: "  " + p.Cut(name, m.W/4)})
	}
	return spans
}

// recordingState returns the progress of reading a recording, and whether it is still being written. A tap that
// restarts the server of its host continues without a server.
func (m *model) recordingState(rec *session.Recording) []paint.Span {
	p := m.Pal
	switch {
	case m.behind(rec) && m.state.Phase == session.Connecting:
		return []paint.Span{{Style: p.Warn, Text: p.Ellipsis + " server starts "}}
	case m.behind(rec) && m.failed():
		return []paint.Span{{Style: p.Error, Text: p.Ring + " no server "}}
	case rec.Read < rec.Size && !rec.Growing:
		return []paint.Span{{Style: p.Warn, Text: fmt.Sprintf("reading %d%% ", 100*rec.Read/rec.Size)}}
	case watches(rec):
		return []paint.Span{{Style: p.OK, Text: p.Dot + " live "}}
	case rec.Growing:
		return []paint.Span{{Style: p.OK, Text: p.Dot + " being written "}}
	case rec.Skipped != "":
		return []paint.Span{{Style: p.Warn, Text: p.WarnMark + " damaged "}}
	}
	return nil
}

// pinCounts returns the numbers of pins that passed, that do not fit the server, that failed, and that were not
// run; in a narrow header only the second and the third.
func (m *model) pinCounts(wide bool) []paint.Span {
	p, spans := m.Pal, []paint.Span(nil)
	add := func(st paint.Style, mark string, n int) {
		if n > 0 {
			spans = append(spans, paint.Span{Style: st, Text: fmt.Sprintf("%s %d ", mark, n)})
		}
	}
	n := m.pinned.Counts()
	if wide {
		add(p.OK, p.OKMark, n.Passed)
	}
	add(p.Warn, p.WarnMark, n.Unfit)
	add(p.Error, p.FailMark, n.Failed)
	if wide {
		add(p.Muted, p.Absent, n.Left)
	}
	if m.pinned.Problem() != nil {
		spans = append(spans, paint.Span{Style: p.Warn, Text: p.WarnMark + " file "})
	}
	_, recorded := m.session.Recording()
	if len(spans) == 0 || recorded && n.Passed+n.Unfit+n.Failed == 0 {
		return nil
	}
	return slices.Concat([]paint.Span{{Style: p.Muted, Text: "pins "}}, spans, []paint.Span{{Style: p.Muted, Text: " "}})
}

// showPulse shows the frames of a step of the pulse.
func (m *model) showPulse(step int) {
	if s := &m.pulse.steps[step]; s.frames > 0 {
		m.ShowFrame(s.row)
		return
	}
	m.Say("There were no frames at that time.")
}

// clickFirst opens the tap, or shows the time of the pulse, at a column of the header.
func (m *model) clickFirst(x int) {
	for _, t := range m.taps {
		if x >= t.x && x < t.x+t.w {
			t.show()
			return
		}
	}
	if step := x - (m.W - m.pulse.after - pulseSteps); m.pulse.after > 0 && step >= 0 && step < pulseSteps {
		m.showPulse(step)
	}
}

// pulseCommand shows the newest error of the pulse, or the newest frames.
func (m *model) pulseCommand() keys.Command {
	return keys.Command{
		ID: "pulse", Label: "latest activity", Help: "Show the newest frames of the last half minute, those with an error first", Words: "pulse recent moment alive error sparkline",
		Run: func() { m.showPulse(m.pulse.newest()) },
		Off: func() string {
			return keys.Reason(m.pulse.newest() < 0, "There were no frames in the last half minute.")
		},
	}
}

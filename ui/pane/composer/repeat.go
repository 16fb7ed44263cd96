package composer

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/internal/phrase"
	"mcptea/session"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
)

// repeat sends the frame several times.
type repeat struct {
	open    bool // how often is being typed
	often   input.Input
	problem string
	running *session.Repetition // the last one; nil before the first and after another frame was sent
}

// maxRepeat is how often a frame is sent at most.
const maxRepeat = 10000

// parseRepeat reads a count and, optionally, an interval: "100" or "100 50ms".
func parseRepeat(text string) (count int, interval time.Duration, problem string) {
	fields := strings.Fields(strings.ReplaceAll(text, "every", " "))
	if len(fields) == 0 || len(fields) > 2 {
		return 0, 0, "Write a count and, if you like, an interval: 100 50ms"
	}
	count, err := strconv.Atoi(fields[0])
	if err != nil || count < 1 || count > maxRepeat {
		return 0, 0, fmt.Sprintf("%q is not a count from 1 to %s", fields[0], paint.HumanCount(maxRepeat))
	}
	if len(fields) == 2 {
		interval, err = time.ParseDuration(fields[1])
		if err != nil || interval < 0 || interval > time.Hour {
			return 0, 0, fmt.Sprintf("%q is not an interval such as 50ms or 2s", fields[1])
		}
	}
	return count, interval, ""
}

func (p *Pane) openRepeat() action.Action {
	if p.params.Buffer().Size() > maxForm {
		return action.Flash{Text: "Frames larger than 1 MB are not sent repeatedly", Wrong: true}
	}
	p.suggestions = suggestions{}
	p.repeat.open, p.repeat.problem = true, ""
	if p.repeat.often.Empty() {
		p.repeat.often.SetValue("10")
	}
	return nil
}

// repeatKey takes a key while the count is being typed.
func (p *Pane) repeatKey(k tea.KeyPressMsg) (action.Action, bool) {
	switch key := k.String(); {
	case isKey(command.Dialog, command.Dismiss, key), isKey(command.Composer, command.SendRepeatedly, key):
		p.repeat.open = false
	case isKey(command.Dialog, command.Accept, key), isKey(command.Composer, command.SendFrame, key):
		return p.startRepeat(), true
	default:
		p.repeat.problem = ""
		p.repeat.often.Key(k)
	}
	return nil, true
}

func (p *Pane) startRepeat() action.Action {
	count, interval, problem := parseRepeat(p.repeat.often.Value())
	if p.repeat.problem = problem; problem != "" {
		return nil
	}
	if p.repeat.running != nil && p.repeat.running.Running() {
		return action.Flash{Text: "Frames are still being sent", Wrong: true}
	}
	p.repeat.open = false
	p.sending = &sending{kept: true, draft: p.draft(), label: p.label()}
	return action.RepeatFrame{
		Ref: ref, Count: count, Interval: interval, Build: p.builder(p.idKind),
	}
}

// builder returns a function that assembles the draft as it is now, with another id
// each time. It may be called on another goroutine.
func (p *Pane) builder(kind idKind) func(id jsonrpc.ID) []byte {
	value := sync.OnceValue(p.params.Buffer().Snapshot())
	if p.raw {
		return func(jsonrpc.ID) []byte { return []byte(value()) }
	}
	params := sync.OnceValue(func() []byte { return oneLine(value()) })
	if p.params.Buffer().Size() <= maxForm {
		now, _ := expand(p.oneLine(), p.Variables) // the values belong to this goroutine
		params = func() []byte { return now }
	}
	method, s, noMeta, malformed := p.method.Value(), p.session, p.noMeta, p.malformed
	var fixed jsonrpc.ID
	if kind != idAuto {
		fixed = p.idOf(kind)
	}
	return func(id jsonrpc.ID) []byte {
		token, filled := id, params()
		if kind != idAuto {
			id = fixed
		}
		if id != "" && !noMeta && !hasMeta(filled) {
			if with, err := s.RequestParams(token, method, filled); err == nil {
				filled = with
			}
		}
		frame := jsonrpc.AppendRequest(nil, id, method, filled)
		if malformed > 0 {
			frame = jsonrpc.Mutations()[malformed-1].Apply(frame)
		}
		return frame
	}
}

// repeatRow is the line in which the count is typed.
func (p *Pane) repeatRow(pal *paint.Palette, w int) string {
	r := pal.Row()
	r.Start(w, paint.Style{})
	r.Put(pal.Text, "send [")
	const field = 10
	text, cursor := p.repeat.often.Visible(field)
	p.fieldCursor = r.Used() + cursor
	r.Cell(pal.Field, text, field)
	r.Put(pal.Text, "]")
	r.Put(pal.Muted, " times   ")
	if p.repeat.problem != "" {
		r.Put(pal.Error, p.repeat.problem)
		return r.String()
	}
	r.Put(pal.Muted, "100 50ms = one every 50 ms   ")
	r.Spans(hint(pal, command.KeyIn(command.Dialog, command.Accept, true), "start")...)
	return r.String()
}

// repeatRows are the progress of a repetition, and its summary.
func (p *Pane) repeatRows(pal *paint.Palette, w int) []string {
	running := p.repeat.running.Running()
	got := p.repeat.running.Progress()
	r := pal.Row()
	r.Start(w, paint.Style{})
	if running {
		r.Right(hint(pal, command.KeyIn(command.Composer, command.CancelCall, true), "stop")...)
		bar := paint.Bar(pal, 20, float64(got.Sent)/float64(max(got.Total, 1)))
		r.Painted(bar, 20)
		r.Gap(1)
	}
	r.Put(pal.Text, fmt.Sprintf("%s of %s sent", paint.HumanCount(got.Sent), paint.HumanCount(got.Total)))
	rows := []string{r.String()}
	r.Start(w, paint.Style{})
	r.Put(pal.OK, paint.HumanCount(got.OK)+" ok")
	for _, n := range []struct {
		count int
		text  string
	}{{got.Errors, "error"}, {got.Failed, "no response"}} {
		if n.count > 0 {
			r.Put(pal.Muted, "   ")
			text := paint.HumanCount(n.count) + " " + n.text
			if n.text == "error" {
				text = phrase.Count(n.count, n.text)
			}
			r.Put(pal.Error, pal.FailMark+" "+text)
		}
	}
	rows = append(rows, r.String())
	if got.Max > 0 || got.OK+got.Errors > 0 {
		r.Start(w, paint.Style{})
		r.Put(pal.Muted, "min ")
		r.Put(pal.Text, paint.HumanDuration(got.Min))
		r.Put(pal.Muted, "   median ")
		r.Put(pal.Text, paint.HumanDuration(got.Median))
		r.Put(pal.Muted, "   max ")
		r.Put(pal.Text, paint.HumanDuration(got.Max))
		rows = append(rows, r.String())
	}
	if got.Err != nil && !running {
		r.Start(w, paint.Style{})
		r.Put(pal.Warn, "Stopped: "+got.Err.Error())
		rows = append(rows, r.String())
	}
	return rows
}

package content

import (
	"context"
	"errors"
	"time"

	"mcptea/session"
	"mcptea/session/content"
	"mcptea/session/shell"
	"mcptea/ui/paint"
)

// Layers are what is shown over a result: the output of a command, or a resource that
// a link names. The zero Layers is empty.
type Layers struct{ list []*layer }

// layer is one of them. view is nil while it is waited for.
type layer struct {
	title string // untrusted
	view  *View
	began time.Time

	call   *session.Call        // that reads a resource; nil for a command
	output <-chan shell.Outcome // of a command; nil for a resource
	stop   func()               // ends the command
}

// PushCommand puts the output of a command on top; stop ends it.
func (l *Layers) PushCommand(line string, output <-chan shell.Outcome, stop func()) {
	l.list = append(l.list, &layer{title: "| " + line, output: output, stop: stop, began: time.Now()})
}

// PushCall puts a resource on top that a call reads.
func (l *Layers) PushCall(c *session.Call) {
	l.list = append(l.list, &layer{title: c.Name, call: c, began: time.Now()})
}

// Pop removes the layer on top and ends what it waits for. It reports false without
// one.
func (l *Layers) Pop() bool {
	n := len(l.list) - 1
	if n < 0 {
		return false
	}
	if top := l.list[n]; top.view == nil && top.stop != nil {
		top.stop()
	} else if top.view == nil && top.call != nil {
		top.call.Cancel()
	}
	l.list = l.list[:n]
	return true
}

// Top is the view on top, or the one below without a layer; nil while it is waited for.
func (l *Layers) Top(below *View) *View {
	if n := len(l.list); n > 0 {
		return l.list[n-1].view
	}
	return below
}

// Title names the layer on top, untrusted, and how long it is waited for; empty without
// one.
func (l *Layers) Title(now time.Time) (title string, wait time.Duration) {
	n := len(l.list)
	if n == 0 {
		return "", 0
	}
	top := l.list[n-1]
	if top.view == nil {
		wait = max(now.Sub(top.began), 1)
	}
	return top.title, wait
}

// Busy takes what has ended, and reports whether something is waited for.
func (l *Layers) Busy() (busy bool) {
	for _, top := range l.list {
		switch {
		case top.view != nil:
			busy = top.view.Busy() || busy
		case top.output != nil:
			select {
			case out := <-top.output:
				top.view = outputView(out)
			default:
				busy = true
			}
		case top.call.Running():
			busy = true
		default:
			response, err := top.call.Outcome()
			top.view = New(top.call.Method, response, err)
		}
	}
	return busy
}

// outputView shows what a command has written.
func outputView(out shell.Outcome) *View {
	v := &View{}
	if out.Err != nil {
		what := "failed"
		if errors.Is(out.Err, context.Canceled) {
			what = "cancelled"
		}
		v.text.parts = append(v.text.parts, heading{role: bad, name: what, facts: []string{out.Err.Error()}})
	}
	if len(out.Stdout) > 0 {
		if len(v.text.parts) > 0 {
			v.text.parts = append(v.text.parts, gap{})
		}
		facts := []string{paint.HumanSize(int64(len(out.Stdout)))}
		if out.Cut {
			facts = append(facts, "cut: the output is longer")
		}
		v.text.parts = append(v.text.parts, heading{name: "output", facts: facts}, shown(content.TextOf("", string(out.Stdout))))
		v.items = append(v.items, content.TextItem("output", out.Stdout))
	}
	if len(out.Stderr) > 0 {
		if len(v.text.parts) > 0 {
			v.text.parts = append(v.text.parts, gap{})
		}
		v.text.parts = append(v.text.parts, heading{name: "stderr"}, newText(string(out.Stderr)))
	}
	if len(v.text.parts) == 0 {
		v.text.parts = []part{note{what: "The command has written nothing."}}
	}
	return v
}

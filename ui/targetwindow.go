package ui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
)

// offersTarget opens the question for a target, if an action needs a server and the
// session is a recording. It reports whether the action must not be carried out.
func (m *model) offersTarget(a action.Action) bool {
	rec, recorded := m.session.Recording()
	if !recorded {
		return false
	}
	what, draft, needs := serverAction(a)
	if !needs {
		return false
	}
	if what != "" {
		target := m.options.Target
		if target == "" {
			target = rec.Target
		}
		m.overlay = newTargetWindow(what, target, draft)
	}
	return true
}

// serverAction reports whether an action needs a server: the operation,
// empty for what happens by itself, and what goes into the composer of the
// connection.
func serverAction(a action.Action) (what string, draft action.Draft, needs bool) {
	switch a := a.(type) {
	case action.Start:
		if a.Automatic {
			return "", draft, true
		}
		return "Send " + a.Method, action.Draft{Method: a.Method, Params: a.Params}, true
	case action.StartFrame:
		if a.Frame == nil && a.Build != nil {
			a.Frame = a.Build()
		}
		if e := jsonrpc.Scan(a.Frame); e.Kind == jsonrpc.Request && e.Flaws == 0 && e.Params.Present() {
			return "Send " + e.MethodName(a.Frame), action.Draft{Method: e.MethodName(a.Frame), Params: e.Params.Of(a.Frame)}, true
		}
		return "Send a frame", action.Draft{Frame: a.Frame}, true
	case action.RepeatFrame:
		return "Send a frame repeatedly", draft, true
	case action.Subscribe:
		return "Subscribe", draft, true
	case action.SetLevel:
		return "Set the level of log messages", draft, true
	case action.Fetch:
		return "Fetch the list", draft, true
	case action.Restart, action.SetToken:
		return "Connect", draft, true
	case action.Compare:
		return "Compare revisions", draft, true
	case action.RunPins:
		return "Run pins", draft, true
	case action.CompareServers:
		return "Compare servers", draft, true
	case action.Task:
		return "Ask about the task", draft, true
	case action.Reply:
		return "Respond", draft, true
	case action.Cancel:
		return "Cancel", draft, true
	}
	return "", draft, false
}

// targetWindow asks for a server where a recording has none. Nothing is started
// before the user accepts.
type targetWindow struct {
	what    string
	draft   action.Draft
	input   input.Input
	problem string
	at      [2]int
}

func newTargetWindow(what, target string, draft action.Draft) *targetWindow {
	o := &targetWindow{what: what, draft: draft}
	o.input.SetValue(target)
	return o
}

var _ worker = (*targetWindow)(nil)

func (o *targetWindow) size(w, _ int) (int, int)    { return min(w-4, 90), 9 }
func (o *targetWindow) scroll(int)                  {}
func (o *targetWindow) close()                      {}
func (o *targetWindow) refresh(time.Time, int) bool { return false }
func (o *targetWindow) cursor() (x, y int, ok bool) { return o.at[0], o.at[1], true }
func (o *targetWindow) paste(text string)           { o.input.Insert(text) }
func (o *targetWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	if c, _ := command.Lookup(command.Dialog, k.String()); c.ID == command.Dismiss {
		return nil, true
	}
	o.problem = ""
	o.input.Key(k)
	return nil, false
}

// do implements [worker].
func (o *targetWindow) do(k tea.KeyPressMsg) (action.Action, bool) {
	if c, _ := command.Lookup(command.Dialog, k.String()); c.ID != command.Accept {
		return nil, false
	}
	target := strings.TrimSpace(o.input.Value())
	switch redacted := redactedParts(target); {
	case target == "":
		o.problem = "Type a command line or a URL."
	case len(redacted) > 0:
		o.problem = "Replace " + strings.Join(redacted, ", ") + ": the recording has no secrets."
	default:
		return action.ConnectTo{Target: target, Draft: o.draft}, true
	}
	return nil, true
}

// redactedParts are the words of a target that a recording has without their
// secret.
func redactedParts(target string) []string {
	var parts []string
	for _, word := range strings.Fields(target) {
		if secret.IsRedacted(word) {
			parts = append(parts, paint.Cut(word, 40))
		}
	}
	return parts
}

func (o *targetWindow) paint(p *paint.Palette, w, h int) []string {
	var rows []string
	var r paint.Row
	line := func(draw func()) {
		r.Start(w-2, paint.Style{})
		r.Gap(1)
		draw()
		rows = append(rows, r.String())
	}
	text := func(st paint.Style, text string) {
		for _, part := range paint.Wrap(text, w-4) {
			line(func() { r.Foreign(st, part) })
		}
	}
	text(p.Text, "This needs a server, and a recording has none. Connect to:")
	if o.draft.Method != "" || o.draft.Frame != nil {
		text(p.Muted, "It is put into the composer; you send it there.")
	}
	line(func() {})
	line(func() {
		r.Put(p.Accent, p.Prompt+" ")
		shown, cursor := o.input.Visible(r.Left() - 1)
		o.at = [2]int{r.Used() + 1 + cursor, 1 + len(rows)}
		r.Put(p.Text, shown)
	})
	switch redacted := redactedParts(o.input.Value()); {
	case o.problem != "":
		text(p.Warn, o.problem)
	case len(redacted) > 0:
		text(p.Warn, fmt.Sprintf("Redacted: %s. Type the value, or $NAME for an environment variable.", strings.Join(redacted, ", ")))
	default:
		text(p.Muted, "A command line or a URL; $NAME is the value of an environment variable.")
	}
	title := []paint.Span{{Style: p.TextBold, Text: o.what}}
	keys := []paint.Span{
		{Style: p.AccentBold, Text: command.KeyIn(command.Dialog, command.Accept, true)},
		{Style: p.Muted, Text: " connect   "},
		{Style: p.AccentBold, Text: command.KeyOf(command.Dismiss)},
		{Style: p.Muted, Text: " cancel"},
	}
	return paint.Box(p, w, h, true, title, keys, rows)
}

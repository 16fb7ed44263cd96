package ui

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/session/shell"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
)

// offersTarget opens the question for a target, if an action needs a server and the
// session is a recording. It reports whether the action must not be carried out.
func (m *model) offersTarget(a action.Action) bool {
	if _, recorded := m.session.Recording(); !recorded {
		return false
	}
	what, draft, needs := serverAction(a)
	return needs && m.offerTarget(what, draft)
}

// offerTarget asks for a server where a recording has none; what may be empty for what
// happens by itself. It reports true in a recording.
func (m *model) offerTarget(what string, draft action.Draft) bool {
	rec, recorded := m.session.Recording()
	if !recorded {
		return false
	}
	if what != "" {
		m.overlay = newTargetWindow(what, m.options.Target, rec.Target, draft)
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
		return "Compare versions", draft, true
	case action.RunPins:
		return "Run pins", draft, true
	case action.CompareServers:
		return "Compare servers", draft, true
	case action.Reply:
		return "Respond", draft, true
	case action.Cancel:
		return "Cancel", draft, true
	}
	return "", draft, false
}

// targetWindow asks for a server where a recording has none. What the recording names
// is shown in full, by a [consent], before it is used.
type targetWindow struct {
	what    string
	draft   action.Draft
	input   input.Input
	problem string
	at      [2]int
	// recorded reports that there is text of the recording in the line.
	recorded bool
}

// newTargetWindow returns a window with a target of the user, or without one with that
// of the recording.
func newTargetWindow(what, own, recorded string, draft action.Draft) *targetWindow {
	o := &targetWindow{what: what, draft: draft, recorded: own == ""}
	o.input.SetValue(cmp.Or(own, recorded))
	if o.recorded {
		o.input.Key(tea.KeyPressMsg{Code: tea.KeyHome})
	}
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
	o.recorded = o.recorded && o.input.Value() != "" // what follows is typed
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
		if _, _, err := wordsOf(target); err != nil {
			o.problem = "Write it as in a shell: " + err.Error() + "."
			return nil, true
		}
		return action.ConnectTo{Target: target, Draft: o.draft, Recorded: o.recorded}, true
	}
	return nil, true
}

// wordsOf are the words of a target, with the names of environment variables in the place
// of their values.
func wordsOf(target string) (words, variables []string, err error) {
	words, err = shell.Split(target, func(name string) (string, bool) {
		variables = append(variables, name)
		return "$" + name, true
	})
	return words, variables, err
}

// askToConnect shows what a recording names as its server, and asks whether to use it.
func (m *model) askToConnect(a action.ConnectTo) tea.Cmd {
	rec, _ := m.session.Recording()
	words, variables, err := wordsOf(a.Target)
	if err != nil {
		m.say(action.Flash{Text: "Write it as in a shell: " + err.Error() + ".", Wrong: true})
		return nil
	}
	from := "recording " + filepath.Base(rec.Path)
	if !rec.Made.IsZero() {
		from += " of " + paint.HumanDate(rec.Made, m.now)
	}
	next := "connect"
	if a.Draft.Method != "" || a.Draft.Frame != nil {
		next = "connect, and put the request into the composer"
	}
	agreed := a
	agreed.Recorded = false
	o := &consent{
		title: "Start this command?", facts: []consentFact{{label: "from", text: from}, {label: "to", text: next}, {label: "runs", text: "on this machine, with your rights, without a shell"}},
		name: "command, a line for each argument", lines: words, blanks: true, yes: "start", no: "do not start", after: "the recording stays open", accept: agreed,
	}
	if len(words) == 1 && strings.Contains(words[0], "://") {
		o.title, o.name, o.yes, o.no = "Connect to this URL?", "address", "connect", "do not connect"
		o.facts = o.facts[:2]
	} else if dir, err := os.Getwd(); err == nil {
		o.facts = append(o.facts, consentFact{label: "directory", text: dir})
	}
	for i, word := range words {
		if strings.ContainsAny(word, " \t\n") && strings.ContainsAny(word, "|;&`$<>\n") {
			o.warnings = append(o.warnings, fmt.Sprintf("Line %d is a command line for a shell: the program may run it.", i+1))
		}
	}
	if len(variables) > 0 {
		slices.Sort(variables)
		o.warnings = append(o.warnings, "The values of these environment variables are inserted: "+strings.Join(slices.Compact(variables), ", ")+".")
	}
	m.overlay = openConsent(o)
	return nil
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
			line(func() { r.Put(st, part) })
		}
	}
	text(p.Text, "This needs a server, and a recording has none. Connect to:")
	if o.draft.Method != "" || o.draft.Frame != nil {
		text(p.Muted, "It is put into the composer; you send it there.")
	}
	line(func() {})
	line(func() {
		r.Put(p.Accent, p.Prompt+" ")
		shown, cursor := o.input.Visible(r.Left() - 3)
		before, after := o.input.Hidden(r.Left() - 3)
		mark := func(hidden bool) {
			if hidden {
				r.Put(p.Accent, p.Ellipsis)
				return
			}
			r.Gap(1)
		}
		mark(before)
		o.at = [2]int{r.Used() + 1 + cursor, 1 + len(rows)}
		r.Put(p.Text, shown)
		mark(after)
	})
	switch redacted := redactedParts(o.input.Value()); {
	case o.problem != "":
		text(p.Warn, o.problem)
	case len(redacted) > 0:
		text(p.Warn, fmt.Sprintf("Redacted: %s. Type the value, or $NAME for an environment variable.", strings.Join(redacted, ", ")))
	case o.recorded:
		text(p.Muted, "The recording names it; ctrl+k removes it. It is shown in full before anything is started.")
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

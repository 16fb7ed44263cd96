package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/session/filter"
	"mcptea/session/shell"
	"mcptea/ui/action"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
	"mcptea/ui/pane/intercept"
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
		m.askForTarget(what, rec.Target, draft)
	}
	return true
}

// serverAction reports whether an action needs a server: the operation,
// empty for what happens by itself, and what goes into the composer of the
// connection.
func serverAction(a action.Action) (what string, draft action.Draft, needs bool) {
	switch a := a.(type) {
	case action.Start:
		return "Send " + a.Method, action.Draft{Method: a.Method, Params: a.Params}, true
	case action.StartFrame:
		if e := jsonrpc.Scan(a.Frame); e.Kind == jsonrpc.Request && e.Flaws == 0 && e.Params.Present() {
			return "Send " + e.MethodName(a.Frame), action.Draft{Method: e.MethodName(a.Frame), Params: e.Params.Of(a.Frame)}, true
		}
		return "Send a frame", action.Draft{Frame: a.Frame}, true
	case action.SetLevel:
		return "Set the level of log messages", draft, true
	case action.Restart:
		return "Connect", draft, true
	case action.Cancel:
		return "Cancel", draft, true
	}
	return "", draft, false
}

// askForTarget asks for a server where a recording has none. What the recording names
// is shown in full, by a [consent], before it is used.
func (m *model) askForTarget(what, named string, draft action.Draft) {
	own := m.options.Target
	recorded := own == "" // the target is the recording's, until the user has removed it
	text := "This needs a server, and a recording has none. Connect to:"
	if draft.Method != "" || draft.Frame != nil {
		text += " It is put into the composer; you send it there."
	}
	dialog.Prompt{
		Title: what, Verb: "connect", Text: text, Value: cmp.Or(own, named), AtStart: recorded,
		Hint: func(target string) string {
			recorded = recorded && target != "" // what follows is typed
			switch redacted := redactedParts(target); {
			case len(redacted) > 0:
				return "Redacted: " + strings.Join(redacted, ", ") + ". Type the value, or $NAME for an environment variable."
			case recorded:
				return "The recording names it; ctrl+k removes it. It is shown in full before anything is started."
			}
			return "A command line or a URL; $NAME is the value of an environment variable."
		},
		Accept: func(target string) (func(), error) {
			redacted := redactedParts(target)
			_, _, err := wordsOf(target)
			switch {
			case target == "":
				return nil, errors.New("type a command line or a URL")
			case len(redacted) > 0:
				return nil, errors.New("replace " + strings.Join(redacted, ", ") + ": the recording has no secrets")
			case err != nil:
				return nil, errors.New("write it as in a shell: " + err.Error())
			}
			return func() { m.app().Do(action.ConnectTo{Target: target, Draft: draft, Recorded: recorded}) }, nil
		},
	}.Open(m.app())
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
	o := dialog.Consent{
		Title: "Start this command?", Facts: []dialog.Fact{{Label: "from", Text: from}, {Label: "to", Text: next}, {Label: "runs", Text: "on this machine, with your rights, without a shell"}},
		Name: "command, a line for each argument", Lines: words, Blanks: true, Yes: "start", No: "do not start", After: "the recording stays open",
		Accept: func() { m.app().Do(agreed) },
	}
	if len(words) == 1 && strings.Contains(words[0], "://") {
		o.Title, o.Name, o.Yes, o.No = "Connect to this URL?", "address", "connect", "do not connect"
		o.Facts = o.Facts[:2]
	} else if dir, err := os.Getwd(); err == nil {
		o.Facts = append(o.Facts, dialog.Fact{Label: "directory", Text: dir})
	}
	for i, word := range words {
		if strings.ContainsAny(word, " \t\n") && strings.ContainsAny(word, "|;&`$<>\n") {
			o.Warnings = append(o.Warnings, fmt.Sprintf("Line %d is a command line for a shell: the program may run it.", i+1))
		}
	}
	if len(variables) > 0 {
		slices.Sort(variables)
		o.Warnings = append(o.Warnings, "The values of these environment variables are inserted: "+strings.Join(slices.Compact(variables), ", ")+".")
	}
	o.Open(m.app())
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

// attach attaches to the tap that writes a recording.
func (m *model) attach(ctx context.Context, recording string) (*intercept.Attached, error) {
	if m.options.Attach == nil {
		return nil, errors.New("A recording has no frames to hold: only a connection has, or an active tap.") //nolint:revive,staticcheck // a sentence for the last line
	}
	return m.options.Attach(ctx, recording)
}

// breakpointFor is the filter that a new breakpoint begins with: one that passes the
// selected frame.
func (m *model) breakpointFor() string {
	if m.inTraffic() {
		if text := filter.Propose(m.session.Store(), m.wire.traffic.Selected()); text != "" {
			return text
		}
	}
	return "method:tools/call dir:out"
}

// afterUser does what may open a window when the user has finished.
func (m *model) afterUser(run func()) {
	m.later(run)
}

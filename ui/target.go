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

	"mcptea/client/secret"
	"mcptea/session/filter"
	"mcptea/session/shell"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
	"mcptea/ui/pane/intercept"
)

// Draft is a request, by its method and params, or a frame with exact bytes.
type Draft struct {
	Method        string
	Params, Frame []byte
}

// ConnectTo is a target that the user has chosen in the place of a recording: a command
// line or a URL, and what is put into the composer of the connection.
type ConnectTo struct {
	Target string
	Draft  Draft
}

// online does what needs a server: at once, or not where a recording has none; the user is
// then asked for one. what may be empty for what happens by itself.
func (m *model) online(what string, draft Draft, do func()) {
	rec, recorded := m.session.Recording()
	switch {
	case !recorded:
		do()
	case what != "":
		m.askForTarget(what, rec.Target, draft)
	}
}

// connectTo ends the view of the recording.
func (m *model) connectTo(to ConnectTo) {
	m.chosen = &to
	m.do(tea.Quit)
}

// askForTarget asks for a server where a recording has none. What the recording names
// is shown in full, by a [consent], before it is used.
func (m *model) askForTarget(what, named string, draft Draft) {
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
			to := ConnectTo{target, draft}
			if recorded {
				return func() { m.askToConnect(to) }, nil
			}
			return func() { m.connectTo(to) }, nil
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
func (m *model) askToConnect(to ConnectTo) {
	rec, _ := m.session.Recording()
	words, variables, err := wordsOf(to.Target)
	if err != nil {
		m.Fail("Write it as in a shell: " + err.Error() + ".")
		return
	}
	from := "recording " + filepath.Base(rec.Path)
	if !rec.Made.IsZero() {
		from += " of " + paint.HumanDate(rec.Made, m.now)
	}
	next := "connect"
	if to.Draft.Method != "" || to.Draft.Frame != nil {
		next = "connect, and put the request into the composer"
	}
	o := dialog.Consent{
		Title: "Start this command?", Facts: []dialog.Fact{{Label: "from", Text: from}, {Label: "to", Text: next}, {Label: "runs", Text: "on this machine, with your rights, without a shell"}},
		Name: "command, a line for each argument", Lines: words, Blanks: true, Yes: "start", No: "do not start", After: "the recording stays open",
		Accept: func() { m.connectTo(to) },
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

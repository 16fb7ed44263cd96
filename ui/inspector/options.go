package inspector

import (
	"context"

	"mcptea/internal/shell"
	"mcptea/session/explain/remedy"
	"mcptea/session/record/filter"
	"mcptea/session/runs/branch"
	"mcptea/session/runs/usercommand"
	"mcptea/session/runs/watch"
	"mcptea/session/sharing"
	"mcptea/session/state"
	"mcptea/ui/pane/intercept"
	"mcptea/ui/pane/start"
	"mcptea/ui/program"
	"mcptea/ui/sessions"
)

// Options are what the command line and config.yaml choose.
type Options struct {
	program.Options
	// Host has the terminal; nil is one for this session alone.
	Host *sessions.Host
	// Name is what the user calls the server: its entry in a configuration file. Empty is what the
	// server calls itself.
	Name string
	// Confirm asks before a call of a tool that is annotated as destructive.
	Confirm bool
	// Own is what the user has written in config.yaml; Filter is the filter at the start.
	Own
	Filter string
	// Flags say how the session reaches the server; they go into the commands
	// that are copied.
	Flags []shell.Flag
	// Responses are the saved responses to server requests; nil without any.
	Responses *state.Responses
	// Draft is put into the composer at the start.
	Draft Draft
	// Target is offered where a recording needs a server, in the place of its own.
	Target string
	// Arguments are the saved arguments of tools and prompts; nil without any.
	Arguments *state.Responses
	// Targets read what the start screen lists, for the list of commands; each is called on a
	// goroutine of its own.
	Targets []func(context.Context) start.Group
	// Pins is the file of the pins; empty for [pins.DefaultFile].
	Pins string
	// Attach attaches to the tap that writes a recording; nil when there is no such
	// thing. It is called from a goroutine of its own.
	Attach func(ctx context.Context, recording string) (*intercept.Attached, error)
	// Sharing is what coding agents do in the session; nil when none can attach.
	Sharing *sharing.Session
	// MuteAlways mutes a rule in every later session, or unmutes it, and returns the
	// file that was changed. It is called from a goroutine of its own;
	// nil when there is no such thing.
	MuteAlways func(rule string, on bool) (string, error)
	// Reload builds and restarts the server when its files change; nil without. It runs
	// as long as the inspector.
	Reload *watch.Loop
	// Watch finds the files of the server, and returns what starts it again when they change, and a
	// function that ends that; nil without. It is called from a goroutine of its own.
	Watch func(s watch.Session) (*watch.Loop, func(), error)
	// Lent is called with true before another program gets the terminal, for which ctrl+c is then,
	// and with false after it has ended; nil does nothing.
	Lent func(on bool)
	// Keep prepares to write variables, as NAME=VALUE, into the configuration that the server came from;
	// nil without one. It and what it returns read and write files.
	Keep func(vars []string) (remedy.Keeping, error)
	// Lesson is what the session teaches; without steps nothing.
	Lesson Lesson
	// Branch goes on from a recording once the session is connected; nil without.
	Branch *branch.Branch
}

// Own is what becomes commands because the user has written it: named filters, and programs that are started
// with values of the session.
type Own struct {
	Filters  filter.Names
	Commands []usercommand.Command
}

// IDs returns the ids of the commands.
func (o Own) IDs() (ids []string) {
	for _, f := range o.Filters.All() {
		ids = append(ids, idOfFilter(f.Name))
	}
	for i := range o.Commands {
		ids = append(ids, idOfUserCommand(o.Commands[i].Name))
	}
	return ids
}

func idOfFilter(name string) string { return "filter." + name }

func idOfUserCommand(name string) string { return "command." + name }

// Step is a step of a lesson: what to do, and the name of what was done then; see [taught].
type Step struct{ Name, Text string }

// Lesson is what mcptea demo teaches, in one line above the last row.
type Lesson struct {
	Steps []Step
	Over  bool   // it was ended in an earlier session
	End   func() // it ends for good
}

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
	// Continue goes on from the recording. Until is the number of the first frame that is
	// not sent again; 0 sends all. Without a target it is that of the branch.
	Continue bool
	Until    int
}

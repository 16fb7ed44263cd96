package inspector

import (
	"context"

	"mcptea/internal/shell"
	"mcptea/record/filter"
	"mcptea/session/explain/remedy"
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

// Options holds the choices of the command line and config.yaml.
type Options struct {
	program.Options
	// Host has the terminal; if nil, Run makes one for this session.
	Host *sessions.Host
	// Name is the user's name for the server, its entry in a configuration file, or "" for the name that the
	// server reports.
	Name string
	// Confirm asks before a call of a tool that is annotated as destructive.
	Confirm bool
	// Own holds the named filters and commands of config.yaml; Filter is the initial filter.
	Own
	Filter string
	// Flags holds the flags of the connection; copied commands contain them.
	Flags []shell.Flag
	// Responses holds the saved responses to server requests, or nil.
	Responses *state.Responses
	// Draft is the initial content of the composer.
	Draft Draft
	// Target is proposed when a recording needs a server, instead of the recording's own.
	Target string
	// Arguments holds the saved arguments of tools and prompts, or nil.
	Arguments *state.Responses
	// Targets are functions that return entries of the start screen, for the list of commands. Each is called on a
	// separate goroutine.
	Targets []func(context.Context) start.Group
	// Pins is the file of the pins, or "" for [pins.DefaultFile].
	Pins string
	// Attach attaches to the tap that writes a recording; it may be nil. It is called on a separate goroutine.
	Attach func(ctx context.Context, recording string) (*intercept.Attached, error)
	// Sharing holds the actions of coding agents in the session, or nil if none can attach.
	Sharing *sharing.Session
	// MuteAlways mutes a rule in every later session, or unmutes it, and returns the changed file; it may be
	// nil. It is called on a separate goroutine.
	MuteAlways func(rule string, on bool) (string, error)
	// Reload builds and restarts the server when its files change; it may be nil. It runs as long as the
	// inspector.
	Reload *watch.Loop
	// Watch finds the files of the server, and returns a loop that restarts it when they change, and a function
	// that ends the loop; it may be nil. It is called on a separate goroutine.
	Watch func(s watch.Session) (*watch.Loop, func(), error)
	// Lent is called with true before another program gets the terminal and ctrl+c, and with false after the
	// program has ended; it may be nil.
	Lent func(on bool)
	// Keep prepares to write variables, as NAME=VALUE, into the configuration of the server; it may be nil. It
	// and its result read and write files.
	Keep func(vars []string) (remedy.Keeping, error)
	// Lesson is the lesson of the session; it may have no steps.
	Lesson Lesson
	// Place is how the user left the recording or the server the last time; its Of is not used. Left is called with
	// the place at the end; it may be nil.
	Place state.Place
	Left  func(state.Place)
	// Branch continues a recording after the session has connected; it may be nil.
	Branch *branch.Branch
}

// Own holds the parts of config.yaml that become commands: named filters, and programs that are started with
// values of the session.
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

// Step is a step of a lesson: what to do, and the name of the action that completes it; see [taught].
type Step struct{ Name, Text string }

// A Lesson is a tutorial in one line above the last row, as in mcptea demo.
type Lesson struct {
	Steps []Step
	Over  bool   // the lesson was ended in an earlier session
	End   func() // called when the lesson ends permanently
}

// A Draft is a request, as method and params, or a frame with exact bytes.
type Draft struct {
	Method        string
	Params, Frame []byte
}

// A ConnectTo is a target that the user has chosen for a recording: a command line or a URL, and the initial
// content of the composer.
type ConnectTo struct {
	Target string
	Draft  Draft
	// Continue continues the recording. Until is the number of the first frame that is not sent again; 0 sends
	// all. Without a target, the target of the branch is used.
	Continue bool
	Until    int
}

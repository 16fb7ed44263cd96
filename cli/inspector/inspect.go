package inspector

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/internal/system"
	"mcptea/record/store"
	"mcptea/session/intercept"
	"mcptea/session/runs/branch"
	"mcptea/session/runs/watch"
	"mcptea/session/session"
	"mcptea/session/sharing"
	"mcptea/session/state"
	"mcptea/session/tap/control"
	"mcptea/ui"
	interceptpane "mcptea/ui/pane/intercept"
	"mcptea/ui/program"
	"mcptea/ui/terminal"
)

const noTerminal = `Commands that work without a terminal:
  mcptea demo                  connect to the built-in server and print the frames
  mcptea info -- COMMAND       connect to a server and describe it
  mcptea list -- COMMAND       list tools, resources and prompts
  mcptea call TOOL -- COMMAND  call a tool
  mcptea run --watch FILE -- COMMAND
                               run pins or scripts after each save
  mcptea read URI -- COMMAND   read a resource`

// Inspect implements mcptea TARGET, without a command.
func (p *Inspector) Inspect(cmd *cobra.Command, args []string) error {
	t, rest, found, err := p.SplitTarget(cmd, args)
	if found {
		rest = p.TakeWatched(rest)
	}
	if line := p.startLine(cmd, args, rest, err); line != "" && !found && p.Interactive() {
		return p.startScreen("", line, args)
	}
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return app.At(rest[0], p.UnknownCommand(cmd, rest, p.Args))
	case p.Flags.Trace != "":
		return app.Usage("Commands print frames with it, such as: mcptea info -v TARGET. mcptea --version prints the version.", "--trace (-v) requires a command: the inspector shows all frames")
	case p.JSON:
		return app.Usage("Type mcptea --help for the commands.", "--json requires a command, such as mcptea info --json TARGET")
	case !found && p.Interactive():
		return p.startScreen("", "", nil)
	case !found:
		return app.Usage(target.TargetHint, "no server is given")
	}
	if p.Out.Terminal && !p.Out.Addressable {
		return app.Usage(noTerminal, "the inspector requires a terminal with cursor movement, and TERM is \"dumb\"")
	}
	if !p.Interactive() {
		return app.Usage(noTerminal, "the inspector requires a terminal")
	}
	p.Announce()
	return p.Open(t, ui.Draft{})
}

// Open opens the inspector on a target, with a draft in the composer.
func (p *Inspector) Open(t client.Target, draft ui.Draft) error {
	return p.open(t, draft, ui.Lesson{})
}

// Teach opens the inspector on the demo server, with a lesson.
func (p *Inspector) Teach(t client.Target, l ui.Lesson) error { return p.open(t, ui.Draft{}, l) }

func (p *Inspector) open(t client.Target, draft ui.Draft, l ui.Lesson) error {
	cfg, err := p.inspectorConfig(t)
	if err != nil {
		return err
	}
	s, err := session.Open(cfg)
	if err != nil {
		return app.Usage("Use another file, or add --record off.", "cannot record the session: %v", err)
	}
	o := p.ScreenOptions()
	o.Draft, o.Lesson = draft, l
	loop, stop, err := p.Reload(s, cfg.Target, s.Store().Notify, s.Store().Note)
	if err != nil {
		p.CloseSession(s)
		return err
	}
	defer stop()
	o.Reload = loop
	o.Watch = func(w watch.Session) (*watch.Loop, func(), error) {
		return p.WatchNow(w, s.Store().Notify, s.Store().Note)
	}
	_, err = p.RunInspector(s, o)
	return err
}

// inspectorConfig returns the configuration of a session in the inspector.
func (p *Inspector) inspectorConfig(t client.Target) (session.Config, error) {
	t.Grace = time.Second
	if t.IsStdio() && t.Dir == "" {
		t.Dir = p.dir
	}
	record, dir := p.Recording()
	cfg, err := p.Config(t, record, client.ListKinds...)
	if err != nil {
		return cfg, err
	}
	cfg.RecordDir = dir
	if cfg.Policies, err = p.Policies(true); err != nil {
		return cfg, err
	}
	cfg.NoHeuristics = p.Flags.NoHeuristics
	if cfg.Mute, err = p.Muted(); err != nil {
		return cfg, err
	}
	if cfg.Authorization != nil {
		cfg.Authorization.OpenBrowser = p.OpenConsentPage
	}
	cfg.Subscribe, cfg.Reconnect, cfg.Lint, cfg.OnlyBegin = true, true, true, true
	cfg.Renew = nil // the screen shows it
	return cfg, nil
}

// InspectBranch shows the inspector on a session that continues a recording.
func (p *Inspector) InspectBranch(t client.Target, b *branch.Branch) (*ui.ConnectTo, error) {
	cfg, err := p.inspectorConfig(t)
	if err != nil {
		return nil, err
	}
	if len(b.Earlier) > 0 && cfg.Record != "" && cfg.Record != "off" {
		cfg.Record = session.UnusedRecording(cfg.Record)
	}
	s, err := p.OpenBranch(cfg, b)
	if err != nil {
		return nil, err
	}
	o := p.ScreenOptions()
	o.Branch = b
	return p.RunInspector(s, o)
}

// OpenBranch opens a session that continues a recording.
func (p *Inspector) OpenBranch(cfg session.Config, b *branch.Branch) (s *session.Session, err error) {
	cfg.Branch = b.Origin()
	cfg.Dial = b.Dial(func(tap client.Tap, c client.Config) *client.Client { return client.New(s.Target(), tap, c) })
	if s, err = session.Open(cfg); err != nil {
		return nil, app.Usage("Use another file, or omit --record.", "cannot record the session: %v", err)
	}
	return s, nil
}

// ScreenOptions returns the options of the inspector by flags and settings.
func (p *Inspector) ScreenOptions() ui.Options {
	return ui.Options{
		Options: program.Options{
			Theme: p.Flags.Theme, Themes: settings.ThemeCatalog(), Colors: terminal.CountColors(p.Out.Profile), ASCII: p.ASCII, NoMouse: !p.Flags.Mouse, Quiet: isQuiet(p.Settings), Keys: p.Configured.Keys,
			Version: p.Version.Version, Clipboard: ui.SystemClipboard(), Graphics: asksForGraphics(p.Env.Get), Another: p.another,
			Saved: savedSettings(p.Settings, settings.ThemeCatalog().Dir),
		},
		Host: p.Host, Name: p.serverName(), Confirm: p.Configured.Confirm == settings.ConfirmDestructive,
		Lent:  p.Lent.Store,
		Keep:  p.keep(),
		Flags: p.TargetFlags, MuteAlways: p.MuteAlways, Responses: savedResponses(), Arguments: savedArguments(), Pins: p.pinsFile(), Own: ui.Own{Filters: p.NamedFilters, Commands: p.Configured.Commands}, Filter: p.Flags.Filter,
	}
}

// isQuiet reports whether config.yaml turns notifications off.
func isQuiet(p *settings.Settings) bool {
	_, set := p.Configured.Line("notify")
	return set && !p.Configured.Notify
}

// asksForGraphics reports whether the program may query the terminal for graphics. Some terminals display the
// query instead of ignoring it.
func asksForGraphics(env func(string) string) bool {
	return env("TERM_PROGRAM") != "Apple_Terminal" && env("TERM") != "linux" && env("TERM") != "dumb"
}

// savedResponses returns the list of saved responses, or nil if there is no state directory.
func savedResponses() *state.Responses {
	dir, err := system.StateDir()
	if err != nil {
		return nil
	}
	return state.NewResponses(filepath.Join(dir, "responses.jsonl"))
}

// savedArguments returns the list of saved arguments, or nil if there is no state directory.
func savedArguments() *state.Responses {
	dir, err := system.StateDir()
	if err != nil {
		return nil
	}
	return state.NewArguments(filepath.Join(dir, "arguments.jsonl"))
}

// RunInspector shows the inspector on a session, which it closes, and returns what
// the user chose to connect to.
func (p *Inspector) RunInspector(s *session.Session, o ui.Options) (*ui.ConnectTo, error) {
	p.leave()
	p.shown = true
	// A signal closes the session immediately, not after the UI has ended: writing to a stalled terminal may
	// block.
	last := sync.OnceValue(func() lived { return livedIn(s) })
	screen := make(chan struct{})
	shut := sync.OnceFunc(func() {
		last() // the state for the last words cannot be read later
		p.CloseAfter(s, screen)
	})
	defer shut()
	defer func() { p.remember(s, last()) }()
	defer p.rememberConnected(s)()
	defer context.AfterFunc(p.Ctx, shut)()
	gone := sync.OnceFunc(func() { close(screen) })
	defer gone()
	p.Track(s)
	if _, recorded := s.Recording(); !recorded {
		o.Sharing = sharing.New(s.Store())
		defer p.share(s, o.Sharing)()
	}
	o.Targets = p.groups(p.listedServers())
	p.restorePlace(s, &o)
	if err := CheckKeys(p.Settings); err != nil {
		return nil, err
	}
	chosen, err := ui.Run(p.Ctx, s, o)
	gone()
	if cause := context.Cause(p.Ctx); cause != nil {
		return nil, cause
	}
	return chosen, TerminalError(err)
}

// TerminalError converts the error of a program on the terminal.
func TerminalError(err error) error {
	if errors.Is(err, syscall.EIO) { // the terminal is gone; SIGHUP may arrive after the failed read or write
		return app.ErrHangup
	}
	return err
}

// RestoreTerminal makes a forced exit leave raw mode, the alternate screen and the modes of the inspector. The
// returned function undoes that.
func (p *Inspector) RestoreTerminal() (remove func()) {
	state, err := term.GetState(p.In.Fd())
	if err != nil {
		return func() {}
	}
	return p.AtExit.Add(func() {
		_ = term.Restore(p.In.Fd(), state)
		_, _ = io.WriteString(p.Out.Writer, ansi.ResetModeAltScreenSaveCursor+ansi.SetModeTextCursorEnable+
			ansi.ResetModeMouseButtonEvent+ansi.ResetModeMouseAnyEvent+ansi.ResetModeMouseExtSgr+
			ansi.ResetModeBracketedPaste+ansi.ResetModeFocusEvent+ansi.ResetStyle)
	})
}

// AddInspectorFlags declares the flags of the inspector for any target.
func (p *Inspector) AddInspectorFlags(cmd *cobra.Command) {
	p.AddConnection(cmd)
	p.Flags.AddLint(cmd)
	p.AddScreen(cmd)
}

// AttachTo attaches to the active tap that writes a recording.
func AttachTo(ctx context.Context, recording string) (*interceptpane.Attached, error) {
	taps, err := control.Active(ctx)
	if err != nil {
		return nil, err
	}
	file, err := os.Stat(recording)
	if err != nil {
		return nil, err
	}
	for _, t := range taps {
		for _, s := range t.Sessions {
			if info, err := os.Stat(s.Recording); err != nil || !os.SameFile(info, file) {
				continue
			}
			a, err := control.Attach(ctx, t.Socket)
			if err != nil {
				return nil, err
			}
			name := t.Name
			if name == "" {
				name = t.Target
			}
			return &interceptpane.Attached{Gate: sessionGate{a, s.ID}, Name: name, Done: a.Done(), Close: a.Close, Restart: a.Restart, Page: func() (url, issuer string) {
				if at := a.Consent(); at != nil {
					return at.URL, at.Issuer
				}
				return "", ""
			}}, nil
		}
	}
	return nil, errors.New("no active tap writes this recording")
}

// sessionGate is the gate of a tap that may have several sessions. Frames of sessions that are not shown have
// rows in other recordings.
type sessionGate struct {
	*control.Attached
	session string
}

// State implements the gate's State. Frames of other sessions have no row.
func (g sessionGate) State() intercept.State {
	state := g.Attached.State()
	for i := range state.Held {
		if state.Held[i].Session != g.session {
			state.Held[i].Row = store.None
		}
	}
	return state
}

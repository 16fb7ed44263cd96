package cli

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

	"mcptea/client"
	"mcptea/session"
	"mcptea/session/sharing"
	"mcptea/session/state"
	"mcptea/ui"
)

const noTerminal = `Commands that work without a terminal:
  mcptea demo                  connect to the built-in server and print the frames
  mcptea info -- COMMAND       connect to a server and describe it
  mcptea list -- COMMAND       list tools, resources and prompts
  mcptea call TOOL -- COMMAND  call a tool
  mcptea read URI -- COMMAND   read a resource`

// inspect is mcptea TARGET, without a command.
func (p *Inspector) inspect(cmd *cobra.Command, args []string) error {
	t, rest, found, err := p.splitTarget(cmd, args)
	if err == nil && !found && len(rest) > 0 {
		t, rest, found, err = p.plainTarget(cmd, rest)
	}
	if found {
		rest = p.flags.takeWatched(rest)
	}
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return unknownCommand(cmd, rest)
	case p.json:
		return usage("Type mcptea --help for the commands.", "--json requires a command, such as mcptea info --json TARGET")
	case !found && p.interactive():
		return p.startScreen()
	case !found:
		return usage(targetHint, "no server is given")
	}
	if p.out.terminal && !p.out.addressable {
		return usage(noTerminal, "the inspector requires a terminal with cursor movement, and TERM is \"dumb\"")
	}
	if !p.interactive() {
		return usage(noTerminal, "the inspector requires a terminal")
	}
	p.announce()
	return p.open(t, ui.Draft{})
}

// open opens the inspector on a target, with a draft in the composer.
func (p *Inspector) open(t client.Target, draft ui.Draft) error {
	t.Grace = time.Second
	record, dir := p.recording()
	cfg, err := p.config(t, record, client.ListKinds...)
	if err != nil {
		return err
	}
	cfg.RecordDir = dir
	if cfg.Policies, err = p.policies(true); err != nil {
		return err
	}
	cfg.NoHeuristics = p.flags.noHeuristics
	if cfg.Mute, err = p.muted(); err != nil {
		return err
	}
	if cfg.Authorization != nil {
		cfg.Authorization.OpenBrowser = p.openConsentPage
	}
	cfg.Subscribe, cfg.Reconnect, cfg.Lint = true, true, true
	s, err := session.Open(cfg)
	if err != nil {
		return usage("Use another file, or add --record off.", "cannot record the session: %v", err)
	}
	o := p.screenOptions()
	o.Draft = draft
	loop, stop, err := p.reload(s, t)
	if err != nil {
		p.closeSession(s)
		return err
	}
	defer stop()
	o.Reload = loop
	_, err = p.runInspector(s, o)
	return err
}

// screenOptions are the options of the inspector by flags and settings.
func (p *Inspector) screenOptions() ui.Options {
	return ui.Options{
		Theme: p.flags.theme, Themes: themeCatalog(), ASCII: p.ascii, NoMouse: !p.flags.mouse, Graphics: asksForGraphics(os.Getenv), Keys: p.configured.Keys,
		Version: p.version.Version, Flags: p.targetFlags, Clipboard: ui.SystemClipboard(), MuteAlways: p.muteAlways, Responses: savedResponses(), Arguments: savedArguments(), Pins: p.flags.pins,
	}
}

// asksForGraphics reports whether the terminal may be asked for graphics. Some show the
// question in place of ignoring it.
func asksForGraphics(env func(string) string) bool {
	return env("TERM_PROGRAM") != "Apple_Terminal" && env("TERM") != "linux" && env("TERM") != "dumb"
}

// savedResponses is the list of saved responses; nil without a state directory.
func savedResponses() *state.Responses {
	dir, err := session.StateDir()
	if err != nil {
		return nil
	}
	return state.NewResponses(filepath.Join(dir, "responses.jsonl"))
}

// savedArguments is the list of saved arguments; nil without a state directory.
func savedArguments() *state.Responses {
	dir, err := session.StateDir()
	if err != nil {
		return nil
	}
	return state.NewArguments(filepath.Join(dir, "arguments.jsonl"))
}

// runInspector shows the inspector on a session, which it closes, and returns what
// the user chose to connect to.
func (p *Inspector) runInspector(s *session.Session, o ui.Options) (*ui.ConnectTo, error) {
	defer p.restoreTerminal()()
	// A signal closes the session at once, not after the UI has ended: writing to a
	// stalled terminal may block.
	shut := sync.OnceFunc(func() { p.closeSession(s) })
	defer shut()
	defer p.remember(s)
	defer context.AfterFunc(p.ctx, shut)()
	p.track(s)
	if _, recorded := s.Recording(); !recorded {
		o.Sharing = sharing.New(s.Store())
		defer p.share(s, o.Sharing)()
	}
	chosen, err := ui.Run(p.ctx, s, o)
	if cause := context.Cause(p.ctx); cause != nil {
		return nil, cause
	}
	return chosen, terminalError(err)
}

// terminalError is the error of a program on the terminal.
func terminalError(err error) error {
	if errors.Is(err, syscall.EIO) { // the terminal is gone; SIGHUP may come later than the failed read or write
		return errHangup
	}
	return err
}

// restoreTerminal has a forced exit leave raw mode, the alternate screen and the
// modes that the inspector sets. The returned function undoes that.
func (p *Inspector) restoreTerminal() (remove func()) {
	state, err := term.GetState(p.in.Fd())
	if err != nil {
		return func() {}
	}
	return p.atExit.add(func() {
		_ = term.Restore(p.in.Fd(), state)
		_, _ = io.WriteString(p.out.Writer, ansi.ResetModeAltScreenSaveCursor+ansi.SetModeTextCursorEnable+
			ansi.ResetModeMouseButtonEvent+ansi.ResetModeMouseAnyEvent+ansi.ResetModeMouseExtSgr+
			ansi.ResetModeBracketedPaste+ansi.ResetModeFocusEvent+ansi.ResetStyle)
	})
}

// addInspectorFlags declares what the inspector takes with any target.
func (p *Inspector) addInspectorFlags(cmd *cobra.Command) {
	p.addConnection(cmd)
	p.flags.addLint(cmd)
	p.addScreen(cmd)
}

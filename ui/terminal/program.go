package terminal

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// Run runs a program on the terminal of this process until it ends. out writes to standard output. started
// receives the function that sends messages to the program. Bubble Tea's panics are printed after the terminal
// has been restored. The error is about the terminal, or from [tea.Program.Run].
func Run(ctx context.Context, m tea.Model, out io.Writer, started func(send func(tea.Msg))) error {
	s := NewScreen(out, os.Environ())
	s.console = uv.NewConsole(os.Stdin, os.Stdout, os.Environ())
	defer s.Close()
	if _, err := s.console.MakeRaw(); err != nil {
		return err
	}
	w, h, err := s.console.GetSize()
	if err != nil {
		return fmt.Errorf("its size: %w", err)
	}
	// Signals end the caller's context. Bubble Tea's own handler could block if both happen at once.
	p := s.Program(m, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(newInput(os.Stdin)), tea.WithOutput(out),
		tea.WithWindowSize(w, h), tea.WithColorProfile(s.want.profile), tea.WithFilter(s.suspended))
	defer s.follow(p)()
	started(p.Send)
	_, err = p.Run()
	return err
}

// Program returns a program that is shown on the screen.
func (s *Screen) Program(m tea.Model, options ...tea.ProgramOption) *tea.Program {
	// Without a renderer its clock has nothing to do, but it cannot be turned off.
	return tea.NewProgram(shown{m, s}, append(options, tea.WithoutRenderer(), tea.WithFPS(1))...)
}

// follow notifies a program when the size of the terminal changes. On Windows, the input reports that.
func (s *Screen) follow(p *tea.Program) (stop func()) {
	resized, done := make(chan os.Signal, 1), make(chan struct{})
	uv.NotifyWinch(resized)
	s.drawing.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-resized:
			}
			if w, h, err := s.console.GetSize(); err == nil {
				p.Send(tea.WindowSizeMsg{Width: w, Height: h})
			}
		}
	})
	return func() {
		signal.Stop(resized)
		close(done)
	}
}

// shown is a model on a screen.
type shown struct {
	tea.Model
	screen *Screen
}

// IsAction reports whether the user has done something.
func IsAction(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseClickMsg, tea.MouseReleaseMsg, tea.MouseWheelMsg:
		return true
	}
	return false
}

// Init implements tea.Model.
func (s shown) Init() tea.Cmd { return s.screen.guarded(s.Model.Init()) }

// Update implements tea.Model.
func (s shown) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case sequence:
		s.screen.Write(string(msg))
		return s, nil
	case notification:
		s.screen.Write(s.screen.notifier(msg))
		return s, nil
	case lend:
		return s, tea.Exec(&borrowed{Cmd: msg.cmd, screen: s.screen}, msg.ended)
	case tea.SuspendMsg:
		s.screen.takeOver()
	}
	s.screen.reported(msg)
	s.screen.acted = s.screen.acted || IsAction(msg)
	var cmd tea.Cmd
	s.screen.guard(func() { s.Model, cmd = s.Model.Update(msg) })
	return s, s.screen.guarded(cmd)
}

// View implements tea.Model.
func (s shown) View() (v tea.View) {
	s.screen.guard(func() { v = s.Model.View() })
	if s.screen.acted {
		s.screen.acted = false
		s.screen.answer(v)
	} else {
		s.screen.Show(v)
	}
	return v
}

// guard restores the terminal before a panic is printed.
func (s *Screen) guard(run func()) {
	ended := false
	defer func() {
		if !ended {
			s.release()
		}
	}()
	run()
	ended = true
}

// guarded returns a command that runs in guard, including the commands of a batch.
func (s *Screen) guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		s.guard(func() { msg = cmd() })
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = s.guarded(batch[i])
			}
		}
		return msg
	}
}

// sequence is written to the terminal.
type sequence string

// Write returns a command that writes a sequence to the terminal. It draws nothing.
func Write(text string) tea.Cmd { return func() tea.Msg { return sequence(text) } }

// IsOrder reports whether a message is one to the terminal, and not to the model.
func IsOrder(msg tea.Msg) bool {
	switch msg.(type) {
	case sequence, notification, lend, tea.SuspendMsg:
		return true
	}
	return false
}

// lend is a program that gets the terminal.
type lend struct {
	cmd   *exec.Cmd
	ended tea.ExecCallback
}

// Lend returns a command that runs a program on the terminal and waits for its end.
func Lend(cmd *exec.Cmd, ended func(error) tea.Msg) tea.Cmd {
	return func() tea.Msg { return lend{cmd, ended} }
}

// borrowed is a program that has the terminal while it runs.
type borrowed struct {
	*exec.Cmd
	screen *Screen
}

// SetStdin implements tea.ExecCommand. A program gets the terminal
// itself: the input of Bubble Tea is filtered.
func (b *borrowed) SetStdin(io.Reader) {
	if b.Stdin == nil { // otherwise it has a separate input
		b.Stdin = os.Stdin
	}
}

// SetStdout and SetStderr implement tea.ExecCommand.
func (b *borrowed) SetStdout(io.Writer)   { b.Stdout = os.Stdout }
func (b *borrowed) SetStderr(w io.Writer) { b.Stderr = w }

// Run implements tea.ExecCommand.
func (b *borrowed) Run() error {
	b.screen.release()
	defer b.screen.takeOver()
	return b.Cmd.Run()
}

// suspended restores the terminal before the process is suspended. The model receives the message when the
// process continues.
func (s *Screen) suspended(_ tea.Model, msg tea.Msg) tea.Msg {
	if _, ok := msg.(tea.SuspendMsg); ok {
		s.release()
	}
	return msg
}

// release restores the terminal. Nothing is drawn until take.
func (s *Screen) release() {
	s.terminal.Lock()
	defer s.terminal.Unlock()
	if !s.taken {
		return
	}
	s.taken = false
	s.resetModes()
	s.flush()
	if s.console != nil {
		_ = s.console.Restore() // fails only if the terminal is gone
	}
}

// takeOver takes over the terminal again, and draws everything.
func (s *Screen) takeOver() {
	s.terminal.Lock()
	defer s.terminal.Unlock()
	if s.taken {
		return
	}
	if s.console != nil {
		_, _ = s.console.MakeRaw() // the terminal is gone
	}
	s.taken = true
	s.change(func(*wanted) {})
}

// Close restores the terminal, and waits until no goroutine of the screen is running.
func (s *Screen) Close() {
	s.release()
	s.closing.Do(func() { close(s.closed) })
	s.drawing.Wait()
}

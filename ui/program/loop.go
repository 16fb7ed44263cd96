package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"

	"mcptea/ui/keys"
	"mcptea/ui/terminal"
)

// New returns a program without a screen. sections returns the commands of all screens; the program itself
// knows only its current one.
func New(ctx context.Context, o *Options, sections func() ([]keys.Section, error)) *Program {
	p := &Program{appearance: newAppearance(o), Parent: ctx, Around: alone{}, options: o, sections: sections, kick: make(chan struct{}, 1), paced: make(chan struct{}, 1), dirty: true}
	p.Ctx, p.Stop = context.WithCancel(ctx)
	p.Tick.Now = time.Now()
	p.Own, p.moving = p.ownCommands(), p.movingCommands()
	if o.Graphics {
		p.Pictures = terminal.NewPictureScreen(p.Draw)
	}
	p.Retheme()
	return p
}

// Join adds the program to the others on the terminal. first is one of them, with the state that they share, or
// nil.
func (p *Program) Join(around Around, first *Program) {
	p.Around = around
	p.others = around.Commands()
	if first != nil {
		p.appearance = first.appearance
	}
	p.Retheme()
}

// Prepare loads the files that the options name. The error is about them.
func (p *Program) Prepare() error {
	if _, err := p.options.Themes.Load(p.options.Theme, true); err != nil {
		return err
	}
	if len(p.options.Keys) > 0 {
		all, err := p.sections()
		if err != nil {
			return err
		}
		m, err := keys.NewMap(p.options.Keys, all)
		if err != nil {
			return err
		}
		p.Keys = *m
	}
	return nil
}

// RunModel shows a model on the terminal, which it prepares, until the model ends. started is called with the
// function that sends messages to the model. before is called before each write. The error is about the
// terminal.
func (p *Program) RunModel(m tea.Model, started func(send func(tea.Msg)), before func()) error {
	phrase.UseASCII(p.options.ASCII)
	display.UseGraphemes(false) // until the terminal reports otherwise
	var out io.Writer = os.Stdout
	if p.Pictures != nil {
		out = &terminal.PictureOutput{File: os.Stdout, Screen: p.Pictures}
		defer func() { _, _ = os.Stdout.WriteString(p.Pictures.Close()) }()
	}
	defer p.drawing.Wait()
	err := terminal.Run(p.Parent, m, recorded{os.Stdout, out, before}, started)
	if err == nil || errors.Is(err, tea.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return nil
	}
	return fmt.Errorf("the terminal: %w", err)
}

// End ends the program, with everything that it has started.
func (p *Program) End() {
	p.Stop()
	p.ending.Lock()
	p.ended = true
	p.ending.Unlock()
	p.Work.Wait()
}

// recorded is the terminal of a session with a recording. It ensures that everything on the screen is in the
// file, even if the process is killed.
type recorded struct {
	*os.File // which the terminal is
	to       io.Writer
	record   func() // flushes the recording
}

// Write writes a part of the screen after its content was recorded.
func (r recorded) Write(b []byte) (int, error) {
	r.record()
	return r.to.Write(b)
}

// Init implements tea.Model.
func (p *Program) Init() tea.Cmd {
	p.Wake() // do not report earlier events as new
	p.followSettings()
	return tea.Batch(p.wait(), terminal.Write(ansi.RequestBackgroundColor), p.Screen.Opened())
}

// Update implements tea.Model.
func (p *Program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case Owned:
		return p.Update(msg.Msg)
	case paceMsg:
		return p, p.wait()
	}
	p.dirty = true
	if p.acting = terminal.IsAction(msg); p.acting {
		p.Screen.Acts()
	}
	switch msg := msg.(type) {
	case ChangeMsg:
		p.refresh(msg.Now)
	case Done:
		p.arrive(msg)
	case copiedMsg:
		p.Announce(msg.flash())
	case scrollOn:
		p.scrollText(msg)
	case tea.KeyPressMsg:
		p.deselect()
		if p.flashes() {
			p.Flash = Flash{} // the message was about the previous key
		}
		p.key(msg)
		p.acted()
	case tea.PasteMsg:
		p.paste(msg.Content)
		p.acted()
	case tea.MouseClickMsg:
		p.hold(msg.Mouse())
	case tea.MouseMotionMsg:
		if p.drag != nil {
			p.drag(msg.X, msg.Y)
		} else {
			p.dragTo(msg.X, msg.Y)
		}
	case tea.MouseReleaseMsg:
		p.drag = nil
		p.letGo()
		p.acted()
	case tea.MouseWheelMsg:
		p.deselect()
		if at := msg.Mouse(); !p.tooSmall() {
			p.Painted.Wheel(at.X, at.Y, turned(at))
		}
	case tea.WindowSizeMsg:
		p.deselect()
		p.Screen.Receive(msg)
		p.W, p.H = msg.Width, msg.Height
	case tea.BackgroundColorMsg, tea.ColorProfileMsg, tea.ModeReportMsg, tea.FocusMsg, tea.BlurMsg, uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent:
		if p.reported(msg, p.options) {
			p.Retheme()
		}
		if terminal.IsScheme(msg) { // the color itself decides, if the terminal reports it
			p.Do(terminal.Write(ansi.RequestBackgroundColor))
		}
		if _, back := msg.(tea.FocusMsg); back {
			p.Wake() // show what happened while the user was away
		}
	default:
		if p.Pictures != nil && p.Pictures.Take(msg) {
			p.Retheme()
		}
		p.Screen.Receive(msg)
	}
	p.Screen.Settle()
	return p, p.Queued()
}

// paceMsg only reports that the pace has changed.
type paceMsg struct{}

// acted runs after each action of the user, which may have started a clock or changed a filter. It refreshes so
// that new data is painted together with the effect, unless the last refresh is recent.
func (p *Program) acted() {
	p.runLate()
	if time.Since(p.Tick.Now) < max(p.Pace.Rest, minRefresh) {
		p.Wake()
		return
	}
	select {
	case <-p.kick:
	default:
	}
	before, flash := p.Pace, p.flashLeft
	if p.Look(time.Now()); p.Pace == before && p.flashLeft == flash {
		return
	}
	select {
	case p.paced <- struct{}{}:
	default:
	}
}

// wait waits until something happens, or a clock on the screen must advance. Otherwise nothing runs.
func (p *Program) wait() tea.Cmd {
	since, done, pc, flash := p.Tick.Now, p.Ctx.Done(), p.Pace, p.flashLeft
	changed, kick, paced := p.Screen.Changed(), p.kick, p.paced
	rest := max(pc.Rest, minRefresh)
	if p.Sight == Hidden { // nothing moves there
		pc, rest, flash = Pace{}, HiddenRefresh, 0
	}
	return func() tea.Msg {
		var clock <-chan time.Time
		switch {
		case pc.Behind && rest == minRefresh:
			changed, clock = nil, time.After(behindPause)
		case pc.Behind:
			clock = time.After(minRefresh / 4)
		case pc.Next > 0:
			next := pc.Next - time.Duration(time.Now().UnixNano())%pc.Next // all clocks change at the same time
			if flash > 0 {
				next = min(next, flash)
			}
			clock = time.After(next)
		case flash > 0:
			clock = time.After(flash)
		}
		select {
		case <-changed:
		case <-kick:
		case <-paced:
			return paceMsg{}
		case <-clock:
			return ChangeMsg{time.Now()}
		case <-done:
			return nil
		}
		// Show the first change after a quiet time immediately.
		if left := rest - time.Since(since); left > 0 {
			select {
			case <-time.After(left):
			case <-done:
			}
		}
		return ChangeMsg{time.Now()}
	}
}

// refresh reads new data, and waits for more.
func (p *Program) refresh(now time.Time) {
	p.Look(now)
	p.Do(p.wait())
	p.drawn()
}

// Look reads new data.
func (p *Program) Look(now time.Time) {
	p.dirty = true
	p.Tick.Now = now
	p.Tick.Spin = int(now.UnixMilli() / ClockInterval.Milliseconds())
	p.Pace = p.Screen.Refresh(p.Tick)
	for _, d := range p.windows {
		p.Pace.Next = Moves(d.Refresh(p.Tick), p.Pace.Next)
	}
	p.flashLeft = 0
	if p.Flash.whyNot != nil && p.Flash.whyNot() == "" {
		p.Flash = Flash{} // it is available now
	}
	if p.flashes() && !p.Flash.Stay {
		if p.flashShown.IsZero() {
			p.flashShown = now
		}
		if p.flashLeft = flashTime - now.Sub(p.flashShown); p.flashLeft <= 0 {
			p.Flash, p.flashLeft = Flash{}, 0
		}
	}
}

// MaxLate is the number of delayed results. The oldest is dropped first.
const MaxLate = 8

// arrive calls what work outside of Update has returned.
func (p *Program) arrive(result func()) {
	if result == nil {
		return
	}
	var l late
	p.arriving = &l
	result()
	p.arriving = nil
	if len(l) > 0 {
		p.late = append(p.late, l)
		p.late = slices.Delete(p.late, 0, max(0, len(p.late)-MaxLate))
		p.Announce(Flash{Text: "A result is ready. It is shown when you have finished here.", Stay: true})
	}
}

// runLate shows the oldest result that waits, if the user has finished.
func (p *Program) runLate() {
	if len(p.late) == 0 || p.Window() != nil || p.Typing {
		return
	}
	l := p.late[0]
	p.late = slices.Delete(p.late, 0, 1)
	for _, run := range l {
		run()
	}
}

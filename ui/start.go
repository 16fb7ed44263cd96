package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
	"mcptea/ui/bridge"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/pane/start"
)

// StartOptions are those of the start screen.
type StartOptions struct {
	Options
	// Dir is the working directory, for display.
	Dir string
	// Groups read the parts of the list, in the order of the screen. Each runs on a
	// goroutine of its own and must return when its context ends.
	Groups []func(context.Context) start.Group
	// Meaning returns what a typed line opens; nil if it is empty. It runs on a goroutine
	// of its own.
	Meaning func(text string) *start.Entry
}

// Chosen are the arguments of mcptea that the user has chosen, and the directory in which
// they are run; empty for the current one.
type Chosen struct {
	Args []string
	Dir  string
}

// Start shows the start screen, and returns the arguments of mcptea that the user has
// chosen; nil if the user quits.
func Start(ctx context.Context, o StartOptions) (*Chosen, error) {
	if _, err := o.Themes.Load(o.Theme, true); err != nil {
		return nil, err
	}
	keys, err := command.NewKeymap(o.Keys)
	if err != nil {
		return nil, err
	}
	command.SetDefault(keys)
	paint.UseASCII(o.ASCII)
	paint.UseGraphemes(false)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	m := newStartModel(ctx, o)
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithFPS(rendererRate), tea.WithoutSignalHandler(), tea.WithInput(newPasteInput(os.Stdin)))
	_, err = program.Run()
	switch {
	case errors.Is(err, tea.ErrInterrupted) || errors.Is(err, context.Canceled):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the terminal: %w", err)
	}
	return m.chosen, nil
}

// startModel is the start screen, as Bubble Tea sees it.
type startModel struct {
	ctx     context.Context
	options StartOptions
	appearance

	w, h    int
	list    *start.Pane
	pane    bridge.Tab // of the list
	queue   []tea.Cmd  // of the list, until Update ends
	overlay *commandWindow
	flash   action.Flash
	chosen  *Chosen
	cursor  *tea.Cursor
}

func newStartModel(ctx context.Context, o StartOptions) *startModel {
	m := &startModel{ctx: ctx, options: o, appearance: newAppearance()}
	a := &bridge.App{Ctx: ctx, Act: m.act, Queue: &m.queue}
	m.list = start.New(a, start.Options{Groups: o.Groups, Meaning: o.Meaning, Run: func(args []string, dir string) {
		m.chosen = &Chosen{args, dir}
		m.queue = append(m.queue, tea.Quit)
	}})
	m.pane = bridge.Tab{Pane: inDialog{m.list}, App: a, List: command.Start}
	m.load(&m.options.Options)
	return m
}

// Init starts to read the list.
func (m *startModel) Init() tea.Cmd {
	m.list.Load()
	return tea.Batch(append(m.take(), tea.RequestBackgroundColor)...)
}

// take takes the commands of the pane.
func (m *startModel) take() []tea.Cmd {
	queue := m.queue
	m.queue = nil
	return queue
}

// Update implements tea.Model.
func (m *startModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		m.flash = action.Flash{}
		cmd = m.key(msg)
	case tea.PasteMsg:
		if m.tooSmallToUse() {
			break
		}
		if m.overlay != nil {
			m.overlay.paste(msg.Content)
		} else {
			m.pane.Paste(msg.Content)
		}
	case tea.MouseClickMsg:
		cmd = m.click(msg.Mouse())
	case tea.MouseWheelMsg:
		m.wheel(msg.Mouse())
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case bridge.Done:
		msg()
	case editedMsg:
		if msg.err != nil {
			m.flash = action.Flash{Text: msg.err.Error(), Wrong: true}
			break
		}
		m.list.Load() // the file may have changed
	case copiedMsg:
		m.flash = msg.flash()
	default:
		m.reported(msg, &m.options.Options)
	}
	return m, tea.Batch(append(m.take(), cmd)...)
}

// tooSmallToUse is that of the inspector.
func (m *startModel) tooSmallToUse() bool { return m.w > 0 && (m.w < minWidth || m.h < minHeight) }

func (m *startModel) key(k tea.KeyPressMsg) tea.Cmd {
	if m.tooSmallToUse() {
		if c, _ := command.Named(command.Interrupt); key.Matches(k, c.Binding) {
			return tea.Quit
		}
		return nil
	}
	if m.overlay != nil {
		run, done := m.overlay.key(k)
		return m.overlayDone(run, done)
	}
	interrupt, _ := command.Named(command.Interrupt)
	if !key.Matches(k, interrupt.Binding) {
		if _, taken := m.pane.Type(k); taken || len(k.Text) > 0 {
			return nil
		}
	}
	c, ok := command.Lookup(command.Start, k.String())
	if !ok {
		return nil
	}
	return m.run(c)
}

func (m *startModel) run(c command.Command) tea.Cmd {
	switch {
	case c.ID == command.Interrupt:
		return tea.Quit
	case c.ID == command.Help || c.ID == command.Palette:
		m.overlay = newCommandWindow(command.Start)
	default:
		m.pane.Do(c.ID)
	}
	return nil
}

func (m *startModel) overlayDone(run *command.Command, done bool) tea.Cmd {
	if done {
		m.overlay = nil
	}
	if run == nil {
		return nil
	}
	return m.run(*run)
}

func (m *startModel) act(a action.Action) tea.Cmd {
	switch a := a.(type) {
	case action.Flash:
		m.flash = a
	case action.OpenFile:
		cmd, err := editorCommand(atLine(a.Path, a.Line)...)
		if err != nil {
			m.flash = action.Flash{Text: err.Error(), Wrong: true}
			return nil
		}
		return tea.ExecProcess(cmd, func(err error) tea.Msg { return editedMsg{err: err} })
	case action.Copy:
		return copyText(a, m.options.Clipboard)
	}
	return nil
}

func (m *startModel) click(at tea.Mouse) tea.Cmd {
	if at.Button != tea.MouseLeft || m.tooSmallToUse() {
		return nil
	}
	if m.overlay == nil {
		m.pane.Click(at.X, at.Y-1)
		return nil
	}
	if place := placeOf(m.overlay, m.w, m.h); place.has(at.X, at.Y) {
		return m.overlayDone(m.overlay.click(at.X-place.x, at.Y-place.y))
	}
	return nil
}

func (m *startModel) wheel(at tea.Mouse) {
	n := turned(at)
	if n == 0 || m.tooSmallToUse() {
		return
	}
	if m.overlay != nil {
		m.overlay.scroll(n)
		return
	}
	m.pane.Scroll(at.X, at.Y-1, n)
}

// View implements tea.Model.
func (m *startModel) View() tea.View {
	m.cursor = nil
	v := tea.NewView(strings.Join(m.pal.Under(m.screen()), "\n"))
	v.AltScreen, v.WindowTitle, v.Cursor = true, "mcptea", m.cursor
	if !m.options.NoMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

func (m *startModel) screen() []string {
	switch {
	case m.w == 0 || m.h == 0:
		return []string{""}
	case m.tooSmallToUse():
		return tooSmall(m.w, m.h, command.Interrupt)
	}
	rows := append([]string{m.header()}, m.pane.Paint(m.pal, m.js, m.w, m.h-2, m.overlay == nil)...)
	rows = append(rows, m.footer())
	if m.overlay != nil {
		rows, m.cursor = layOver(m.pal, rows, m.overlay, placeOf(m.overlay, m.w, m.h))
	} else if x, y, ok := m.pane.Cursor(); ok {
		m.cursor = tea.NewCursor(x, y+1)
		m.cursor.Shape = tea.CursorBar
	}
	return rows
}

func (m *startModel) header() string {
	p := m.pal
	r := p.Row()
	r.Start(m.w, p.Header)
	r.Right(paint.Span{Style: p.Muted, Text: p.Cut(paint.Sanitize(m.options.Dir), m.w/2) + " "})
	r.Gap(1)
	r.Put(p.AccentBold, "mcptea")
	r.Put(p.Muted, " "+m.options.Version)
	r.Gap(2)
	r.Put(p.Text, "MCP client and wire inspector")
	return r.String()
}

// footer is the last row: a message until the next key, otherwise the keys.
func (m *startModel) footer() string {
	p := m.pal
	r := p.Row()
	r.Start(m.w, paint.Style{})
	r.Gap(1)
	if m.flash.Text != "" {
		style := p.Text
		if m.flash.Wrong {
			style = p.Warn
			r.Put(p.Warn, p.WarnMark+" ")
		}
		r.Put(style, m.flash.Text)
		return r.String()
	}
	var shown []key.Binding
	arrows := strings.NewReplacer("↑", p.Up, "↓", p.Down) // ASCII, where the terminal has nothing else
	add := func(label string, commands ...command.Command) {
		var names []string
		for _, c := range commands {
			if name := c.Key(true); name != "" {
				names = append(names, arrows.Replace(name))
			}
		}
		if text := strings.Join(names, "/"); text != "" {
			shown = append(shown, key.NewBinding(key.WithKeys(text), key.WithHelp(text, label)))
		}
	}
	in := func(id command.ID) command.Command {
		c, ok := command.In(command.Start, id)
		if !ok {
			c, _ = command.Named(id)
		}
		return c
	}
	add("open", in(command.OpenTarget))
	add("select", in(command.Up), in(command.Down))
	add("clear", in(command.ClearLine))
	add("keys", in(command.Help))
	add("quit", in(command.Interrupt))
	line := shortHelp(p).ShortHelpView(shown)
	r.Painted(line, paint.Width(line))
	return r.String()
}

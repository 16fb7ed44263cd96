package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session"
	"mcptea/session/diff"
	"mcptea/session/recordings"
	"mcptea/session/replay"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/app"
	"mcptea/ui/bridge"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	recordingspane "mcptea/ui/pane/recordings"
)

// ChooseRecording shows the list of recordings and returns the path of the one that the
// user opens; empty if the user quits. The recording of the path selected is selected
// first. The error is about the terminal or the options.
func ChooseRecording(ctx context.Context, c *recordings.Catalog, selected string, o Options) (string, error) {
	if _, err := o.Themes.Load(o.Theme, true); err != nil {
		return "", err
	}
	keys, err := command.NewKeymap(o.Keys)
	if err != nil {
		return "", err
	}
	command.SetDefault(keys)
	ctx, stop := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer stop()
	reading.Go(func() { c.Follow(ctx) })
	m := newRecordings(ctx, c, selected, o)
	paint.UseASCII(o.ASCII)
	paint.UseGraphemes(false) // until the terminal says otherwise
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithFPS(rendererRate), tea.WithoutSignalHandler(), tea.WithInput(newPasteInput(os.Stdin)))
	_, err = program.Run()
	stop()
	m.working.Wait()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("the terminal: %w", err)
	}
	return m.chosen, nil
}

// recordingsModel is the list of recordings as a program of its own, as Bubble Tea sees
// it.
type recordingsModel struct {
	appearance
	options Options
	ctx     context.Context
	catalog catalog
	list    *recordingspane.Pane
	pane    bridge.Tab // of the list
	queue   []tea.Cmd  // of the list, until Update ends
	w, h    int
	now     time.Time
	spin    int

	overlay    overlay
	working    sync.WaitGroup // what overlays have started
	flash      action.Flash
	flashShown time.Time
	chosen     string // path to open
	cursor     *tea.Cursor
}

// catalog is what the program needs of a [recordings.Catalog].
type catalog interface {
	recordingspane.Catalog
	Changed() <-chan struct{}
}

func newRecordings(ctx context.Context, c catalog, selected string, o Options) *recordingsModel {
	m := &recordingsModel{appearance: newAppearance(), options: o, ctx: ctx, catalog: c, now: time.Now()}
	m.load(&m.options)
	a := &bridge.App{
		Ctx: ctx, Act: m.act, Queue: &m.queue, Announce: func(string) {}, Offers: func(string, action.Draft) bool { return false },
		Show: func(app.Dialog) {}, Hide: func(app.Dialog) bool { return false },
	}
	m.list = recordingspane.New(a, recordingspane.Program{Open: m.open, Compare: m.compare, Ask: m.askToDelete}, c, selected)
	m.pane = bridge.Tab{Pane: inDialog{m.list}, App: a, List: command.Recordings}
	return m
}

func (m *recordingsModel) open(path string) {
	m.chosen = path
	m.queue = append(m.queue, tea.Quit)
}

func (m *recordingsModel) compare(paths, names [2]string) {
	m.overlay = newDiffWindow(names, m.background, func(ctx context.Context, o diff.Options) diffResult {
		return compareRecordings(ctx, paths, o)
	})
	m.queue = append(m.queue, m.refreshOverlay())
}

func (m *recordingsModel) askToDelete(path, what string, yes func()) {
	m.overlay = openConsent(&consent{
		title: "Delete this recording?", facts: []consentFact{{label: "recording", text: what}, {label: "file", text: path}},
		yes: "delete", no: "cancel", accept: action.Do(yes),
	})
}

// Init implements tea.Model.
func (m *recordingsModel) Init() tea.Cmd {
	return tea.Batch(m.waitForChange(), tea.RequestBackgroundColor)
}

// background runs work on a goroutine that ends with the program.
func (m *recordingsModel) background(work func(ctx context.Context)) (stop func()) {
	ctx, stop := context.WithCancel(m.ctx)
	m.working.Go(func() {
		defer stop()
		work(ctx)
	})
	return stop
}

// overlayMsg has the overlay look at its work.
type overlayMsg struct{}

// refreshOverlay has the overlay look at its work, and again while that goes on.
func (m *recordingsModel) refreshOverlay() tea.Cmd {
	m.spin++
	if w, works := m.overlay.(worker); works && w.refresh(m.now, m.spin) {
		return tea.Tick(clockInterval, func(time.Time) tea.Msg { return overlayMsg{} })
	}
	return nil
}

// compareRecordings compares what the servers of two recordings offer, and the
// responses to the same requests.
func compareRecordings(ctx context.Context, paths [2]string, o diff.Options) (r diffResult) {
	var turns [2]*replay.Transcript
	var offers [2]diff.Server
	for i, path := range paths {
		st, err := store.Open(path)
		if err != nil {
			return diffResult{err: err}
		}
		defer func() { _ = st.Close() }()
		if r.err = st.Load(ctx); r.err != nil {
			return r
		}
		if turns[i], r.err = replay.Read(ctx, st); r.err != nil {
			return r
		}
		if offers[i], r.err = turns[i].Server(); r.err != nil {
			return r
		}
	}
	r.changes = diff.Servers(offers[0], offers[1])
	r.responses, r.err = replay.Compare(ctx, turns[0], turns[1], o)
	r.count = len(r.changes) + len(r.responses)
	return r
}

// waitForChange waits until the catalog has changed, or a clock on the screen has to
// move.
func (m *recordingsModel) waitForChange() tea.Cmd {
	changed, done := m.catalog.Changed(), m.ctx.Done()
	wait := 10 * time.Second // for the times of day
	if m.pane.Busy() || m.flash.Text != "" {
		wait = clockInterval
	}
	return func() tea.Msg {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-changed:
		case <-timer.C:
		case <-done:
			return nil
		}
		return changeMsg{time.Now()}
	}
}

// Update implements tea.Model.
func (m *recordingsModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := m.update(msg)
	queue := append(m.queue, cmd)
	m.queue = nil
	return m, tea.Batch(queue...)
}

func (m *recordingsModel) update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case changeMsg:
		return m, m.refresh(msg.now)
	case tea.KeyPressMsg:
		m.flash = action.Flash{}
		return m, tea.Batch(m.key(msg), m.refreshOverlay())
	case tea.PasteMsg:
		if m.tooSmallToUse() {
			break
		}
		if p, ok := m.overlay.(paster); ok {
			p.paste(msg.Content)
		} else if m.overlay == nil {
			m.pane.Paste(msg.Content)
		}
	case tea.MouseClickMsg:
		return m, m.click(msg.Mouse())
	case tea.MouseWheelMsg:
		m.wheel(msg.Mouse())
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg, tea.ColorProfileMsg, tea.ModeReportMsg:
		m.reported(msg, &m.options)
	case copiedMsg:
		m.say(msg.flash())
	case overlayMsg:
		return m, m.refreshOverlay()
	case bridge.Done:
		if msg != nil {
			msg()
		}
	}
	return m, nil
}

func (m *recordingsModel) refresh(now time.Time) tea.Cmd {
	m.now = now
	m.spin++
	m.pane.Refresh(session.State{}, nil, now, m.spin)
	if m.flash.Text != "" {
		if m.flashShown.IsZero() {
			m.flashShown = now
		} else if now.Sub(m.flashShown) > flashTime {
			m.flash = action.Flash{}
		}
	}
	return m.waitForChange()
}

func (m *recordingsModel) say(f action.Flash) { m.flash, m.flashShown = f, time.Time{} }

// tooSmallToUse is that of the inspector.
func (m *recordingsModel) tooSmallToUse() bool {
	return m.w > 0 && (m.w < minWidth || m.h < minHeight)
}

func (m *recordingsModel) key(k tea.KeyPressMsg) tea.Cmd {
	if m.tooSmallToUse() {
		if c, _ := command.Lookup(command.Global, k.String()); c.ID == command.Quit || c.ID == command.Interrupt {
			return tea.Quit
		}
		return nil
	}
	if m.overlay != nil {
		return m.overlayKey(k)
	}
	name := k.String()
	if m.pane.Typing() {
		if c, _ := command.Lookup(command.Global, name); c.ID != command.Interrupt {
			if _, taken := m.pane.Type(k); taken || len(k.Text) > 0 || command.IsText(name) {
				return nil
			}
		}
	}
	cmd, ok := command.Lookup(m.pane.Context(), name)
	if !ok {
		return nil
	}
	return m.run(cmd)
}

func (m *recordingsModel) overlayKey(k tea.KeyPressMsg) tea.Cmd {
	if w, works := m.overlay.(worker); works {
		if a, taken := w.do(k); taken {
			return m.act(a)
		}
	}
	return m.overlayDone(m.overlay.key(k))
}

func (m *recordingsModel) overlayDone(run *command.Command, done bool) tea.Cmd {
	if done {
		m.closeOverlay()
	}
	if run == nil {
		return nil
	}
	return m.run(*run)
}

func (m *recordingsModel) closeOverlay() {
	if w, works := m.overlay.(worker); works {
		w.close()
	}
	m.overlay = nil
}

// worksOnList reports whether a command does something in the list of recordings.
func worksOnList(c command.Command) bool {
	switch c.ID {
	case command.Quit, command.Interrupt, command.Help, command.Palette, command.NextTheme, command.Back,
		command.Up, command.Down, command.PageUp, command.PageDown, command.HalfUp, command.HalfDown, command.Top, command.Bottom:
		return c.Context == command.Global
	}
	return c.Context == command.Recordings
}

func (m *recordingsModel) run(cmd command.Command) tea.Cmd {
	if !worksOnList(cmd) {
		return nil
	}
	switch cmd.ID {
	case command.Quit, command.Interrupt:
		return tea.Quit
	case command.Help, command.Palette:
		m.overlay = newCommandWindowOf(command.Recordings, worksOnList)
	case command.NextTheme:
		m.say(action.Flash{Text: "theme " + m.nextTheme(&m.options)})
	default:
		return m.act(m.pane.Do(cmd.ID))
	}
	return nil
}

func (m *recordingsModel) act(a action.Action) tea.Cmd {
	switch a := a.(type) {
	case action.Accepted:
		m.closeOverlay()
		return m.act(a.Action)
	case action.CloseWindow:
		m.closeOverlay()
	case action.Do:
		a()
	case action.Copy:
		return copyText(a, m.options.Clipboard)
	case action.Flash:
		m.say(a)
	}
	return nil
}

func (m *recordingsModel) click(at tea.Mouse) tea.Cmd {
	switch r := m.body(); {
	case at.Button != tea.MouseLeft || m.tooSmallToUse():
	case m.overlay != nil:
		w := placeOf(m.overlay, m.w, m.h)
		if c, ok := m.overlay.(clicker); ok && w.has(at.X, at.Y) {
			return m.overlayDone(c.click(at.X-w.x, at.Y-w.y))
		}
	case r.has(at.X, at.Y):
		return m.act(m.pane.Click(at.X-r.x, at.Y-r.y))
	}
	return nil
}

func (m *recordingsModel) wheel(at tea.Mouse) {
	n := turned(at)
	if n == 0 || m.tooSmallToUse() {
		return
	}
	if m.overlay != nil {
		m.overlay.scroll(n)
		return
	}
	r := m.body()
	m.pane.Scroll(at.X-r.x, at.Y-r.y, n)
}

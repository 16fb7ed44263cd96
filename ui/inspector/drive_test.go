package inspector

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/press"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/requests"
	"mcptea/session/session"
	"mcptea/ui/sessions"
	"mcptea/ui/terminal"
)

func TestMain(m *testing.M) {
	_ = os.Unsetenv("NO_COLOR")
	time.Local = time.UTC // screens show the time of day
	raced.OthersByNight("one goroutine draws and takes the keys, and what works beside it is named where it is tested")
	sessiontest.Main(m)
}

// emulated is an emulator that may be read while the program writes.
type emulated struct {
	mu     sync.Mutex
	raw    bytes.Buffer // what the program has written
	emu    *vt.Emulator
	cursor bool        // it is visible
	blind  atomic.Bool // it ignores what is written, and the program does not quit
}

func newTerminal(w, h int) *emulated {
	t := &emulated{emu: vt.NewEmulator(w, h)}
	t.emu.SetCallbacks(vt.Callbacks{CursorVisibility: func(visible bool) { t.cursor = visible }})
	return t
}

func (t *emulated) Write(b []byte) (int, error) {
	if t.blind.Load() {
		return len(b), nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.raw.Write(b)
	return t.emu.Write(b)
}

func (t *emulated) screen() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(t.emu.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// terminalEnv says what the terminal of a test is.
var terminalEnv = []string{"TERM=xterm-256color"}

// driver is a person at the program: it presses keys and reads the screen.
type driver struct {
	t       *testing.T
	program *tea.Program
	model   *model
	host    *sessions.Host
	term    *emulated
	session *session.Session
	address string // of a server over HTTP; empty otherwise
	copied  string // by sessions beside the first one
	updates *atomic.Int64
}

// drive runs a script in a bubble of fake time against the demo server.
func drive(t *testing.T, w, h int, o demo.Options, script func(d *driver)) {
	t.Helper()
	driveIn(t, revision.R20251125, w, h, o, script)
}

func driveIn(t *testing.T, r revision.Revision, w, h int, o demo.Options, script func(d *driver)) {
	t.Helper()
	o.Offers = sessiontest.Fixed
	driveServerIn(t, r, w, h, sessiontest.Demo(o), script)
}

func driveServer(t *testing.T, w, h int, serve func(context.Context, io.Reader, io.Writer) error, script func(d *driver)) {
	t.Helper()
	driveServerIn(t, revision.R20251125, w, h, serve, script)
}

func driveServerIn(t *testing.T, r revision.Revision, w, h int, serve func(context.Context, io.Reader, io.Writer) error, script func(d *driver)) {
	t.Helper()
	driveSession(t, w, h, servedConfig(r, serve), script)
}

// servedConfig is that of a session with a server over stdio, which asks the user.
func servedConfig(r revision.Revision, serve func(context.Context, io.Reader, io.Writer) error) session.Config {
	return session.Config{
		Target: client.Target{Argv: []string{"demo-server"}}, Record: "off", Lists: client.ListKinds, Subscribe: true, Lint: true,
		Client:   client.Config{Name: "mcptea", Version: "test", Revision: r},
		Policies: requests.Policies{Sampling: requests.Policy{Mode: requests.PolicyUser}, Elicitation: requests.Policy{Mode: requests.PolicyUser}},
		Dial: func(tap client.Tap, cfg client.Config) *client.Client {
			return client.NewOver(inmemory.New(serve), tap, cfg)
		},
	}
}

func driveSession(t *testing.T, w, h int, cfg session.Config, script func(d *driver)) {
	t.Helper()
	driveOpened(t, w, h, func() (*session.Session, error) { return session.Open(cfg) }, script)
}

func driveOpened(t *testing.T, w, h int, open func() (*session.Session, error), script func(d *driver)) {
	t.Helper()
	driveWith(t, w, h, open, func(*session.Session) Options { return Options{} }, script)
}

// driveWith is driveOpened with options that depend on the session.
func driveWith(t *testing.T, w, h int, open func() (*session.Session, error), options func(*session.Session) Options, script func(d *driver)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := open()
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		o := options(s)
		o.Pins = filepath.Join(t.TempDir(), "mcptea.txtar")
		m, unsubscribe := newModel(ctx, s, o, sections(o.Own))
		fixCatalogues(m)
		for _, p := range m.lists { // no browser: e2e has one
			p.OpenApp = func(tool string, _ []byte, _ *session.Call) { m.Say("the app of " + tool) }
		}
		write := m.writeFile
		m.writeFile = func(path string, content func(io.Writer) error) error {
			if !filepath.IsAbs(path) { // a test leaves no file behind
				return content(io.Discard)
			}
			return write(path, content)
		}
		term := newTerminal(w, h)
		drained := make(chan struct{})
		go func() {
			defer close(drained)
			_, _ = io.Copy(io.Discard, term.emu)
		}()
		env := terminalEnv
		shown := terminal.NewScreen(term, env)
		host := &sessions.Host{}
		updates := &atomic.Int64{}
		p := shown.Program(acting{host, updates}, tea.WithInput(nil), tea.WithOutput(term), tea.WithWindowSize(w, h),
			tea.WithoutSignals(), tea.WithoutSignalHandler(), tea.WithColorProfile(colorprofile.TrueColor),
			tea.WithEnvironment(env), tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
				switch msg.(type) {
				case tea.SuspendMsg:
					return nil // it would stop the test
				case tea.QuitMsg:
					if term.blind.Load() {
						return nil
					}
				}
				return msg
			}))
		finished := make(chan error, 1)
		host.Start(m.Program, p.Send)
		go func() {
			_, err := p.Run()
			host.End()
			finished <- err
		}()
		d := &driver{t: t, program: p, model: m, host: host, updates: updates, term: term, session: s}
		// Also after a failure: a bubble must not be left with goroutines in it.
		defer func() {
			stop()
			term.blind.Store(false)
			p.Quit()
			if err := <-finished; err != nil && !errors.Is(err, tea.ErrProgramKilled) {
				t.Error(err)
			}
			shown.Close()
			host.Wait()
			unsubscribe()
			m.end(ctx)
			_ = s.Close(context.Background())
			if c, ok := term.emu.InputPipe().(io.Closer); ok {
				_ = c.Close()
			}
			<-drained
			time.Sleep(10 * time.Minute) // past every timer of the program, and of the regular expressions of lexers
		}()
		d.settle()
		script(d)
	})
}

// settle lets a second go by, so that everything on the screen is done.
func (d *driver) settle() { d.sleep(time.Second) }

func (d *driver) sleep(t time.Duration) {
	d.program.Send(nil) // orders what the test has changed in the model before what the program reads
	time.Sleep(t)
	synctest.Wait()
}

// click presses the left button of the mouse on a cell, and releases it.
func (d *driver) click(x, y int) { d.drag(x, y, x, y) }

// drag presses the left button of the mouse on a cell, moves it to another one, and releases it.
func (d *driver) drag(x, y, toX, toY int) {
	d.program.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	if x != toX || y != toY {
		d.program.Send(tea.MouseMotionMsg{X: toX, Y: toY, Button: tea.MouseLeft})
	}
	d.program.Send(tea.MouseReleaseMsg{X: toX, Y: toY, Button: tea.MouseLeft})
}

// press types keys: names in angle brackets, of which <lt> is the bracket itself, everything else
// letter by letter.
func (d *driver) press(keys string) {
	for keys != "" {
		var name string
		if rest, ok := strings.CutPrefix(keys, "<"); ok {
			name, keys, _ = strings.Cut(rest, ">")
		} else {
			r := []rune(keys)[0]
			name, keys = string(r), keys[len(string(r)):]
		}
		switch name {
		case " ":
			name = "space"
		case "lt":
			name = "<"
		}
		d.program.Send(pressKey(name))
		d.sleep(50 * time.Millisecond)
	}
	d.settle()
}

// acting is the program with a door for tests.
type acting struct {
	*sessions.Host
	updates *atomic.Int64 // how many messages there were
}

func (a acting) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	a.updates.Add(1)
	if run, ok := msg.(func()); ok {
		run()
		msg = nil
	}
	_, cmd := a.Host.Update(msg)
	return a, cmd
}

// frames shows the frames of the traffic one by one.
func (d *driver) frames() {
	d.t.Helper()
	d.within(func() { d.model.views.traffic.ShowExchanges(false) })
}

// within runs a function that reads or changes the model, on the goroutine of the program.
func (d *driver) within(run func()) {
	d.program.Send(run)
	d.settle()
}

// sees fails unless all the texts are on the screen.
func (d *driver) sees(texts ...string) {
	d.t.Helper()
	screen := d.term.screen()
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			d.t.Errorf("the screen lacks %q:\n%s", text, screen)
			return
		}
	}
}

func (d *driver) lacks(text string) {
	d.t.Helper()
	if screen := d.term.screen(); strings.Contains(screen, text) {
		d.t.Errorf("the screen has %q:\n%s", text, screen)
	}
}

func pressKey(name string) tea.KeyPressMsg { return press.Key(name) }

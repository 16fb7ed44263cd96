package app

import (
	"io"
	"sync"
)

// maxPrinted bounds the output of a run that is kept while the terminal is taken, in bytes. A window shows it.
const maxPrinted = 64 << 10

// Printed keeps the start of the output while the terminal is taken. It is safe for concurrent use.
type Printed struct {
	mu   sync.Mutex
	text []byte
}

// Write implements [io.Writer].
func (p *Printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = append(p.text, b[:min(len(b), maxPrinted-len(p.text))]...)
	return len(b), nil
}

// Take returns the text that was printed since the last call.
func (p *Printed) Take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := string(p.text)
	p.text = nil
	return text
}

// Hosted returns another run that shares the process with this one while the terminal is taken: its output is
// kept in printed, it reads nothing, and it asks nothing.
func (p *App) Hosted(printed *Printed) *App {
	other := *p
	other.In, other.Out, other.Err = nil, &Screen{Writer: printed}, &Screen{Writer: printed}
	other.Args, other.Code, other.Output, other.TakeError = nil, ExitOK, Output{ASCII: p.ASCII}, nil
	return &other
}

// Take declares that the interface uses the terminal. Text that is then printed on stderr is held, and printed
// when give is called.
func (p *App) Take() (release func()) {
	p.Taken.Store(true)
	held := &Printed{}
	to := p.Err.redirect(held)
	return func() {
		p.Taken.Store(false)
		p.Err.redirect(to)
		_, _ = io.WriteString(p.Err, held.Take()) // the screen keeps the error
	}
}

// redirect makes the screen write to another writer, and returns the previous one.
func (s *Screen) redirect(to io.Writer) (before io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.Writer = s.Writer, to
	return before
}

package app

import (
	"io"
	"sync"
)

// maxPrinted is how much of what a run prints is kept while the terminal is taken, in bytes: a
// window shows it.
const maxPrinted = 64 << 10

// Printed keeps the beginning of what is printed while the terminal is taken. It is safe for
// concurrent use.
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

// Take returns what was printed since the last time.
func (p *Printed) Take() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := string(p.text)
	p.text = nil
	return text
}

// Hosted is another run beside this one, on a terminal that is taken: what it prints is kept, it
// reads nothing, and nothing is asked.
func (p *App) Hosted(printed *Printed) *App {
	other := *p
	other.In, other.Out, other.Err = nil, &Screen{Writer: printed}, &Screen{Writer: printed}
	other.Args, other.Code, other.Output, other.TakeError = nil, ExitOK, Output{ASCII: p.ASCII}, nil
	return &other
}

// Take says that the terminal is taken by the interface. What is printed on stderr from then on is
// printed when the function that it returns is called.
func (p *App) Take() (give func()) {
	p.Taken.Store(true)
	held := &Printed{}
	to := p.Err.redirect(held)
	return func() {
		p.Taken.Store(false)
		p.Err.redirect(to)
		_, _ = io.WriteString(p.Err, held.Take()) // the screen keeps the error
	}
}

// redirect has the screen write somewhere else, and returns where it has written.
func (s *Screen) redirect(to io.Writer) (before io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.Writer = s.Writer, to
	return before
}

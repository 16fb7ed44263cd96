package sessions

import (
	"sync"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/program"
)

// run is the time from the first program to the last one.
type run struct {
	programs map[*program.Program]chan struct{} // closed when one has left; guarded by Host.mu
	ready    chan struct{}                      // closed when send is set
	send     func(tea.Msg)
	done     chan struct{} // closed when the terminal has been restored
	err      error
}

// joined is a program that is about to be shown.
type joined struct{ *program.Program }

// Show shows a program until it ends, with everything that it has started. The error is about the
// terminal. It may be called from any goroutine.
func (h *Host) Show(p *program.Program) error {
	r, left := h.begin(p)
	select {
	case <-left:
	case <-r.done:
	}
	p.End()
	select {
	case <-r.done:
		return r.err
	default:
		return nil
	}
}

// begin passes a program to the terminal, which is taken over for the first one.
func (h *Host) begin(p *program.Program) (r *run, left chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.run != nil && len(h.run.programs) == 0 { // it is returning the terminal
		h.wait()
	}
	left = make(chan struct{})
	if r = h.run; r != nil {
		r.programs[p] = left
		go func() {
			<-r.ready
			r.send(joined{p})
		}()
		return r, left
	}
	h.start(p, left)
	r = h.run
	giving := func() {}
	if h.Taking != nil {
		giving = h.Taking()
	}
	go func() {
		r.err = p.RunModel(h, h.started, h.record)
		select {
		case <-r.ready:
		default: // there is no terminal: waiters continue
			h.started(func(tea.Msg) {})
		}
		giving()
		h.End()
	}()
	return r, left
}

// start makes a run of a program.
func (h *Host) start(p *program.Program, left chan struct{}) {
	h.run = &run{programs: map[*program.Program]chan struct{}{p: left}, ready: make(chan struct{}), done: make(chan struct{})}
	h.programs, h.order, h.pair = nil, nil, [2]*program.Program{}
	h.join(p)
}

// Start makes the host the model of a Bubble Tea program that initially shows p. started must be called with
// the function that sends messages to it, and End at its end.
func (h *Host) Start(p *program.Program, send func(tea.Msg)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.start(p, make(chan struct{}))
	h.started(send)
}

func (h *Host) started(send func(tea.Msg)) {
	h.run.send = send
	close(h.run.ready)
}

// End reports that the terminal has been restored.
func (h *Host) End() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.run.done)
	h.run = nil
	h.woken().Broadcast()
}

// Go runs a function that may show programs on a goroutine. It may be called from any.
func (h *Host) Go(work func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.threads++
	go func() {
		defer func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.threads--
			h.woken().Broadcast()
		}()
		work()
	}()
}

// Wait waits until nothing is shown and everything that Go has started has ended.
func (h *Host) Wait() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.run != nil || h.threads > 0 {
		h.wait()
	}
}

// Tell runs a function in the Update of the program in front. It returns false if nothing is shown. It may
// be called from any goroutine except the goroutine of Update.
func (h *Host) Tell(do func(p *program.Program)) bool { return h.tell(deferredCall{do, true}) }

func (h *Host) tell(msg deferredCall) bool {
	h.mu.Lock()
	r := h.run
	h.mu.Unlock()
	if r == nil {
		return false
	}
	<-r.ready
	r.send(msg)
	return true
}

// deferredCall is a function to run in Update. instead reports that no other message is on its way.
type deferredCall struct {
	do      func(p *program.Program)
	instead bool
}

func (h *Host) woken() *sync.Cond {
	h.idle.L = &h.mu
	return &h.idle
}

func (h *Host) wait() { h.woken().Wait() }

// record flushes the recordings of the visible sessions.
func (h *Host) record() {
	if all := h.recorded.Load(); all != nil {
		for _, p := range *all {
			if p.Record != nil {
				p.Record()
			}
		}
	}
}

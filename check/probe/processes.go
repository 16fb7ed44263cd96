package probe

import "sync"

// processes counts the processes of the server. Its methods may be called from any goroutine.
type processes struct {
	mu      sync.Mutex
	running int
	most    int // maximum number that ran concurrently
	all     int
}

func (p *processes) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all++
	p.running++
	p.most = max(p.most, p.running)
}

func (p *processes) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
}

// now returns the number of running processes.
func (p *processes) now() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running
}

// total returns the number of processes that were started, and the maximum number that ran
// concurrently.
func (p *processes) total() (all, most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all, p.most
}

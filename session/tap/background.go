package tap

import "sync"

// background counts the goroutines that must end before a [Proxy] returns. Unlike a [sync.WaitGroup], it
// rejects handlers that begin too late: a handler of net/http can begin after the server was closed. The
// zero value is empty.
type background struct {
	mu      sync.Mutex
	running int
	idle    chan struct{} // closed when nothing runs any more, or nil before Wait
}

// begin reports whether there is time for something: [background.Wait] was not called. The caller
// calls end when it is over.
func (b *background) begin() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.idle != nil {
		return false
	}
	b.running++
	return true
}

func (b *background) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running--; b.running == 0 && b.idle != nil {
		close(b.idle)
	}
}

// Go runs a function in a goroutine, unless running has ended. It never is too late for a caller
// that has begun.
func (b *background) Go(do func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.idle != nil && b.running == 0 {
		return
	}
	b.running++
	go func() {
		defer b.end()
		do()
	}()
}

// Wait waits until nothing runs. Meanwhile only functions that are already running may start
// others. It is called once.
func (b *background) Wait() {
	b.mu.Lock()
	b.idle = make(chan struct{})
	if b.running == 0 {
		close(b.idle)
	}
	b.mu.Unlock()
	<-b.idle
}

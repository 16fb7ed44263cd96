package tap

import "sync"

// background counts the goroutines that must end before a [Proxy] returns. It rejects handlers that
// begin after the server was closed, which net/http allows. A [sync.WaitGroup] does not reject
// them. The zero value is empty.
type background struct {
	mu      sync.Mutex
	running int
	idle    chan struct{} // closed when no goroutine runs any more; nil before Wait
}

// begin registers a goroutine. It returns false after [background.Wait] was called. Otherwise the
// caller calls end when the goroutine is done.
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

// Go runs a function in a goroutine, unless all goroutines have ended. A caller that is registered
// itself is never too late.
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

// Wait waits until no goroutine runs. After the call, only running goroutines may start others. It
// is called once.
func (b *background) Wait() {
	b.mu.Lock()
	b.idle = make(chan struct{})
	if b.running == 0 {
		close(b.idle)
	}
	b.mu.Unlock()
	<-b.idle
}

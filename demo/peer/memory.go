package peer

import "sync"

// memory is what changes while a server runs: of a session, or of the server
// where there are no sessions. Its methods may be called from any goroutine.
type memory struct {
	mu     sync.Mutex
	shown  map[string]bool // hidden entries that were made visible, as "tools/name"
	counts map[string]int
}

func (m *memory) count(key string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil {
		m.counts = map[string]int{}
	}
	m.counts[key]++
	return m.counts[key]
}

func (m *memory) toggle(entry string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shown == nil {
		m.shown = map[string]bool{}
	}
	m.shown[entry] = !m.shown[entry]
	return m.shown[entry]
}

func (m *memory) shows(entry string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.shown[entry]
}

// memory is the one that the call sees.
func (c *Call) memory() *memory {
	if c.terms.modern {
		return &c.server().memory
	}
	return &c.session.memory
}

// visible reports whether the client sees an entry of a list, such as "tools".
func (c *Call) visible(list, name string, v Visible) bool {
	r := c.Revision()
	if r < v.From || v.Until != "" && r > v.Until {
		return false
	}
	return !v.Hidden || c.memory().shows(list+"/"+name)
}

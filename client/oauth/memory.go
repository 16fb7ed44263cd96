package oauth

import (
	"slices"
	"sync"
)

// Memory is a [Store] that lasts as long as the program: one that is asked once
// asks nobody again after a reconnect. The zero value is empty.
type Memory struct {
	mu  sync.Mutex
	all []Saved // newest first
}

var _ Store = (*Memory)(nil)

// Is reports whether two authorizations are of one resource, one issuer and one
// client, so that the newer one takes the place of the other.
func (s Saved) Is(other Saved) bool {
	return s.Resource == other.Resource && s.Issuer == other.Issuer && s.Client.ID == other.Client.ID
}

// Load implements [Store].
func (m *Memory) Load(resource string) ([]Saved, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.all), func(s Saved) bool { return s.Resource != resource }), nil
}

func (m *Memory) empty() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.all) == 0
}

// Save implements [Store].
func (m *Memory) Save(s Saved) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append([]Saved{s}, slices.DeleteFunc(m.all, s.Is)...)
	return nil
}

// Forget implements [Store].
func (m *Memory) Forget(s Saved) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = slices.DeleteFunc(m.all, s.Is)
	return nil
}

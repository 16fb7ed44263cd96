package oauth

import (
	"slices"
	"sync"
)

// Memory is a [Store] in memory: after a reconnect no new consent is needed. The zero
// value is empty.
type Memory struct {
	mu     sync.Mutex
	all    []StoredToken       // newest first; at most maxStored
	locked map[string]struct{} // names of the locks that are held
}

// maxStored bounds the tokens in memory: a server can name another issuer, and have another client
// registered, each time. The oldest is forgotten, which takes a new consent.
const maxStored = 100

var _ Store = (*Memory)(nil)

// replaces reports whether two tokens have the same resource, issuer and client, so
// that the newer one replaces the other.
func (s StoredToken) replaces(other StoredToken) bool {
	return s.Resource == other.Resource && s.Issuer == other.Issuer && s.Client.ID == other.Client.ID
}

// Load implements [Store].
func (m *Memory) Load(resource string) ([]StoredToken, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.all), func(s StoredToken) bool { return s.Resource != resource }), nil
}

func (m *Memory) isEmpty() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.all) == 0
}

// Save implements [Store].
func (m *Memory) Save(s StoredToken) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append([]StoredToken{s}, slices.DeleteFunc(m.all, s.replaces)...)
	m.all = m.all[:min(len(m.all), maxStored)]
	return nil
}

// Forget implements [Store].
func (m *Memory) Forget(s StoredToken) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = slices.DeleteFunc(m.all, s.replaces)
	return nil
}

// Lock implements [Store].
func (m *Memory) Lock(name string) (release func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, held := m.locked[name]; held {
		return nil, nil //nolint:nilnil // another caller has it
	}
	if m.locked == nil {
		m.locked = make(map[string]struct{})
	}
	m.locked[name] = struct{}{}
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.locked, name)
	}), nil
}

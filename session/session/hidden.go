package session

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// maxHidden bounds the values that are masked in frames; of more the oldest is forgotten.
const maxHidden = 64

// hidden are values that mcptea has made for one run, such as the secret of a webhook: they are masked
// in the frames of the record, too, which have all else exactly as it was sent.
type hidden struct {
	mu     sync.RWMutex
	values [][]byte
}

// Hide has a value masked in all that is recorded and shown of the session from now on, frames included.
// The mask is as long as the value, and begins as it does up to an underscore.
func (s *Session) Hide(value string) {
	s.secrets.Add(value)
	s.hidden.mu.Lock()
	defer s.hidden.mu.Unlock()
	if len(s.hidden.values) >= maxHidden {
		s.hidden.values = slices.Delete(s.hidden.values, 0, 1)
	}
	s.hidden.values = append(s.hidden.values, []byte(value))
}

// mask returns a frame with the values masked; the frame itself if it has none.
func (h *hidden) mask(frame []byte) []byte {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, value := range h.values {
		if bytes.Contains(frame, value) {
			frame = bytes.ReplaceAll(frame, value, maskOf(value))
		}
	}
	return frame
}

func maskOf(value []byte) []byte {
	head := bytes.IndexByte(value, '_') + 1
	return append(bytes.Clone(value[:head]), strings.Repeat("*", len(value)-head)...)
}

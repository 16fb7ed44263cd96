package secret

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// maxHidden bounds the values that are masked in frames; of more the oldest is forgotten.
const maxHidden = 64

// Hidden holds values that mcptea has generated for one run, such as the secret of a webhook. They are masked
// even in the recorded frames, which otherwise are exactly as sent. The zero value is empty. It is safe for
// concurrent use.
type Hidden struct {
	mu     sync.RWMutex
	values [][]byte
}

// Add makes a value masked from now on.
func (h *Hidden) Add(value string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.values) >= maxHidden {
		h.values = slices.Delete(h.values, 0, 1)
	}
	h.values = append(h.values, []byte(value))
}

// Mask returns a frame with the values masked, or the frame itself if it contains none. The mask has the length
// of the value, and starts with the same characters up to an underscore.
func (h *Hidden) Mask(frame []byte) []byte {
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

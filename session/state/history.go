package state

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode/utf8"

	"mcptea/client/secret"
)

// The bounds of a history. When it is larger than maxHistory, the newest entries of half
// that size stay.
const (
	maxSent    = 32 << 10 // bound in bytes, like the other
	maxHistory = 512 << 10
	// maxHistoryFile bounds the bytes that are read: a larger file was not written by mcptea.
	maxHistoryFile = 16 << 20
)

// Sent is a frame that was sent: a method and its params, or the bytes of the frame.
type Sent struct {
	Time   time.Time `json:"time"`
	Method string    `json:"method,omitempty"`
	Params string    `json:"params,omitempty"`
	// Frame is set instead of Method and Params; Bytes, in base64, when it is not
	// UTF-8.
	Frame string `json:"frame,omitempty"`
	Bytes []byte `json:"bytes,omitempty"`
	// ID is the kind of the id, as the composer numbers them.
	ID int `json:"id,omitempty"`
	// NoMeta says that the _meta of the revision was left out.
	NoMeta bool `json:"noMeta,omitempty"`
	// Broken says how the frame was malformed when it was sent; empty for not at all.
	Broken string `json:"broken,omitempty"`
	// Redacted says that secrets were removed.
	Redacted bool `json:"redacted,omitempty"`
}

// SetFrame sets the bytes of the frame.
func (e *Sent) SetFrame(frame string) {
	if utf8.ValidString(frame) {
		e.Frame, e.Bytes = frame, nil
		return
	}
	e.Frame, e.Bytes = "", []byte(frame)
}

// FrameText returns the bytes of the frame; empty when the entry has a method.
func (e *Sent) FrameText() string {
	if e.Bytes != nil {
		return string(e.Bytes)
	}
	return e.Frame
}

// redact removes secrets: texts that have the form of a secret, and texts that known replaces. known may
// be nil.
func (e *Sent) redact(known func(string) string) {
	without := func(text string) string {
		if known != nil {
			text = known(text)
		}
		return secret.Text(text)
	}
	for _, text := range []*string{&e.Params, &e.Frame} {
		if clean := without(*text); clean != *text {
			*text, e.Redacted = clean, true
		}
	}
	if clean := without(string(e.Bytes)); clean != string(e.Bytes) {
		e.Bytes, e.Redacted = []byte(clean), true
	}
}

// History is a file of frames that were sent, without secrets.
type History struct {
	file
	half int64 // maxHistory/2
	// Redact returns a text without the secrets of the session; nil means that it has none.
	Redact func(text string) string
}

// NewHistory returns the history with a path.
func NewHistory(path string) *History {
	// A file larger than maxHistory is trimmed.
	return &History{file: file{path, maxHistoryFile, "cannot read the history", "cannot keep the history"}, half: maxHistory / 2}
}

// Load reads the entries, oldest first. Lines that cannot be read are left out; a file
// that does not exist is empty.
func (h *History) Load() ([]Sent, error) {
	text, err := h.read()
	return entries(newest(text, 4*h.half), func(e *Sent) bool { return e.Method != "" || e.FrameText() != "" }), err
}

// newest returns the lines at the end of a text that have at most a size.
func newest(text []byte, size int64) []byte {
	if over := int64(len(text)) - size; over > 0 {
		text = text[over:]
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	return text
}

// Add appends an entry with its secrets redacted. One that is too large is not kept.
func (h *History) Add(e Sent) error {
	e.redact(h.Redact)
	line, err := json.Marshal(e)
	if err != nil || len(line) > maxSent {
		return err
	}
	return h.update(func(text []byte) ([]byte, error) {
		text = append(append(text, line...), '\n')
		if int64(len(text)) > 2*h.half {
			text = newest(text, h.half)
		}
		return text, nil
	})
}

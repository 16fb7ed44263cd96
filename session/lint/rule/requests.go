package rule

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"

	"mcptea/client/transport"
	"mcptea/session/flow"
)

const (
	// maxEnded bounds the requests that are held after their end: rules compare
	// later messages with them.
	maxEnded = 4096
	// MaxEndedBytes bounds what such requests, and the memory of a family for
	// ended tasks, may hold.
	MaxEndedBytes = 8 << 20
	// maxParams bounds the params of the server's pending requests.
	maxParams = 32 << 20
	// MaxKeptBytes is how many bytes of params are kept after the response: retries
	// and tasks refer to them.
	MaxKeptBytes = 16 << 10
	// maxShown is how much of an id, a name or a token is kept for display.
	maxShown = 256
)

// Request finds the newest request of a side with a raw id, or nil.
// One that ended long ago has only its method, row and time.
func (st *State) Request(dir transport.Direction, id []byte) *flow.Flow {
	return st.flows.Find(dir, id)
}

// RequestOfToken finds the newest request of a side with a raw progress token, or
// nil.
func (st *State) RequestOfToken(dir transport.Direction, token []byte) *flow.Flow {
	return st.flows.OfToken(dir, token)
}

// TokenKey identifies a raw progress token; see [flow.Table.TokenKey].
func (st *State) TokenKey(token []byte) uint64 { return st.flows.TokenKey(token) }

// HasID reports whether a request was sent under a raw id.
func (st *State) HasID(r *flow.Flow, id []byte) bool { return st.flows.HasID(r, id) }

// IsPending reports whether a response to a request is to be expected.
func IsPending(r *flow.Flow) bool { return r.Waits() && !r.IsReleased() }

// AnsweredRequests is how many requests of a side have a response.
func (st *State) AnsweredRequests(dir transport.Direction) int { return st.answered[dir] }

// Pending walks over the pending requests after a row, oldest first.
func (st *State) Pending(after int32) iter.Seq[*flow.Flow] { return st.flows.PendingAfter(after) }

// truncatedText is text of the peer as it is kept for display.
func truncatedText[T string | []byte](text T) string {
	if len(text) > maxShown {
		return string(text[:maxShown]) + "…"
	}
	return string(text)
}

// ShortKey is a text that a map may be keyed with: a long one becomes a hash.
func ShortKey(text string) string {
	if len(text) <= maxShown {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return text[:32] + "#" + hex.EncodeToString(sum[:])
}

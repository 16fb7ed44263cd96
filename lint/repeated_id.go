package lint

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// maxTwice bounds the requests that mcptea sent more than once.
const maxTwice = 1000

// sentTwice notes that mcptea has sent a request again, which permits one more response.
func (st *State) sentTwice(dir transport.Direction, id jsonrpc.Token) {
	key := idKey(dir, id)
	Keep(&st.twice, maxTwice, key, st.twice[key]+1)
}

// hasMoreResponses reports a second response to a request that mcptea has sent more than
// once.
func (st *State) hasMoreResponses(m *Message) bool {
	if len(st.twice) == 0 || m.Request == nil || !m.Request.HasResponse() {
		return false
	}
	key := idKey(1-m.Frame.Dir, m.ID)
	if st.twice[key] == 0 {
		return false
	}
	st.twice[key]--
	return true
}

// maxShared bounds the ids that several pending requests have.
const maxShared = 1000

// noteSharedID records an id that a request has while another request with it is pending. Nothing shows which of the
// responses with that id belongs to which request.
func (st *State) noteSharedID(m *Message) {
	r := st.Flows.Find(m.Frame.Dir, m.ID)
	if r == nil || !IsPending(r) || r.Row() == m.Frame.Row {
		return
	}
	Keep(&st.shared, maxShared, idKey(m.Frame.Dir, m.ID), true)
}

// hasSharedID reports a response whose id several requests had.
func (st *State) hasSharedID(m *Message) bool {
	return len(st.shared) > 0 && st.shared[idKey(1-m.Frame.Dir, m.ID)]
}

// idKey returns the key of an id of one side in the maps of the state.
func idKey(dir transport.Direction, id jsonrpc.Token) string {
	return string(rune('0'+dir)) + string(id.Meaning())
}

// isNotification reports whether a method is one of notifications.
func isNotification(method string) bool {
	m, known := revision.Lookup(method)
	return known && m.IsNotification()
}

package lint

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// maxTwice bounds the requests that mcptea sent more than once.
const maxTwice = 1000

// sentTwice records that mcptea has sent a request again. The request may then get one more
// response.
func (st *State) sentTwice(dir transport.Direction, id jsonrpc.Token) {
	key := idKey(dir, id)
	Keep(&st.twice, maxTwice, key, st.twice[key]+1)
}

// hasMoreResponses reports whether the message is another response to a request that mcptea has
// sent more than once.
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

// maxShared bounds the remembered ids that several pending requests share.
const maxShared = 1000

// noteSharedID records an id if another pending request has the same id. Then nothing shows which
// response belongs to which request.
func (st *State) noteSharedID(m *Message) {
	r := st.Flows.Find(m.Frame.Dir, m.ID)
	if r == nil || !IsPending(r) || r.Row() == m.Frame.Row {
		return
	}
	Keep(&st.shared, maxShared, idKey(m.Frame.Dir, m.ID), true)
}

// hasSharedID reports whether several requests had the id of a response.
func (st *State) hasSharedID(m *Message) bool {
	return len(st.shared) > 0 && st.shared[idKey(1-m.Frame.Dir, m.ID)]
}

// idKey returns the map key for an id of one side.
func idKey(dir transport.Direction, id jsonrpc.Token) string {
	return string(rune('0'+dir)) + string(id.Meaning())
}

// isNotification reports whether a method belongs to notifications.
func isNotification(method string) bool {
	m, known := revision.Lookup(method)
	return known && m.IsNotification()
}

package failure

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/session"
)

// AnsweredNotification returns the method of a notification that the server has answered with an error response, and
// the error in words; ok is false without one. Clients that read the body of each response may end the connection then.
func AnsweredNotification(s *session.Session) (method, refusal string, ok bool) {
	st := s.Store()
	answers := map[uint32][]byte{} // error responses by their exchange
	for i, r := range newest(st, pendingReach) {
		switch {
		case r.Exchange == 0:
		case r.Dir == transport.In && r.Kind == jsonrpc.ErrorResponse:
			if frame, err := st.Head(i, maxKeptSize); err == nil {
				answers[r.Exchange] = frame
			}
		case r.Dir == transport.Out && r.Kind == jsonrpc.Notification && answers[r.Exchange] != nil:
			frame := answers[r.Exchange]
			return st.Method(r.Method), errorText(jsonrpc.ParseError(frame, jsonrpc.Scan(frame))), true
		}
	}
	return "", "", false
}

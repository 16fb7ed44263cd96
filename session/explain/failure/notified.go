package failure

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/session"
)

// AnsweredNotification returns the method of a notification that the server has answered with an error
// response, and the error in words. Clients that read the body of each response may then end the connection.
func AnsweredNotification(s *session.Session) (method, refusal string, ok bool) {
	st := s.Store()
	answers := map[uint32][]byte{} // error responses by exchange
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

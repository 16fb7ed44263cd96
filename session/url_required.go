package session

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/store"
)

const (
	// maxRequired bounds the pages that one error puts into the inbox.
	maxRequired = 20
	// maxCompleted bounds the elicitations that are remembered as complete before
	// anything asks for them.
	maxCompleted = 100
	// maxElicitationID is the longest id that is remembered.
	maxElicitationID = 1 << 10
)

// completions are the ids of notifications/elicitation/complete that match no
// request in the inbox yet, oldest first. They are guarded by Session.mu.
type completions []completion

type completion struct {
	id string
	at time.Time
}

// urlsRequired adds the pages that the error of a call names to the inbox.
func (s *Session) urlsRequired(c *client.Client, call *Call, answer client.Response) {
	var rpc *client.RPCError
	if !errors.As(answer.Err(), &rpc) || rpc.Code != revision.CodeURLElicitationRequired || c.Handshake().Revision != revision.R20251125 ||
		s.cfg.Policies.Elicitation.Mode != PolicyAsk {
		return
	}
	list, _ := jsonrpc.Member(rpc.Data, "elicitations")
	now := time.Now()
	row := s.store.RequestRow(0, string(call.Last()))
	if r, ok := s.store.Row(row); ok && r.Pair != store.None {
		row = r.Pair // the error, which is what names the pages
	}
	n := 0
	s.mu.Lock()
	defer s.store.Poke()
	defer s.mu.Unlock()
	for page := range jsonrpc.Elements(list) {
		if n++; n > maxRequired || len(s.asks) >= maxRequests {
			return
		}
		ask := Ask{
			ID:     jsonrpc.StringID(fmt.Sprintf("required-%s-%d-%d", call.Last(), n, now.UnixNano())), // only ours
			Method: client.MethodElicitation, Params: slices.Clone(page), Of: call.Last(), Key: fmt.Sprintf("page %d", n), About: call.Name,
			Row: row, Arrived: now, conn: uint16(s.state.Attempt), again: call,
		}
		id := member(page, "elicitationId")
		s.completed = slices.DeleteFunc(s.completed, func(done completion) bool {
			if done.id == id {
				ask.Completed = done.at
			}
			return done.id == id
		})
		s.asks = append(s.asks, ask)
	}
}

// elicitationComplete is called from the wire for
// notifications/elicitation/complete: what happened at a page is done.
func (s *Session) elicitationComplete(params []byte, at time.Time) {
	id := member(params, "elicitationId")
	if id == "" || len(id) > maxElicitationID {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := false
	for i := range s.asks {
		a := &s.asks[i]
		if member(a.Params, "mode") == "url" && member(a.Params, "elicitationId") == id {
			a.Completed, known = at, true
		}
	}
	if !known {
		s.completed = append(s.completed, completion{id, at})
		s.completed = s.completed[max(0, len(s.completed)-maxCompleted):]
	}
}

// Required reports whether nothing is to be sent for a request in the inbox: the
// error of a call named the page, and the call can be sent again once the user
// has been there; see [Session.CallAgain].
func (a Ask) Required() bool { return a.again != nil }

// CallAgain sends a call again whose error named a page in the inbox, and takes
// all pages of that error out of the waiting ones.
func (s *Session) CallAgain(id jsonrpc.ID) (*Call, error) {
	call := s.settleRequired(id, AskAnswered)
	if call == nil {
		return nil, errNoSuchAsk
	}
	return s.Start(call.Method, call.Params), nil
}

// settleRequired ends the waiting entries for the pages of a call's error. It
// returns the call; nil when none was waiting.
func (s *Session) settleRequired(id jsonrpc.ID, state AskState) *Call {
	s.mu.Lock()
	defer s.store.Poke()
	defer s.mu.Unlock()
	a := s.find(id, 0)
	if a == nil || a.again == nil {
		return nil
	}
	call := a.again
	for i := range s.asks {
		if other := &s.asks[i]; other.again == call && other.State == AskWaiting {
			other.State, other.By, other.Answered = state, "you", time.Now()
		}
	}
	return call
}

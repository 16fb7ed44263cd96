package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/attach"
	"mcptea/session/session"
)

// Shared lets commands use the connection of a tap over stdio, between the frames of its
// host. Their requests have ids that begin with a prefix of their own. The responses and
// the progress with such an id never reach the host.
type Shared struct {
	describe func() attach.Info
	prefix   string
	// Way sends a line of a command, with its line ending, to the server, and may keep it. It returns false if
	// too much is waiting to be sent. It is set before the host connects.
	Way func(line []byte) bool

	used  atomic.Bool // a command has sent a request
	count atomic.Int64

	mu       sync.Mutex
	revision revision.Revision // empty before the host has connected
	result   []byte            // result of initialize
	ended    bool
	pending  map[jsonrpc.Key]outcome // outcomes of pending requests; at most maxPending
	listens  []*func(frame []byte)   // functions of commands that listen; at most maxListens
}

// maxListens bounds the commands that listen concurrently. Further ones are refused.
const maxListens = 64

// maxPending bounds the requests of all commands that have no response yet. Further ones are refused.
const maxPending = 4096

// outcome takes the outcome of a request, and its progress.
type outcome struct {
	progress func(params []byte)
	done     func(response []byte, err error) // does not block
	ended    func()                           // called with done, or nil if the present server does not have the request
}

// end gives a request its outcome.
func (o *outcome) end(response []byte, err error) {
	o.done(response, err)
	if o.ended != nil {
		o.ended()
	}
}

// NewShared returns the connection of a tap that describe describes.
func NewShared(describe func() attach.Info) *Shared {
	return &Shared{describe: describe, prefix: fmt.Sprintf("mcptea-attach-%d-", os.Getpid()), pending: map[jsonrpc.Key]outcome{}}
}

// Negotiated records the outcome of the host's negotiation. result is the result of initialize, or empty in
// stateless versions.
func (s *Shared) Negotiated(version string, result []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision, s.result = revision.Revision(version), bytes.Clone(result)
}

// Describe implements [attach.Connection].
func (s *Shared) Describe() attach.Info {
	info := s.describe()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch info.Revision = s.revision; {
	case info.Problem != "":
	case s.revision == "":
		info.Problem, info.Try = "its host has not connected yet", "Repeat the command when the host has."
	case !s.revision.Known():
		info.Problem = fmt.Sprintf("its host and server have negotiated the unknown protocol version %q", s.revision)
	}
	return info
}

// Result implements [attach.Connection].
func (s *Shared) Result() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.result
}

// NextID implements [attach.Connection].
func (s *Shared) NextID() (jsonrpc.ID, error) {
	return jsonrpc.StringID(fmt.Sprintf("%s%d", s.prefix, s.count.Add(1))), nil
}

var (
	// ErrEnded is the outcome of requests without a response.
	ErrEnded = errors.New("the server of the tap has ended")
	// errPending and errMidLine are the errors of requests that are not sent.
	errPending = fmt.Errorf("%d requests over the connection of the tap have no response yet", maxPending)
	errMidLine = fmt.Errorf("%d messages wait for the end of a line that the host of the tap has begun", maxReplies)
)

// Start implements [attach.Connection].
func (s *Shared) Start(frame []byte, progress func([]byte), done func([]byte, error)) (cancel func()) {
	id := jsonrpc.Scan(frame).ID.Of(frame).ID()
	if err := s.add(id, outcome{progress: progress, done: func(response []byte, err error) { go done(response, err) }}); err != nil {
		go done(nil, err)
		return func() {}
	}
	s.used.Store(true) // before the server can respond
	if !s.send(frame) {
		if o, ok := s.removePending(id); ok {
			o.end(nil, errMidLine)
		}
	}
	return func() {
		if o, ok := s.removePending(id); ok {
			params := fmt.Sprintf(`{"requestId":%s,"reason":%s}`, id, jsonrpc.Quote(session.ErrCancelled.Error()))
			s.Send(jsonrpc.EncodeNotification("notifications/cancelled", []byte(params)))
			o.end(nil, session.ErrCancelled)
		}
	}
}

// Send implements [attach.Connection]. It sends only messages that the server does not answer with
// a message for its host.
func (s *Shared) Send(frame []byte) { s.send(frame) }

// send implements Send. It returns false if too much is waiting to be sent.
func (s *Shared) send(frame []byte) bool {
	if e := jsonrpc.Scan(frame); (e.Kind == jsonrpc.Request || e.Kind == jsonrpc.Notification) && e.IDType != jsonrpc.IDNull {
		return s.Way(append(frame[:len(frame):len(frame)], '\n'))
	}
	return true
}

// Notifications implements [attach.Connection]. They reach the host as well.
func (s *Shared) Notifications(each func(frame []byte)) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.listens) == maxListens {
		return nil
	}
	s.listens = append(s.listens, &each)
	s.used.Store(true)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.listens = slices.DeleteFunc(s.listens, func(other *func([]byte)) bool { return other == &each })
	}
}

// heard passes a notification of the server to the commands that listen.
func (s *Shared) heard(frame []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, each := range s.listens {
		(*each)(frame)
	}
}

// add adds a request. The error is why it is not sent.
func (s *Shared) add(id jsonrpc.ID, o outcome) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return ErrEnded
	case len(s.pending) >= maxPending:
		return errPending
	}
	s.pending[id.Key()] = o
	return nil
}

func (s *Shared) removePending(id jsonrpc.ID) (outcome, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.pending[id.Key()]
	delete(s.pending, id.Key())
	return o, ok
}

// SettleAll ends the requests that have no response when the server has ended. A later one is
// refused.
func (s *Shared) SettleAll(reason error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for id, o := range s.pending {
		delete(s.pending, id)
		o.end(nil, reason)
	}
}

// Sent records that a request is sent to the current server. ended is called when the request has its outcome; it must
// not block. A tap that never replaces its server does not call Sent.
func (s *Shared) Sent(id jsonrpc.ID, ended func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o, ok := s.pending[id.Key()]; ok {
		o.ended = ended
		s.pending[id.Key()] = o
	}
}

// Running returns the number of requests to the current server that have no response, or 0 for a nil Shared.
func (s *Shared) Running() (n int) {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.pending {
		if o.ended != nil {
			n++
		}
	}
	return n
}

// Settle ends the requests to the current server that have no response, because the server is replaced for a
// reason. On a nil Shared it does nothing.
func (s *Shared) Settle(reason string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, o := range s.pending {
		if o.ended != nil {
			delete(s.pending, id)
			o.end(nil, errors.New(reason))
		}
	}
}

// Refuse ends a request that is sent to no server, for a reason.
func (s *Shared) Refuse(id jsonrpc.ID, reason string) {
	if o, ok := s.removePending(id); ok {
		o.end(nil, errors.New(reason))
	}
}

// looks reports whether frames of the server must be examined.
func (s *Shared) looks() bool { return s != nil && s.used.Load() }

// receive accepts a frame of the server if it is for a command. If only a part of a batch is for a command,
// rest is the other part, for the host.
func (s *Shared) receive(frame []byte, e jsonrpc.Envelope) (taken bool, rest []byte) {
	switch {
	case e.Kind.IsResponse() && s.owns(e.ID.Of(frame).Shown()):
		if o, ok := s.removePending(e.ID.Of(frame).ID()); ok {
			o.end(bytes.Clone(frame), nil)
		}
		return true, nil
	case e.Kind == jsonrpc.Notification && e.HasMethod(frame, "notifications/progress"):
		params := e.Params.Of(frame)
		token := jsonrpc.Get(params, "progressToken")
		if !s.owns(token) {
			s.heard(frame)
			return false, nil
		}
		s.mu.Lock()
		o, ok := s.pending[jsonrpc.TokenOf(token).Key()]
		s.mu.Unlock()
		if ok {
			o.progress(params)
		}
		return true, nil
	case e.Kind == jsonrpc.Notification:
		s.heard(frame)
	case e.Kind == jsonrpc.Batch:
		var others [][]byte
		for element := range jsonrpc.Elements(frame) {
			if ours, _ := s.receive(element, jsonrpc.Scan(element)); ours {
				taken = true
			} else {
				others = append(others, element)
			}
		}
		if taken && len(others) > 0 {
			rest = jsonrpc.EncodeBatch(others...)
		}
		return taken, rest
	}
	return false, nil
}

// owns reports whether an id or a token belongs to a command.
func (s *Shared) owns(id []byte) bool {
	text, ok := jsonrpc.Unquote(id)
	return ok && strings.HasPrefix(text, s.prefix)
}

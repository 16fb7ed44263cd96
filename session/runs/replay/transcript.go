package replay

import (
	"context"
	"fmt"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/record/store"
)

// Transcript is a recording as a dialogue. It has row numbers and hashes; the frames stay
// in the store.
type Transcript struct {
	// Turns are the messages of the client in their order.
	Turns []Turn
	// Asked are the requests of the server, with the responses of the client.
	Asked []Turn
	// Unread are sentences about frames that are in no turn, such as batches.
	Unread []string

	store *store.Store
}

// Turn is a request or notification of the client, with the response and the messages that the server sent for
// it.
type Turn struct {
	Row      int32 // row of the message
	Response int32 // row of the response, or [store.None] for a notification or if there is none
	Method   string
	// IsRequest reports a request; the message is a notification otherwise.
	IsRequest bool
	Time      int64 // Unix nanoseconds
	Flags     store.Flags
	// Before holds the rows of the server's requests and notifications that belong to the turn and arrived
	// before the response, or all of them if there was no response. After holds the later ones.
	Before, After []int32
	// Keys are hashes of method and params, one for each level. Two messages are equal on a level if they have
	// the same key. See [keysOf].
	Keys [levels]uint64
}

// isOffer reports whether the result of a request contains the server's offer; see [Transcript.Server].
func isOffer(method string) bool {
	_, isList := revision.ListOf(method)
	return isList || method == "initialize" || method == "server/discover"
}

// Read reads the turns of a loaded store.
func Read(ctx context.Context, s *store.Store) (*Transcript, error) {
	r := reader{Transcript: &Transcript{store: s}, turnOf: map[int32]int{}, carriedBy: map[uint32]int{}, last: -1}
	scanner := s.NewScanner()
	var err error
	scanner.Rows(0, s.Snapshot().Rows, func(i int32, row *store.Row) bool {
		if err = context.Cause(ctx); err == nil {
			err = r.row(i, row, scanner)
		}
		return err == nil
	})
	return r.Transcript, err
}

// reader assigns rows to turns.
type reader struct {
	*Transcript
	conn    uint16
	turnOf  map[int32]int // turns by the rows of the requests on the connection
	pending []int         // turns that wait for a response, oldest first
	last    int           // the turn of the newest message of the client, or response to it, or -1

	carriedBy map[uint32]int // turns by the HTTP exchange of the message
}

// maxUnread bounds the sentences about frames that are in no turn.
const maxUnread = 20

func (r *reader) row(i int32, row *store.Row, scanner *store.Scanner) error {
	if row.App {
		return nil // the other side was mcptea
	}
	if row.Conn != r.conn {
		r.conn, r.pending, r.last = row.Conn, nil, -1
		clear(r.turnOf)
		clear(r.carriedBy)
	}
	switch {
	case !row.IsFrame() || row.IsEvent() || row.Kind == jsonrpc.Invalid:
	case row.Kind == jsonrpc.Batch:
		if len(r.Unread) < maxUnread {
			r.Unread = append(r.Unread, fmt.Sprintf("frame %d is a batch and was left out", i+1))
		}
	case row.Dir == transport.Out && row.Kind.IsResponse():
	case row.Dir == transport.Out:
		return r.message(i, row, scanner)
	case row.Kind.IsResponse():
		r.response(i, row)
	default:
		r.fromServer(i, row)
		if row.Kind == jsonrpc.Request {
			if t, err := r.turn(i, row, scanner); err == nil { // a mock reports it when it is to be sent
				t.Response = row.Pair
				r.Asked = append(r.Asked, t)
			}
		}
	}
	return nil
}

// turn reads a message.
func (r *reader) turn(i int32, row *store.Row, scanner *store.Scanner) (t Turn, err error) {
	body := scanner.Body(row)
	if int(row.Size) > len(body) {
		if body, err = r.store.Body(i); err != nil {
			return t, err
		}
	}
	e := jsonrpc.Scan(body)
	t = Turn{Row: i, Response: store.None, Method: e.MethodName(body), Time: row.Time, Flags: row.Flags, IsRequest: row.Kind == jsonrpc.Request}
	t.Keys = keysOf(t.Method, e.Params.Of(body))
	return t, nil
}

func (r *reader) message(i int32, row *store.Row, scanner *store.Scanner) error {
	t, err := r.turn(i, row, scanner)
	if err != nil {
		return err
	}
	r.Turns = append(r.Turns, t)
	n := len(r.Turns) - 1
	r.last = n
	if row.Exchange != 0 {
		r.carriedBy[row.Exchange] = n
	}
	if row.Kind == jsonrpc.Request {
		r.turnOf[i] = n
		r.pending = append(r.pending, n)
	}
	return nil
}

func (r *reader) response(i int32, row *store.Row) {
	n, ok := r.turnOf[row.Pair]
	if !ok || r.Turns[n].Response != store.None {
		return
	}
	r.Turns[n].Response, r.last = i, n
	r.pending = slices.DeleteFunc(r.pending, func(p int) bool { return p == n })
}

// fromServer assigns a request or notification of the server.
func (r *reader) fromServer(i int32, row *store.Row) {
	n, ok := r.cause(row)
	switch {
	case ok && !r.Turns[n].hasResponse():
		r.Turns[n].Before = append(r.Turns[n].Before, i)
	case ok:
		r.Turns[n].After = append(r.Turns[n].After, i)
	case r.last >= 0:
		r.Turns[r.last].After = append(r.Turns[r.last].After, i)
	}
}

// cause returns the turn that a message of the server belongs to: the turn of the request that the
// message names or whose HTTP exchange carried it, or the newest pending turn. ok is false for a
// message outside of turns.
func (r *reader) cause(row *store.Row) (n int, ok bool) {
	if n, ok = r.turnOf[row.Request()]; ok {
		return n, true
	}
	if n, ok = r.carriedBy[row.Exchange]; ok && row.Exchange != 0 {
		return n, true
	}
	if x, found := r.store.ExchangeOf(row.Exchange); found && x.Purpose == "listen" {
		return 0, false
	}
	for _, n := range slices.Backward(r.pending) {
		if !r.Turns[n].lasts() { // a subscription is not the cause of other frames
			return n, true
		}
	}
	return 0, false
}

// lasts reports a subscription: a server responds to it when the session ends, if at all, and nothing waits
// for that.
func (t *Turn) lasts() bool { return revision.Lasts(t.Method) }

// Frame returns the bytes of a row. The caller owns them.
func (t *Transcript) Frame(row int32) ([]byte, error) { return t.store.Body(row) }

// Requests returns at most so many requests, starting with a row, and the number of requests after
// them.
func (t *Transcript) Requests(from int32, most int) (requests []Result, more int) {
	for i := range t.Turns {
		turn := &t.Turns[i]
		if turn.Row < from || !turn.IsRequest {
			continue
		}
		if len(requests) >= most {
			more++
			continue
		}
		params, _ := t.params(turn.Row) // a request without params has no subject
		r := resultOf(turn, params)
		requests = append(requests, r)
	}
	return requests, more
}

// Store returns the store of the recording.
func (t *Transcript) Store() *store.Store { return t.store }

// params returns the params of a message, or nil.
func (t *Transcript) params(row int32) ([]byte, error) {
	b, err := t.Frame(row)
	if err != nil {
		return nil, err
	}
	return jsonrpc.Scan(b).Params.Of(b), nil
}

package replay

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/internal/words/phrase"
	"mcptea/offer/diff"
	"mcptea/record/store"
)

// Replay sends a recording to a server once: [New], [Replay.Configure], [Replay.Use], [Replay.Run].
type Replay struct {
	turns   *Transcript
	compare diff.Options
	found   func(Result)
	client  *client.Client
	answers *answers
	ids     *ids

	continues *Continuation // continuation, or nil for the whole recording

	// Guarded by mu.
	mu      sync.Mutex
	carried map[jsonrpc.Key][]byte  // raw strings of the new server, by raw strings of the recording
	done    map[int]<-chan struct{} // channels by the number of the turn; closed with its response
	// unexpected are requests of the server that the recording does not have.
	unexpected []Result

	results sync.Mutex // serializes calls of found
}

// New returns a replay. found is called for each request, when its response has been
// compared, one call at a time.
func New(t *Transcript, compare diff.Options, found func(Result)) *Replay {
	r := &Replay{
		turns: t, compare: compare, found: found,
		carried: map[jsonrpc.Key][]byte{}, done: map[int]<-chan struct{}{},
	}
	r.answers = newAnswers(r)
	r.ids = newIDs(func(int) jsonrpc.ID { return r.client.NextID() })
	return r
}

// Configure sets the properties of the recorded client: the protocol version, unless cfg has one, its name, its
// capabilities and its roots.
func (r *Replay) Configure(cfg *client.Config) error {
	if cfg.Revision == "" {
		for _, c := range r.turns.Store().Connections() {
			if known := revision.Revision(c.Revision); known.Known() {
				cfg.Revision = known
			}
		}
	}
	for i := range r.turns.Turns {
		turn := &r.turns.Turns[i]
		if !turn.IsRequest {
			continue
		}
		params, err := r.turns.params(turn.Row)
		if err != nil {
			return err
		}
		capabilities, info := clientOf(turn.Method, params)
		if capabilities == nil {
			continue
		}
		_, cfg.Sampling = jsonrpc.Member(capabilities, "sampling")
		_, cfg.Elicitation = jsonrpc.Member(capabilities, "elicitation")
		_, cfg.Tasks = jsonrpc.Member(capabilities, "extensions", revision.TasksExtension)
		_, cfg.Apps = jsonrpc.Member(capabilities, "extensions", revision.AppsExtension)
		_, cfg.Skills = jsonrpc.Member(capabilities, "extensions", revision.SkillsExtension)
		if name := jsonrpc.Text(info, "name"); name != "" {
			cfg.Name, cfg.Version = name, jsonrpc.Text(info, "version")
		}
	}
	if len(cfg.Roots) == 0 {
		cfg.Roots = r.answers.roots()
	}
	cfg.OnServerRequest = r.answers.requested
	return nil
}

// clientOf returns the capabilities of the client and its name, if a request has them.
func clientOf(method string, params []byte) (capabilities, info []byte) {
	if method == "initialize" {
		capabilities, _ = jsonrpc.Member(params, "capabilities")
		info, _ = jsonrpc.Member(params, "clientInfo")
		return capabilities, info
	}
	capabilities, _ = jsonrpc.Member(params, "_meta", revision.MetaClientCapabilities)
	info, _ = jsonrpc.Member(params, "_meta", revision.MetaClientInfo)
	return capabilities, info
}

// Use sets the client that sends, whose Config [Replay.Configure] has changed. It is called before the client connects.
func (r *Replay) Use(c *client.Client) { r.client = c }

// Run sends all frames, and returns when all responses have arrived or ctx ends. The client is connected.
// The error comes from the recording or the context, or is the reason why the connection ended.
func (r *Replay) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r.handshake()
	next, _ := strconv.ParseInt(r.client.NextID().String(), 10, 64)
	for id := int64(1); id < next; id++ {
		r.ids.used[jsonrpc.IntID(id).Key()] = true // used by the handshake
	}
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	for i := range r.turns.Turns {
		turn := &r.turns.Turns[i]
		if r.continues != nil && turn.Row >= r.continues.Until {
			break
		}
		if revision.IsHandshake(turn.Method) {
			continue
		}
		if err := r.waitFor(ctx, turn.Row); err != nil {
			return err
		}
		drop, err := r.isEarlierPoll(i)
		if err != nil {
			return err
		}
		if drop {
			continue
		}
		if left, err := r.leftOut(ctx, turn); left || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		frame, err := r.frame(turn)
		if err != nil {
			return err
		}
		if frame == nil {
			continue // the cancellation of a request that was not sent
		}
		if !turn.IsRequest {
			if err := r.client.Send(ctx, frame); err != nil {
				return r.ended(err)
			}
			continue
		}
		done := make(chan struct{})
		r.mu.Lock()
		r.done[i] = done
		r.mu.Unlock()
		running.Go(func() {
			defer close(done)
			r.request(ctx, turn, frame)
		})
	}
	err := r.waitFor(ctx, int32(r.turns.Store().Snapshot().Rows))
	if err == nil {
		r.settle(ctx)
	}
	r.mu.Lock()
	unexpected := r.unexpected
	r.mu.Unlock()
	for _, result := range unexpected {
		r.report(result)
	}
	return err
}

// ended returns why the connection ended, if it has.
func (r *Replay) ended(err error) error {
	select {
	case <-r.client.Done():
		return fmt.Errorf("the connection ended: %w", cmp.Or(r.client.Err(), client.ErrClosed))
	default:
		return err
	}
}

// waitFor waits for the responses that had arrived before a row of the recording.
func (r *Replay) waitFor(ctx context.Context, row int32) error {
	r.mu.Lock()
	var waits []<-chan struct{}
	for i, done := range r.done {
		if turn := &r.turns.Turns[i]; turn.hasResponse() && !turn.lasts() && turn.Response < row {
			waits = append(waits, done)
			delete(r.done, i)
		}
	}
	r.mu.Unlock()
	for _, done := range waits {
		select {
		case <-done:
		case <-r.client.Done():
			return r.ended(client.ErrClosed)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// handshake compares the result of connecting.
func (r *Replay) handshake() {
	now := r.client.Handshake().Result
	method := "initialize"
	if r.client.Revision().IsStateless() {
		method = "server/discover"
	}
	for i := range r.turns.Turns {
		turn := &r.turns.Turns[i]
		if turn.Method != method || !turn.hasResponse() || now == nil {
			continue
		}
		recorded, err := r.turns.Frame(turn.Response)
		if err != nil {
			continue
		}
		if result := jsonrpc.Scan(recorded).Result; result.Present() {
			r.report(r.compared(resultOf(turn, nil), asResponse(result.Of(recorded)), asResponse(now)))
			return
		}
	}
}

// maxArguments bounds the arguments of a call in a result, in bytes: a row of a screen.
const maxArguments = 200

// resultOf returns the result of a turn with some params that is equal so far.
func resultOf(turn *Turn, params []byte) Result {
	r := Result{Frame: int(turn.Row) + 1, Method: turn.Method, Subject: subjectOf(params)}
	if args, ok := jsonrpc.Member(params, "arguments"); ok && string(args) != "{}" {
		r.Arguments = phrase.Clip(args, maxArguments)
	}
	return r
}

// asResponse makes a result comparable to a response.
func asResponse(result []byte) []byte { return jsonrpc.EncodeResult(jsonrpc.IDOf("0"), result) }

// request sends a request and compares its response.
func (r *Replay) request(ctx context.Context, turn *Turn, frame []byte) {
	request := client.ParseRequest(frame)
	result := resultOf(turn, request.Params)
	var options []client.Option
	if turn.lasts() || !turn.hasResponse() {
		options = append(options, client.WithoutTimeout())
	}
	response, err := r.client.Do(ctx, request, options...)
	result.Ref = response.Request
	if failed, ok := errors.AsType[*client.RequestError](err); ok {
		result.Ref = failed.Ref
	}
	if err == nil && turn.Method == "tasks/get" && turn.hasResponse() {
		response, err = r.poll(ctx, turn, request, response)
	}
	result.Took = phrase.Millis(response.Took)
	switch {
	case turn.lasts():
		result.State, result.Note = NotCompared, "lasts as long as the session"
	case !turn.hasResponse():
		result.unanswered(whyUnanswered(turn.Flags), response, err)
	case err != nil && ctx.Err() != nil:
		return
	case err != nil:
		result.State, result.Note = Failed, err.Error()
	default:
		recorded, wrong := r.turns.Frame(turn.Response)
		if wrong != nil {
			result.State, result.Note = NotCompared, wrong.Error()
			break
		}
		r.carry(recorded, response.Frame)
		result = r.compared(result, recorded, response.Frame)
	}
	r.report(result)
}

func (r *Replay) report(result Result) {
	r.results.Lock()
	defer r.results.Unlock()
	r.found(result)
}

// compared compares two responses, without their ids.
func (r *Replay) compared(result Result, recorded, now []byte) Result {
	now = jsonrpc.Scan(now).ID.Replace(now, jsonrpc.Scan(recorded).ID.Of(recorded).ID())
	c, differs := compare(recorded, now, r.compare)
	if differs {
		result.State = Different
	}
	result.Note, result.Differences, result.More, result.Rows = c.Note, c.Differences, c.More, c.Rows
	return result
}

// hasRedacted reports whether a frame contains a redacted secret. Such a frame cannot be sent
// unchanged.
func hasRedacted(frame []byte) bool { return bytes.Contains(frame, []byte(secret.Mark)) }

// Redacted returns the numbers of the frames of the client that have redacted secrets.
func (r *Replay) Redacted() (frames []int32, err error) {
	for i := range r.turns.Turns {
		frame, err := r.turns.Frame(r.turns.Turns[i].Row)
		if errors.Is(err, store.ErrNotKept) {
			continue
		}
		if err != nil {
			return frames, err
		}
		if hasRedacted(frame) {
			frames = append(frames, r.turns.Turns[i].Row+1)
		}
	}
	return frames, nil
}

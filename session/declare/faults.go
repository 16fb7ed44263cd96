package declare

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/server/peer"
	"mcptea/internal/server/rpcserver"
	"mcptea/session/intercept"
)

// A subject is the method of a request with its tool, prompt or URI.
type subject struct{ method, key string }

// faults holds the faults of single entries.
type faults map[subject][]intercept.Injection

func (f *faults) add(method, key, text string) error {
	fault, err := intercept.ParseFault(text)
	if err != nil {
		return err
	}
	if fault.Tool != "" || fault.Method != "" || fault.Filter != "" {
		return errors.New("the fault of an entry is for this entry: omit what follows the name")
	}
	injection, err := intercept.Inject(fault)
	if err != nil {
		return err
	}
	if *f == nil {
		*f = faults{}
	}
	of := subject{method, key}
	(*f)[of] = append((*f)[of], injection)
	return nil
}

// HTTPFault returns the name of an entry with an HTTP fault, or "".
func (f *File) HTTPFault() string {
	for _, e := range f.entries {
		if slices.ContainsFunc(f.faults[subject{e.list.Use, e.key}], func(i intercept.Injection) bool { return i.Status() != nil }) {
			return e.key
		}
	}
	return ""
}

// injector applies the faults of a file, which may be replaced while it does. Its methods
// may be called from any goroutine.
type injector struct {
	ctx    context.Context
	mu     sync.Mutex
	faults faults
	random *rand.Rand
}

// newInjector returns an injector without faults. Delays end with ctx. seed decides the
// probabilities; 0 is a random one.
func newInjector(ctx context.Context, seed uint64) *injector {
	if seed == 0 {
		seed = rand.Uint64()
	}
	return &injector{ctx: ctx, random: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // faults need no secret numbers
}

// use replaces the faults with the faults of a file.
func (i *injector) use(f *File) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.faults = f.faults
}

// applied returns the faults that apply to a request, chosen by their probabilities: the HTTP faults if
// overHTTP is set, otherwise the other faults.
func (i *injector) applied(method string, params []byte, overHTTP bool) (applied []intercept.Injection) {
	name, ok := revision.NameParam(method)
	if !ok {
		return nil
	}
	of := subject{method, jsonrpc.Text(params, name)}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, fault := range i.faults[of] {
		if (fault.Status() != nil) == overHTTP && i.random.Float64() < fault.Probability() {
			applied = append(applied, fault)
		}
	}
	return applied
}

// answer changes a response; it is a [peer.Bend].
func (i *injector) answer(m peer.Message, frame []byte) [][]byte {
	frames := [][]byte{frame}
	for _, fault := range i.applied(m.Method, m.Params, false) {
		if fault.Delay() > 0 {
			select {
			case <-time.After(fault.Delay()):
			case <-i.ctx.Done():
			}
		}
		var next [][]byte
		for _, one := range frames {
			next = append(next, fault.Apply(one)...)
		}
		frames = next
	}
	return frames
}

// handler makes a server respond with HTTP faults.
func (i *injector) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, rpcserver.MaxBody))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		e := jsonrpc.Scan(body)
		applied := i.applied(e.MethodName(body), e.Params.Of(body), true)
		if len(applied) == 0 {
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
			return
		}
		status := applied[0].Status()
		if status.Code == 0 {
			panic(http.ErrAbortHandler) // the connection ends
		}
		for name, values := range status.Header {
			w.Header()[name] = slices.Clone(values)
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(status.Body)))
		w.WriteHeader(status.Code)
		_, _ = w.Write(status.Body) // the client is gone
	})
}

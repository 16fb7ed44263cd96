package otlp

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/secret"
)

// Options configures a sender.
type Options struct {
	// Version is the version of the program.
	Version string
	// Payloads adds the arguments and results of tools.
	Payloads bool
	// NoRedact sends texts unchanged.
	NoRedact bool
	// Secrets are values to redact, in addition to values that package secret recognizes. They may
	// be nil.
	Secrets *secret.Values
	// Wait makes [Session.Event] wait while the collector is slow. Without it spans
	// are dropped once 16,384 wait to be sent.
	Wait bool
	// Report is called with a sentence when the collector cannot be reached; the
	// same sentence is reported once. It may be called from any goroutine; may be
	// nil.
	Report func(text string)
}

const (
	// maxQueue bounds the spans that wait to be sent.
	maxQueue = 16_384
	// scope names the instrumentation.
	scope = "mcptea"
	// schemaURL names the semantic conventions of the attributes.
	schemaURL = "https://opentelemetry.io/schemas/1.41.0"

	// A batch of spans is sent when it has batchSize, and after batchInterval. It is
	// given up after batchTimeout.
	batchSize     = 512
	batchInterval = 5 * time.Second
	batchTimeout  = 30 * time.Second
)

// Sender sends the spans of sessions to a collector. It is safe for
// concurrent use.
type Sender struct {
	options  Options
	batch    []*spanOf // spans to send; owned by the goroutine that sends
	resource resourceOf
	scope    scopeOf
	endpoint *endpoint

	spans   chan *spanOf    // ended spans
	closing chan struct{}   // closed when there are no more spans
	done    chan struct{}   // closed when all was sent
	ctx     context.Context // context of the requests
	cancel  context.CancelFunc

	queued  atomic.Int64 // spans that have ended and are not sent
	sent    atomic.Int64
	failed  atomic.Int64
	dropped atomic.Int64

	mu       sync.Mutex
	reported map[string]bool
}

// Totals counts the spans of a sender by outcome.
type Totals struct {
	Sent    int64 // the collector has taken them
	Failed  int64 // the collector refused them, or could not be reached
	Dropped int64 // spans that were not sent, because too many waited
}

// New connects to the collector that the variables OTEL_EXPORTER_OTLP_… name, by
// default http://localhost:4318. The connection is made when there is something to
// send. The error is about these variables.
func New(ctx context.Context, o Options) (*Sender, error) {
	s := &Sender{
		options: o, reported: map[string]bool{},
		resource: resource(o.Version), scope: scopeOf{Name: scope, Version: o.Version},
		spans: make(chan *spanOf, maxQueue), closing: make(chan struct{}), done: make(chan struct{}),
	}
	var err error
	if s.endpoint, err = newEndpoint(o.Version); err != nil {
		return nil, err
	}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go s.run()
	return s, nil
}

// resource describes the program.
func resource(version string) resourceOf {
	name := cmp.Or(os.Getenv("OTEL_SERVICE_NAME"), scope)
	return resourceOf{Attributes: []keyValue{attribute("service.name", name), attribute("service.version", version)}}
}

// Close sends the remaining spans until the context ends, and returns the totals.
func (s *Sender) Close(ctx context.Context) Totals {
	close(s.closing)
	select {
	case <-s.done:
	case <-ctx.Done():
		s.report(fmt.Sprintf("spans could not be sent: %v", ctx.Err()))
		s.cancel()
		<-s.done
	}
	s.cancel()
	return Totals{Sent: s.sent.Load(), Failed: s.failed.Load(), Dropped: s.dropped.Load()}
}

// run sends ended spans until the sender is closed.
func (s *Sender) run() {
	defer close(s.done)
	flush := time.NewTicker(batchInterval)
	defer flush.Stop()
	for {
		select {
		case span := <-s.spans:
			s.send(span)
		case <-flush.C:
			s.flush()
		case <-s.closing:
			for len(s.spans) > 0 {
				s.send(<-s.spans)
			}
			s.flush()
			return
		}
	}
}

// send adds a span to the batch, and sends the batch when it is full.
func (s *Sender) send(span *spanOf) {
	if s.batch = append(s.batch, span); len(s.batch) >= batchSize {
		s.flush()
	}
}

// flush sends the batch.
func (s *Sender) flush() {
	n := int64(len(s.batch))
	if n == 0 {
		return
	}
	isTaken := s.post(traces(s.resource, s.scope, schemaURL, s.batch))
	s.batch = nil
	s.queued.Add(-n)
	if isTaken {
		s.sent.Add(n)
	} else {
		s.failed.Add(n)
	}
}

// post reports whether the collector took all of a request, and why not.
func (s *Sender) post(request []byte) bool {
	ctx, cancel := context.WithTimeout(s.ctx, batchTimeout)
	defer cancel()
	rejected, why, err := s.endpoint.post(ctx, request)
	if err == nil && rejected > 0 {
		err = fmt.Errorf("it rejected %d: %s", rejected, why)
	}
	if err != nil {
		s.report(fmt.Sprintf("the collector did not accept the spans: %v", err))
	}
	return err == nil
}

// ended sends a span that has ended.
func (s *Sender) ended(span *spanOf) {
	if !s.admit() {
		return
	}
	select {
	case s.spans <- span:
	case <-s.closing:
		s.queued.Add(-1)
		s.dropped.Add(1)
	}
}

// admit reports whether a span may wait to be sent.
func (s *Sender) admit() bool {
	if s.queued.Add(1) > maxQueue && !s.options.Wait {
		s.queued.Add(-1)
		s.dropped.Add(1)
		return false
	}
	return true
}

func (s *Sender) report(text string) {
	if s.options.Report == nil {
		return
	}
	s.mu.Lock()
	known := s.reported[text] || len(s.reported) >= maxReported
	if !known {
		s.reported[text] = true
	}
	s.mu.Unlock()
	if !known {
		s.options.Report(text)
	}
}

// maxReported bounds the sentences that are remembered.
const maxReported = 100

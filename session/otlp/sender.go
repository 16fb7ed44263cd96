package otlp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
)

// Options say what is sent.
type Options struct {
	// Version is that of the program.
	Version string
	// Payloads adds the arguments and results of tools.
	Payloads bool
	// NoRedact sends texts as they are in the events.
	NoRedact bool
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
)

// Sender sends the spans and metrics of sessions to a collector. It is safe for
// concurrent use.
type Sender struct {
	options Options
	tracer  trace.Tracer
	metrics instruments
	spans   *sdktrace.TracerProvider
	meters  *sdkmetric.MeterProvider

	queued  atomic.Int64 // spans that have ended and are not sent
	sent    atomic.Int64
	failed  atomic.Int64
	dropped atomic.Int64

	mu       sync.Mutex
	reported map[string]bool
}

// Totals are what has become of the spans of a sender.
type Totals struct {
	Sent    int64 // the collector has taken them
	Failed  int64 // the collector refused them, or could not be reached
	Dropped int64 // not sent, because too many waited
}

// New connects to the collector that the variables OTEL_EXPORTER_OTLP_… name, by
// default http://localhost:4318. The connection is made when there is something to
// send. The error is about these variables.
func New(ctx context.Context, o Options) (*Sender, error) {
	s := &Sender{options: o, reported: map[string]bool{}}
	spans, err := spanExporter(ctx)
	if err != nil {
		return nil, err
	}
	metrics, err := metricExporter(ctx)
	if err != nil {
		return nil, errors.Join(err, spans.Shutdown(ctx))
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(semconv.ServiceName(scope), semconv.ServiceVersion(o.Version)),
		resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err), spans.Shutdown(ctx), metrics.Shutdown(ctx))
	}
	batch := []sdktrace.BatchSpanProcessorOption{sdktrace.WithMaxQueueSize(maxQueue)}
	if o.Wait {
		batch = append(batch, sdktrace.WithBlocking())
	}
	s.spans = sdktrace.NewTracerProvider(sdktrace.WithResource(about), sdktrace.WithBatcher(&countedSpans{spans, s}, batch...))
	s.meters = sdkmetric.NewMeterProvider(sdkmetric.WithResource(about),
		sdkmetric.WithReader(sdkmetric.NewPeriodicReader(&reportedMetrics{metrics, s})))
	s.tracer = s.spans.Tracer(scope, trace.WithInstrumentationVersion(o.Version), trace.WithSchemaURL(semconv.SchemaURL))
	s.metrics, err = newInstruments(s.meters.Meter(scope))
	return s, err
}

// Close sends what is left until the context ends, and returns what has become of
// all spans.
func (s *Sender) Close(ctx context.Context) Totals {
	// Errors of exporters are reported and counted. What is left here is the end of
	// the context.
	if err := errors.Join(s.spans.Shutdown(ctx), s.meters.Shutdown(ctx)); err != nil {
		s.report(fmt.Sprintf("spans could not be sent: %v", err))
	}
	left := s.queued.Swap(0)
	return Totals{Sent: s.sent.Load(), Failed: s.failed.Load() + left, Dropped: s.dropped.Load()}
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

// countedSpans counts what an exporter has sent and reports its errors, which the
// SDK would give to a handler of the whole process.
type countedSpans struct {
	sdktrace.SpanExporter
	sender *Sender
}

func (c *countedSpans) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	n := int64(len(spans))
	err := c.SpanExporter.ExportSpans(ctx, spans)
	c.sender.queued.Add(-n)
	if err == nil {
		c.sender.sent.Add(n)
		return nil
	}
	c.sender.failed.Add(n)
	c.sender.report(fmt.Sprintf("the collector did not take spans: %v", err))
	return nil
}

type reportedMetrics struct {
	sdkmetric.Exporter
	sender *Sender
}

func (r *reportedMetrics) Export(ctx context.Context, m *metricdata.ResourceMetrics) error {
	if err := r.Exporter.Export(ctx, m); err != nil {
		r.sender.report(fmt.Sprintf("the collector did not take metrics: %v", err))
	}
	return nil
}

// The protocols of OTLP, as OTEL_EXPORTER_OTLP_PROTOCOL names them.
const (
	protocolGRPC = "grpc"
	protocolHTTP = "http/protobuf"
)

func spanExporter(ctx context.Context) (sdktrace.SpanExporter, error) {
	switch protocol, name := protocolOf("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"); protocol {
	case protocolGRPC:
		if isDefaultEndpoint("TRACES") {
			return otlptracegrpc.New(ctx, otlptracegrpc.WithInsecure())
		}
		return otlptracegrpc.New(ctx)
	case protocolHTTP:
		if isDefaultEndpoint("TRACES") {
			return otlptracehttp.New(ctx, otlptracehttp.WithInsecure())
		}
		return otlptracehttp.New(ctx)
	default:
		return nil, unknownProtocol(name, protocol)
	}
}

func metricExporter(ctx context.Context) (sdkmetric.Exporter, error) {
	switch protocol, name := protocolOf("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"); protocol {
	case protocolGRPC:
		if isDefaultEndpoint("METRICS") {
			return otlpmetricgrpc.New(ctx, otlpmetricgrpc.WithInsecure())
		}
		return otlpmetricgrpc.New(ctx)
	case protocolHTTP:
		if isDefaultEndpoint("METRICS") {
			return otlpmetrichttp.New(ctx, otlpmetrichttp.WithInsecure())
		}
		return otlpmetrichttp.New(ctx)
	default:
		return nil, unknownProtocol(name, protocol)
	}
}

// isDefaultEndpoint reports whether nothing says where the collector of a signal is. The
// default is http://localhost (OTLP exporter specification, configuration options); that of
// the exporters is https.
func isDefaultEndpoint(signal string) bool {
	for _, prefix := range []string{"OTEL_EXPORTER_OTLP_", "OTEL_EXPORTER_OTLP_" + signal + "_"} {
		for _, name := range []string{"ENDPOINT", "INSECURE", "CERTIFICATE"} {
			if os.Getenv(prefix+name) != "" {
				return false
			}
		}
	}
	return true
}

// protocolOf returns the protocol of a signal, and the variable that says so.
func protocolOf(signal string) (protocol, name string) {
	if v := os.Getenv(signal); v != "" {
		return v, signal
	}
	name = "OTEL_EXPORTER_OTLP_PROTOCOL"
	return cmp.Or(os.Getenv(name), protocolHTTP), name
}

func unknownProtocol(name, protocol string) error {
	return fmt.Errorf("%s: unknown protocol %q; expected %s or %s", name, protocol, protocolGRPC, protocolHTTP)
}

// seconds is a duration in the unit of the conventions.
func seconds(d time.Duration) float64 { return max(0, d.Seconds()) }

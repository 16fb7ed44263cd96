package otlp

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/semconv/v1.41.0/mcpconv"

	"mcptea/client/transport"
)

// instruments are the metrics of the semantic conventions. The durations of
// sessions are those of the client's side.
type instruments struct {
	client  mcpconv.ClientOperationDuration
	server  mcpconv.ServerOperationDuration
	session mcpconv.ClientSessionDuration
}

// bounds are the buckets that the conventions advise, in seconds.
var bounds = metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)

func newInstruments(m metric.Meter) (i instruments, err error) {
	var errs [3]error
	i.client, errs[0] = mcpconv.NewClientOperationDuration(m, bounds)
	i.server, errs[1] = mcpconv.NewServerOperationDuration(m, bounds)
	i.session, errs[2] = mcpconv.NewClientSessionDuration(m, bounds)
	return i, errors.Join(errs[:]...)
}

// operation records a request or notification of a side. The attributes include its
// method.
func (i *instruments) operation(dir transport.Direction, took time.Duration, attributes []attribute.KeyValue) {
	set := attribute.NewSet(attributes...)
	if dir == transport.Out {
		i.client.RecordSet(context.Background(), seconds(took), set)
	} else {
		i.server.RecordSet(context.Background(), seconds(took), set)
	}
}

package otlp

import (
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/slim/otlp/metrics/v1"

	"mcptea/client/transport"
)

// instrument is one of the metrics of the semantic conventions: histograms in seconds, one
// for each set of attributes.
type instrument struct {
	name, description string
	points            map[string]*metricspb.HistogramDataPoint
}

// instruments are the metrics. The durations of sessions are those of the client's side.
type instruments struct {
	mu      *sync.Mutex
	list    []*instrument
	isDelta bool // each time what is new; otherwise everything since the start
	since   time.Time
}

// The places of the instruments in the list.
const (
	clientOperation = iota
	serverOperation
	clientSession
)

func newInstruments() instruments {
	preference := strings.ToLower(os.Getenv("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"))
	return instruments{mu: new(sync.Mutex), since: time.Now(), isDelta: preference == "delta" || preference == "lowmemory", list: []*instrument{
		clientOperation: {name: "mcp.client.operation.duration", description: "The duration of the MCP request or notification as observed on the sender from the time it was sent until the response or ack is received."},
		serverOperation: {name: "mcp.server.operation.duration", description: "MCP request or notification duration as observed on the receiver from the time it was received until the result or ack is sent."},
		clientSession:   {name: "mcp.client.session.duration", description: "The duration of the MCP session as observed on the MCP client."},
	}}
}

// bounds are the buckets that the conventions advise, in seconds.
var bounds = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}

// maxPoints bounds the sets of attributes of an instrument. Of more, all are one.
const maxPoints = 2000

// operation records a request or notification of a side. The attributes include its
// method.
func (x *instruments) operation(dir transport.Direction, took time.Duration, attributes []*common.KeyValue) {
	which := clientOperation
	if dir == transport.In {
		which = serverOperation
	}
	x.record(which, took, attributes)
}

func (x *instruments) record(which int, took time.Duration, attributes []*common.KeyValue) {
	attributes = slices.Clone(attributes)
	slices.SortFunc(attributes, func(a, b *common.KeyValue) int { return strings.Compare(a.Key, b.Key) })
	var key strings.Builder
	for _, a := range attributes {
		key.WriteString(a.Key + "\x00" + a.Value.String() + "\x00")
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	in := x.list[which]
	if in.points == nil {
		in.points = map[string]*metricspb.HistogramDataPoint{}
	}
	name := key.String()
	if in.points[name] == nil && len(in.points) >= maxPoints-1 {
		name, attributes = "", []*common.KeyValue{{Key: "otel.metric.overflow", Value: &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: true}}}}
	}
	p := in.points[name]
	v := seconds(took)
	if p == nil {
		p = &metricspb.HistogramDataPoint{
			Attributes: attributes, ExplicitBounds: bounds, BucketCounts: make([]uint64, len(bounds)+1), Sum: new(float64), Min: new(v), Max: new(v),
		}
		in.points[name] = p
	}
	bucket, _ := slices.BinarySearch(bounds, v) // a value on a bound is in the bucket below it
	p.BucketCounts[bucket]++
	p.Count++
	*p.Sum += v
	*p.Min, *p.Max = min(*p.Min, v), max(*p.Max, v)
}

// collect returns the metrics that have points. The caller sends them before anything else
// is collected.
func (x *instruments) collect(now time.Time) (list []*metricspb.Metric) {
	x.mu.Lock()
	defer x.mu.Unlock()
	how := metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	if x.isDelta {
		how = metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA
	}
	for _, in := range x.list {
		h := &metricspb.Histogram{AggregationTemporality: how}
		for _, p := range in.points {
			h.DataPoints = append(h.DataPoints, &metricspb.HistogramDataPoint{
				Attributes: p.Attributes, ExplicitBounds: bounds, BucketCounts: slices.Clone(p.BucketCounts), Count: p.Count,
				Sum: new(*p.Sum), Min: new(*p.Min), Max: new(*p.Max), StartTimeUnixNano: uint64(x.since.UnixNano()), TimeUnixNano: uint64(now.UnixNano()),
			})
		}
		if x.isDelta {
			in.points = nil
		}
		if len(h.DataPoints) > 0 {
			list = append(list, &metricspb.Metric{Name: in.name, Description: in.description, Unit: "s", Data: &metricspb.Metric_Histogram{Histogram: h}})
		}
	}
	if x.isDelta {
		x.since = now
	}
	return list
}

package otlp

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/stably"
	"mcptea/session/export/otlp/wire"
)

// The instruments are the metrics of the semantic conventions: histograms in seconds, one
// for each set of attributes. The durations of sessions are those of the client's side.
const (
	clientOperation = iota
	serverOperation
	clientSession
)

var instrumentTexts = [...]struct{ name, description string }{
	clientOperation: {"mcp.client.operation.duration", "The duration of the MCP request or notification as observed on the sender from the time it was sent until the response or ack is received."},
	serverOperation: {"mcp.server.operation.duration", "MCP request or notification duration as observed on the receiver from the time it was received until the result or ack is sent."},
	clientSession:   {"mcp.client.session.duration", "The duration of the MCP session as observed on the MCP client."},
}

// instruments have the points of each instrument by their attributes.
type instruments struct {
	mu      sync.Mutex
	points  [len(instrumentTexts)]map[string]*wire.Point
	isDelta bool // each time what is new; otherwise everything since the start
	since   time.Time
}

func newInstruments() *instruments {
	preference := strings.ToLower(os.Getenv("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"))
	return &instruments{since: time.Now(), isDelta: preference == "delta" || preference == "lowmemory"}
}

// bounds are the buckets that the conventions advise, in seconds.
var bounds = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}

// maxPoints bounds the sets of attributes of an instrument. Of more, all are one.
const maxPoints = 2000

// operation records a request or notification of a side. The attributes include its
// method.
func (x *instruments) operation(dir transport.Direction, took time.Duration, attributes []wire.KeyValue) {
	which := clientOperation
	if dir == transport.In {
		which = serverOperation
	}
	x.record(which, took, attributes)
}

func (x *instruments) record(which int, took time.Duration, attributes []wire.KeyValue) {
	attributes = slices.Clone(attributes)
	stably.Sort(attributes, func(a, b wire.KeyValue) int { return strings.Compare(a.Key, b.Key) })
	var key strings.Builder
	for _, a := range attributes {
		fmt.Fprintf(&key, "%s\x00%T %v\x00", a.Key, a.Value, a.Value)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.points[which] == nil {
		x.points[which] = map[string]*wire.Point{}
	}
	points, name := x.points[which], key.String()
	if points[name] == nil && len(points) >= maxPoints-1 {
		name, attributes = "", []wire.KeyValue{{Key: "otel.metric.overflow", Value: true}}
	}
	p := points[name]
	v := seconds(took)
	if p == nil {
		p = &wire.Point{Attributes: attributes, Bounds: bounds, Buckets: make([]uint64, len(bounds)+1), Min: v, Max: v}
		points[name] = p
	}
	bucket, _ := slices.BinarySearch(bounds, v) // a value on a bound is in the bucket below it
	p.Buckets[bucket]++
	p.Count++
	p.Sum += v
	p.Min, p.Max = min(p.Min, v), max(p.Max, v)
}

// collect returns the metrics that have points.
func (x *instruments) collect(now time.Time) (list []wire.Histogram) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, points := range x.points {
		h := wire.Histogram{Name: instrumentTexts[i].name, Description: instrumentTexts[i].description, Unit: "s", IsDelta: x.isDelta}
		for _, p := range points {
			point := *p
			point.Start, point.Time, point.Buckets = uint64(x.since.UnixNano()), uint64(now.UnixNano()), slices.Clone(p.Buckets)
			h.Points = append(h.Points, point)
		}
		if x.isDelta {
			x.points[i] = nil
		}
		if len(h.Points) > 0 {
			list = append(list, h)
		}
	}
	if x.isDelta {
		x.since = now
	}
	return list
}

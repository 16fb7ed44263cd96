package timeline

import (
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/flow"
	"mcptea/record/store"
)

const (
	// maxSeries is the number of methods and tools that are distinguished. All others share one more.
	maxSeries = 20_000
	// maxExact is the number of durations up to which percentiles are exact. Above it, they come
	// from a histogram with three significant digits. If there are more than maxFine histograms,
	// they have two.
	maxExact = 512
	maxFine  = 100
	// lastValues is the number of newest durations kept in order.
	lastValues = 32
	// longest is the end of the histogram, in microseconds: a day.
	longest = 24 * 3600 * 1_000_000
)

// Latency summarizes the durations of the requests for one method, or for one tool, prompt or resource
// template. Pending requests are left out.
type Latency struct {
	Dir    transport.Direction // direction of the requests
	Method string
	Name   string // name of the tool or prompt, or "" for other methods
	Count  int    // finished requests, except cancelled ones
	Errors int    // error responses, tool errors, and requests without a response

	// P50, P95 and Max are of the times until a response of the peer, or 0.
	P50, P95, Max time.Duration
	// Last holds the newest durations, oldest first. Failed reports which of them belong to errors. Both are
	// shared and must not be changed.
	Last   []time.Duration
	Failed []bool
}

// IsTimed reports whether any response has a known duration.
func (l *Latency) IsTimed() bool { return len(l.Last) > 0 }

// series holds the latencies and the samples that they are computed from.
type series struct {
	list   []*samples
	number map[seriesKey]uint16
	shown  []Latency
	// histograms is the number of series with a histogram.
	histograms int
}

type seriesKey struct {
	dir          transport.Direction
	method, name string
}

type samples struct {
	seriesKey
	count, errors int
	timed         int // times that were added
	max           int64
	exact         []int64 // nanoseconds; nil when there is a histogram
	histogram     *hdrhistogram.Histogram
	last          [lastValues]int64
	failed        [lastValues]bool
	changed       bool
	shown         Latency
}

func newSeries() series { return series{number: map[seriesKey]uint16{}} }

// keyOf returns the key under which a request is counted.
func keyOf(m *store.Match) seriesKey {
	key := seriesKey{dir: m.Dir, method: m.Method}
	if flow.IsNamed(key.method) {
		key.name, _ = flow.RequestParams(m.Envelope.Params.Of(m.Bytes))
	}
	return key
}

// index returns the number of the series of requests.
func (s *series) index(key seriesKey) uint16 {
	if n, ok := s.number[key]; ok {
		return n
	}
	if len(s.list) >= maxSeries {
		key = seriesKey{dir: key.dir, method: "other methods"}
		if n, ok := s.number[key]; ok {
			return n
		}
	}
	n := uint16(len(s.list))
	s.number[key] = n
	s.list = append(s.list, &samples{seriesKey: key})
	return n
}

// changed updates the latencies with a request whose state has changed; see [flow.Outcomes.Match].
func (s *series) changed(before flow.State, o *flow.Outcome) {
	if before != flow.Abandoned && (o.State == flow.Pending || o.State == flow.Cancelled && !o.TimedOut) {
		return
	}
	key := seriesKey{dir: o.Dir, method: o.Method}
	if flow.IsNamed(o.Method) {
		key.name = o.Name
	}
	x := s.list[s.index(key)]
	x.changed = true
	if before == flow.Abandoned { // a tap has sent it again, or has responded to it
		x.count--
		x.errors--
	}
	if o.State == flow.Pending {
		return
	}
	x.count++
	if o.IsFailed() {
		x.errors++
	}
	if o.State == flow.Answered && !o.IsOwn {
		s.add(x, int64(o.Took), o.IsFailed())
	}
}

// add adds the time until a response.
func (s *series) add(x *samples, took int64, failed bool) {
	x.last[x.timed%lastValues], x.failed[x.timed%lastValues] = took, failed
	x.timed++
	x.max = max(x.max, took)
	if x.histogram == nil && len(x.exact) < maxExact {
		x.exact = append(x.exact, took)
		return
	}
	if x.histogram == nil {
		digits := 3
		if s.histograms++; s.histograms > maxFine {
			digits = 2
		}
		x.histogram = hdrhistogram.New(1, longest, digits)
		for _, took := range x.exact {
			x.record(took)
		}
		x.exact = nil
	}
	x.record(took)
}

func (x *samples) record(took int64) {
	_ = x.histogram.RecordValue(min(max(took/1000, 1), longest)) // the value is within the range
}

// refresh computes the percentiles that have changed.
func (s *series) refresh() {
	shown := make([]Latency, 0, len(s.list))
	for _, x := range s.list {
		if x.changed {
			x.refresh()
		}
		if x.count > 0 {
			shown = append(shown, x.shown)
		}
	}
	s.shown = shown
}

func (x *samples) refresh() {
	x.changed = false
	l := Latency{Dir: x.dir, Method: x.method, Name: x.name, Count: x.count, Errors: x.errors, Max: time.Duration(x.max)}
	if x.timed > 0 {
		quantile := x.quantiles()
		l.P50, l.P95 = quantile(50), quantile(95)
	}
	for i := max(0, x.timed-lastValues); i < x.timed; i++ {
		l.Last = append(l.Last, time.Duration(x.last[i%lastValues]))
		l.Failed = append(l.Failed, x.failed[i%lastValues])
	}
	x.shown = l
}

// quantiles returns a function from a percentage to the quantile of the durations.
func (x *samples) quantiles() func(percent float64) time.Duration {
	if x.histogram != nil {
		return func(percent float64) time.Duration {
			return min(time.Duration(record.HistogramQuantile(x.histogram, percent))*time.Microsecond, time.Duration(x.max))
		}
	}
	sorted := slices.Sorted(slices.Values(x.exact))
	return func(percent float64) time.Duration { return time.Duration(record.Quantile(sorted, percent)) }
}

// Latencies returns the latency of each method and tool, in the order of their first
// request. The caller owns the slice.
func (t *Timeline) Latencies() []Latency {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Clone(t.series.shown)
}

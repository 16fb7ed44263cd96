package otlp

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mcptea/session/export/otlp/wire"
)

// The variables of the SDK specification (OpenTelemetry, general SDK configuration). One
// that cannot be read is as if it was not set.

// number is the first of some variables that is set to a number.
func number(otherwise int, names ...string) int {
	for _, name := range names {
		if n, err := strconv.Atoi(strings.TrimSpace(os.Getenv(name))); err == nil {
			return n
		}
	}
	return otherwise
}

// duration is a variable with milliseconds.
func duration(otherwise int, name string) time.Duration {
	n := number(otherwise, name)
	if n <= 0 {
		n = otherwise
	}
	return time.Duration(n) * time.Millisecond
}

// batching says when spans are sent.
type batching struct {
	spans          []*wire.Span // the batch
	size           int          // of a full batch
	delay, timeout time.Duration
}

func newBatching() batching {
	b := batching{
		size:  number(512, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"),
		delay: duration(5000, "OTEL_BSP_SCHEDULE_DELAY"), timeout: duration(30_000, "OTEL_BSP_EXPORT_TIMEOUT"),
	}
	if b.size <= 0 || b.size > maxQueue {
		b.size = 512
	}
	return b
}

// limits bound a span; a negative one is no limit.
type limits struct{ attributes, length, events, eventAttributes int }

func newLimits() limits {
	return limits{
		attributes:      number(128, "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "OTEL_ATTRIBUTE_COUNT_LIMIT"),
		length:          number(-1, "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT"),
		events:          number(128, "OTEL_SPAN_EVENT_COUNT_LIMIT"),
		eventAttributes: number(128, "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", "OTEL_ATTRIBUTE_COUNT_LIMIT"),
	}
}

// cut returns the attributes that a limit leaves, and how many it does not. Texts are cut.
func (l *limits) cut(list []wire.KeyValue, most int) ([]wire.KeyValue, uint32) {
	over := 0
	if most >= 0 {
		over = max(0, len(list)-most)
	}
	list = list[:len(list)-over]
	for i, a := range list {
		if text, _ := a.Value.(string); l.length >= 0 && utf8.RuneCountInString(text) > l.length {
			list[i] = attribute(a.Key, string([]rune(text)[:l.length]))
		}
	}
	return list, uint32(over)
}

// addEvent adds an event to a span; the newest are kept.
func (l *limits) addEvent(span *wire.Span, e wire.Event) {
	e.Attributes, e.DroppedAttributes = l.cut(e.Attributes, l.eventAttributes)
	span.Events = append(span.Events, e)
	if l.events >= 0 && len(span.Events) > l.events {
		span.Events = slices.Delete(span.Events, 0, 1)
		span.DroppedEvents++
	}
}

// sampler says which traces are sent.
type sampler struct {
	isParentBased bool // what has a parent is sent if that is
	share         float64
}

func newSampler() sampler {
	name := os.Getenv("OTEL_TRACES_SAMPLER")
	s := sampler{share: 1}
	rest, ok := strings.CutPrefix(name, "parentbased_")
	s.isParentBased = ok
	switch rest {
	case "always_on":
	case "always_off":
		s.share = 0
	case "traceidratio":
		if share, err := strconv.ParseFloat(os.Getenv("OTEL_TRACES_SAMPLER_ARG"), 64); err == nil && share >= 0 && share <= 1 {
			s.share = share
		}
	default:
		s.isParentBased = true
	}
	return s
}

// takes reports whether a span is sent; parent is nil for the first of a trace.
func (s sampler) takes(parent *spanContext, trace []byte) bool {
	if parent != nil && s.isParentBased {
		return parent.isSampled
	}
	return s.share >= 1 || binary.BigEndian.Uint64(trace[8:])>>1 < uint64(s.share*math.MaxInt64)
}

// newResource describes the program.
func newResource(version string) (r wire.Resource, err error) {
	values := map[string]string{"service.name": scope, "service.version": version}
	for pair := range strings.SplitSeq(os.Getenv("OTEL_RESOURCE_ATTRIBUTES"), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return r, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: missing value: %q", pair)
		}
		if text, err := url.PathUnescape(strings.TrimSpace(value)); err == nil {
			value = text
		}
		values[strings.TrimSpace(key)] = value
	}
	if name := os.Getenv("OTEL_SERVICE_NAME"); name != "" {
		values["service.name"] = name
	}
	for key, value := range values {
		r.Attributes = append(r.Attributes, attribute(key, value))
	}
	slices.SortStableFunc(r.Attributes, func(a, b wire.KeyValue) int { return strings.Compare(a.Key, b.Key) })
	return r, nil
}

// attribute is one with a text.
func attribute(key, text string) wire.KeyValue {
	return wire.KeyValue{Key: key, Value: strings.ToValidUTF8(text, "�")}
}

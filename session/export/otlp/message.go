package otlp

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
)

// The messages of OTLP that are sent, in JSON (OTLP specification, JSON Protobuf encoding): ids are
// hexadecimal, 64-bit integers are strings, and empty members are omitted.

// keyValue is an attribute.
type keyValue struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value is the value of an attribute: one member is set.
type value struct {
	Text    *string  `json:"stringValue,omitempty"`
	Integer *int64   `json:"intValue,omitempty,string"`
	Float   *decimal `json:"doubleValue,omitempty"`
}

// decimal is a number, or the name of one that JSON cannot write.
type decimal float64

// MarshalJSON implements [json.Marshaler].
func (d decimal) MarshalJSON() ([]byte, error) {
	if f := float64(d); !math.IsInf(f, 0) && !math.IsNaN(f) {
		return json.Marshal(f)
	}
	switch f := float64(d); {
	case math.IsInf(f, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-Infinity"`), nil
	}
	return []byte(`"NaN"`), nil
}

// resourceOf describes the program that sends.
type resourceOf struct {
	Attributes []keyValue `json:"attributes"`
}

// scopeOf names the instrumentation.
type scopeOf struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// Kinds of spans.
const (
	kindServer = 2
	kindClient = 3
)

// Flags of spans, in addition to the flag of W3C Trace Context for a sampled span.
const (
	flagHasIsRemote = 0x100
	flagIsRemote    = 0x200
)

// statusError is the code of a span that has failed.
const statusError = 2

// spanOf is a request or a notification. Times are in nanoseconds since 1970.
type spanOf struct {
	TraceID       id         `json:"traceId"`
	SpanID        id         `json:"spanId"`
	ParentSpanID  id         `json:"parentSpanId,omitempty"`
	TraceState    string     `json:"traceState,omitempty"`
	Flags         uint32     `json:"flags"`
	Name          string     `json:"name"`
	Kind          int        `json:"kind"`
	Start         uint64     `json:"startTimeUnixNano,string"`
	End           uint64     `json:"endTimeUnixNano,string"`
	Attributes    []keyValue `json:"attributes,omitempty"`
	Events        []event    `json:"events,omitempty"`
	DroppedEvents uint32     `json:"droppedEventsCount,omitempty"`
	Status        status     `json:"status"`
}

type status struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// event is something that happened during a span.
type event struct {
	Time       uint64     `json:"timeUnixNano,string"`
	Name       string     `json:"name"`
	Attributes []keyValue `json:"attributes,omitempty"`
}

// id is the id of a trace or a span.
type id []byte

// MarshalText implements [encoding.TextMarshaler].
func (i id) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, i), nil }

// traces returns an ExportTraceServiceRequest.
func traces(r resourceOf, s scopeOf, schemaURL string, spans []*spanOf) []byte {
	type scopeSpans struct {
		Scope     scopeOf   `json:"scope"`
		Spans     []*spanOf `json:"spans"`
		SchemaURL string    `json:"schemaUrl"`
	}
	type resourceSpans struct {
		Resource   resourceOf   `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
		SchemaURL  string       `json:"schemaUrl"`
	}
	text, err := json.Marshal(map[string][]resourceSpans{"resourceSpans": {{r, []scopeSpans{{s, spans, schemaURL}}, schemaURL}}})
	if err != nil {
		panic(err) // the types have nothing that JSON cannot write
	}
	return text
}

// partialSuccess returns how much of a request the collector did not take, and why, from its
// response.
func partialSuccess(response []byte) (count int64, why string, err error) {
	var doc struct {
		PartialSuccess struct {
			RejectedSpans json.RawMessage `json:"rejectedSpans"` // a string, or a number
			ErrorMessage  string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if len(response) == 0 {
		return 0, "", nil
	}
	if err := json.Unmarshal(response, &doc); err != nil {
		return 0, "", err
	}
	p := doc.PartialSuccess
	if len(p.RejectedSpans) == 0 {
		return 0, p.ErrorMessage, nil
	}
	digits := string(p.RejectedSpans)
	if text, err := strconv.Unquote(digits); err == nil {
		digits = text
	}
	count, err = strconv.ParseInt(digits, 10, 64)
	return count, p.ErrorMessage, err
}

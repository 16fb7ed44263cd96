// Package wire encodes the messages of OTLP that mcptea sends, and decodes the responses,
// in the encoding of Protocol Buffers. The generated types of the protocol do the same
// with reflection, which makes the program larger by more than a megabyte.
//
// The numbers of fields are those of opentelemetry-proto 1.x, in which they are stable.
package wire

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// KeyValue is an attribute. Its value is a string, int64 or float64.
type KeyValue struct {
	Key   string
	Value any
}

// Resource describes the program that sends.
type Resource struct{ Attributes []KeyValue }

// Scope names the instrumentation.
type Scope struct{ Name, Version string }

// Kinds of spans.
const (
	KindServer = 2
	KindClient = 3
)

// Flags of spans, beside that of W3C Trace Context for a sampled one.
const (
	FlagHasIsRemote = 0x100
	FlagIsRemote    = 0x200
)

// StatusError is the code of a span that has failed.
const StatusError = 2

// Span is a request or a notification. Times are in nanoseconds since 1970.
type Span struct {
	TraceID, SpanID, ParentSpanID []byte
	TraceState                    string
	Flags                         uint32
	Name                          string
	Kind                          int
	Start, End                    uint64
	Attributes                    []KeyValue
	Events                        []Event
	DroppedEvents                 uint32
	StatusCode                    int
	StatusMessage                 string
}

// Event is something that happened during a span.
type Event struct {
	Time       uint64
	Name       string
	Attributes []KeyValue
}

// Traces returns an ExportTraceServiceRequest.
func Traces(r Resource, s Scope, schemaURL string, spans []*Span) []byte {
	var scoped, all []byte
	scoped = message(scoped, 1, s.append(nil))
	for _, span := range spans {
		scoped = message(scoped, 2, span.append(nil))
	}
	scoped = text(scoped, 3, schemaURL)
	all = message(all, 1, attributes(nil, 1, r.Attributes))
	all = message(all, 2, scoped)
	return message(nil, 1, text(all, 3, schemaURL))
}

// Rejected returns how much of a request the collector did not take, and why, from its
// response.
func Rejected(response []byte) (count int64, why string, err error) {
	err = fields(response, func(n protowire.Number, _ uint64, partial []byte) error {
		if n != 1 {
			return nil
		}
		return fields(partial, func(n protowire.Number, number uint64, value []byte) error {
			switch n {
			case 1:
				count = int64(number)
			case 2:
				why = string(value)
			}
			return nil
		})
	})
	return count, why, err
}

// fields calls a function with each field of a message: with its number, or with its bytes.
func fields(b []byte, each func(n protowire.Number, number uint64, value []byte) error) error {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		var number uint64
		var value []byte
		switch kind {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			value, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(field, kind, b)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := each(field, number, value); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

func (s Scope) append(b []byte) []byte {
	return text(text(b, 1, s.Name), 2, s.Version)
}

func (s *Span) append(b []byte) []byte {
	b = binary(b, 1, s.TraceID)
	b = binary(b, 2, s.SpanID)
	b = text(b, 3, s.TraceState)
	b = binary(b, 4, s.ParentSpanID)
	b = text(b, 5, s.Name)
	b = varint(b, 6, uint64(s.Kind))
	b = fixed(b, 7, s.Start)
	b = fixed(b, 8, s.End)
	b = attributes(b, 9, s.Attributes)
	for i := range s.Events {
		b = message(b, 11, s.Events[i].append(nil))
	}
	b = varint(b, 12, uint64(s.DroppedEvents))
	b = message(b, 15, varint(text(nil, 2, s.StatusMessage), 3, uint64(s.StatusCode)))
	return protowire.AppendFixed32(protowire.AppendTag(b, 16, protowire.Fixed32Type), s.Flags)
}

func (e *Event) append(b []byte) []byte {
	b = fixed(b, 1, e.Time)
	b = text(b, 2, e.Name)
	return attributes(b, 3, e.Attributes)
}

func attributes(b []byte, field protowire.Number, list []KeyValue) []byte {
	for _, a := range list {
		b = message(b, field, message(text(nil, 1, a.Key), 2, anyValue(a.Value)))
	}
	return b
}

// anyValue is of a oneof: the value is there also when it is empty or 0.
func anyValue(value any) []byte {
	switch v := value.(type) {
	case string:
		return message(nil, 1, []byte(v))
	case int64:
		return protowire.AppendVarint(protowire.AppendTag(nil, 3, protowire.VarintType), uint64(v))
	case float64:
		return fixed(nil, 4, math.Float64bits(v))
	default:
		return nil
	}
}

func message(b []byte, field protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), value)
}

// binary, text and varint leave out empty values, as proto3 does.
func binary(b []byte, field protowire.Number, value []byte) []byte {
	if len(value) == 0 {
		return b
	}
	return message(b, field, value)
}

func text(b []byte, field protowire.Number, value string) []byte {
	if value == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), value)
}

func varint(b []byte, field protowire.Number, n uint64) []byte {
	if n == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
}

func fixed(b []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), n)
}

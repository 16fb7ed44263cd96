package export_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	collectortrace "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"mcptea/session/export/otlp/wire"
)

// The generated types of the protocol decode what is sent, with all its fields.

var (
	own = []wire.KeyValue{{Key: "text", Value: "tea"}, {Key: "empty", Value: ""}, {Key: "zero", Value: int64(0)}, {Key: "below", Value: int64(-1)}, {Key: "half", Value: 0.5}}
	// generated are own attributes in the types of the protocol.
	generated = []*common.KeyValue{
		{Key: "text", Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: "tea"}}},
		{Key: "empty", Value: &common.AnyValue{Value: &common.AnyValue_StringValue{}}},
		{Key: "zero", Value: &common.AnyValue{Value: &common.AnyValue_IntValue{}}},
		{Key: "below", Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: -1}}},
		{Key: "half", Value: &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: 0.5}}},
	}
	scope = &common.InstrumentationScope{Name: "mcptea", Version: "1"}
)

func TestTraces_Decoded(t *testing.T) {
	sent := wire.Traces(wire.Resource{Attributes: own}, wire.Scope{Name: "mcptea", Version: "1"}, "schema", []*wire.Span{{
		TraceID: []byte("trace"), SpanID: []byte("span"), ParentSpanID: []byte("parent"), TraceState: "a=1", Flags: wire.FlagHasIsRemote | wire.FlagIsRemote | 1,
		Name: "tools/call", Kind: wire.KindServer, Start: 1, End: 1 << 62, Attributes: own,
		Events: []wire.Event{{Time: 3, Name: "progress", Attributes: own}}, DroppedEvents: 5, StatusCode: wire.StatusError, StatusMessage: "no",
	}, {Kind: wire.KindClient}})
	compare(t, sent, &collectortrace.ExportTraceServiceRequest{}, &collectortrace.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: &resourcepb.Resource{Attributes: generated}, SchemaUrl: "schema",
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: scope, SchemaUrl: "schema", Spans: []*tracepb.Span{
			{
				TraceId: []byte("trace"), SpanId: []byte("span"), ParentSpanId: []byte("parent"), TraceState: "a=1", Flags: uint32(tracepb.SpanFlags_SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK|tracepb.SpanFlags_SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK) | 1,
				Name: "tools/call", Kind: tracepb.Span_SPAN_KIND_SERVER, StartTimeUnixNano: 1, EndTimeUnixNano: 1 << 62, Attributes: generated,
				Events:             []*tracepb.Span_Event{{TimeUnixNano: 3, Name: "progress", Attributes: generated}},
				DroppedEventsCount: 5, Status: &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: "no"},
			},
			{Kind: tracepb.Span_SPAN_KIND_CLIENT, Status: &tracepb.Status{}},
		}}},
	}}})
}

func compare(t *testing.T, sent []byte, got, want proto.Message) {
	t.Helper()
	if err := proto.Unmarshal(sent, got); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(got, want) {
		t.Error(cmp.Diff(prototext.Format(want), prototext.Format(got)))
	}
}

func TestRejected(t *testing.T) {
	response, err := proto.Marshal(&collectortrace.ExportTraceServiceResponse{PartialSuccess: &collectortrace.ExportTracePartialSuccess{RejectedSpans: 300, ErrorMessage: "too old"}})
	if err != nil {
		t.Fatal(err)
	}
	if count, why, err := wire.Rejected(response); count != 300 || why != "too old" || err != nil {
		t.Errorf("%d are rejected: %q, %v", count, why, err)
	}
	if count, why, err := wire.Rejected(nil); count != 0 || why != "" || err != nil {
		t.Errorf("%d are rejected: %q, %v", count, why, err)
	}
	if _, _, err := wire.Rejected(response[:len(response)-1]); err == nil {
		t.Error("a response that is cut off is taken")
	}
}

// A response is read as the generated types read it.
func FuzzRejected(f *testing.F) {
	f.Add([]byte("\x0a\x04\x08\x01\x12\x00"))
	f.Add([]byte("\x0a\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var want collectortrace.ExportTraceServiceResponse
		if proto.Unmarshal(b, &want) != nil {
			_, _, _ = wire.Rejected(b) // which may read less strictly
			return
		}
		count, why, err := wire.Rejected(b)
		if p := want.GetPartialSuccess(); err != nil || count != p.GetRejectedSpans() || why != p.GetErrorMessage() {
			t.Errorf("%d, %q, %v instead of %v", count, why, err, p)
		}
	})
}

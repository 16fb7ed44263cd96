package otlp

import (
	"math"
	"testing"
)

// The JSON encoding of OTLP: ids in hexadecimal, 64-bit integers as strings, an empty text and a zero
// stay values.
func TestTraces_JSON(t *testing.T) {
	all := []keyValue{attribute("text", "tea"), attribute("empty", ""), integer("zero", 0), float("half", 0.5), float("far", math.Inf(1))}
	got := string(traces(resourceOf{all[:1]}, scopeOf{"mcptea", "1"}, "schema", []*spanOf{{
		TraceID: id{0xAB, 1}, SpanID: id{2}, ParentSpanID: id{3}, TraceState: "a=1", Flags: flagHasIsRemote | 1, Name: "tools/call", Kind: kindServer,
		Start: 1, End: 1 << 62, Attributes: all, Events: []event{{3, "progress", all[:1]}}, DroppedEvents: 5, Status: status{statusError, "no"},
	}, {TraceID: id{1}, SpanID: id{2}, Name: "ping", Kind: kindClient}}))
	const want = `{"resourceSpans":[{"resource":{"attributes":[{"key":"text","value":{"stringValue":"tea"}}]},"scopeSpans":[{"scope":{"name":"mcptea","version":"1"},"spans":[` +
		`{"traceId":"ab01","spanId":"02","parentSpanId":"03","traceState":"a=1","flags":257,"name":"tools/call","kind":2,"startTimeUnixNano":"1","endTimeUnixNano":"4611686018427387904",` +
		`"attributes":[{"key":"text","value":{"stringValue":"tea"}},{"key":"empty","value":{"stringValue":""}},{"key":"zero","value":{"intValue":"0"}},{"key":"half","value":{"doubleValue":0.5}},{"key":"far","value":{"doubleValue":"Infinity"}}],` +
		`"events":[{"timeUnixNano":"3","name":"progress","attributes":[{"key":"text","value":{"stringValue":"tea"}}]}],"droppedEventsCount":5,"status":{"code":2,"message":"no"}},` +
		`{"traceId":"01","spanId":"02","flags":0,"name":"ping","kind":3,"startTimeUnixNano":"0","endTimeUnixNano":"0","status":{}}],"schemaUrl":"schema"}],"schemaUrl":"schema"}]}`
	if got != want {
		t.Errorf("sent is\n%s\nwant\n%s", got, want)
	}
}

func TestPartialSuccess(t *testing.T) {
	for _, row := range []struct {
		response, why string
		count         int64
		failed        bool
	}{
		{response: ""},
		{response: `{}`},
		{response: `{"partialSuccess":{"rejectedSpans":"300","errorMessage":"too old"}}`, count: 300, why: "too old"},
		{response: `{"partialSuccess":{"rejectedSpans":3}}`, count: 3},
		{response: `{"partialSuccess":{"errorMessage":"slow down"}}`, why: "slow down"},
		{response: `{"partialSuccess":`, failed: true},
		{response: `{"partialSuccess":{"rejectedSpans":"many"}}`, failed: true},
	} {
		if count, why, err := partialSuccess([]byte(row.response)); count != row.count || why != row.why || (err != nil) != row.failed {
			t.Errorf("%s: %d are rejected, %q, %v", row.response, count, why, err)
		}
	}
}

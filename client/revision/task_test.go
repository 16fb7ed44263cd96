package revision_test

import (
	"testing"
	"time"

	"mcptea/client/revision"
)

func TestDecodeTask_BothDesigns(t *testing.T) {
	for raw, want := range map[string]revision.Task{
		`{"taskId":"t","status":"working","ttl":null,"pollInterval":500}`:       {ID: "t", Status: revision.TaskWorking, TTL: revision.Forever, Poll: 500 * time.Millisecond},
		`{"taskId":"t","status":"completed","ttlMs":60000,"pollIntervalMs":-1}`: {ID: "t", Status: revision.TaskCompleted, TTL: time.Minute},
		`{"taskId":7,"status":"odd","ttlMs":1e300,"createdAt":"yesterday"}`:     {Status: "odd", TTL: 100 * 365 * 24 * time.Hour},
		`{"taskId":"t","status":"failed","createdAt":"2026-07-28T00:00:00Z"}`:   {ID: "t", Status: revision.TaskFailed},
	} {
		got := revision.DecodeTask([]byte(raw))
		if got.ID != want.ID || got.Status != want.Status || got.Poll != want.Poll {
			t.Errorf("%s: %+v, want %+v", raw, got, want)
		}
		if got.TTL != want.TTL {
			t.Errorf("%s: TTL %v, want %v", raw, got.TTL, want.TTL)
		}
	}
}

func TestTask_RequestsWithoutSent(t *testing.T) {
	task := revision.DecodeTask([]byte(`{"taskId":"t","status":"input_required","inputRequests":{"a":{"x":1},"b \"q\"":2,"c":3}}`))
	requests, keys := task.Requests(map[string]bool{"a": true})
	if string(requests) != `{"b \"q\"":2,"c":3}` || len(keys) != 2 {
		t.Errorf("requests %s, keys %q", requests, keys)
	}
	if requests, keys = task.Requests(map[string]bool{"a": true, `b "q"`: true, "c": true}); requests != nil || keys != nil {
		t.Errorf("requests %s, keys %q, want none", requests, keys)
	}
}

func TestRevision_CreatedTask(t *testing.T) {
	const flat, nested = `{"resultType":"task","taskId":"t"}`, `{"task":{"taskId":"t"}}`
	for _, tt := range []struct {
		r            revision.Revision
		result, want string
	}{
		{revision.R20260728, flat, flat},
		{revision.R20260728, `{"resultType":"task","task":{"taskId":"t"}}`, `{"taskId":"t"}`}, // does not conform
		{revision.R20260728, nested, ""},
		{revision.R20251125, nested, `{"taskId":"t"}`},
		{revision.R20251125, `{"task":{"taskId":"t"},"content":[]}`, ""},
		{revision.R20251125, `{"task":"t"}`, ""},
		{revision.R20250618, nested, ""},
	} {
		if got := string(revision.CreatedTask(tt.r, []byte(tt.result))); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.r, tt.result, got, tt.want)
		}
	}
}

package client

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

func TestReadTask(t *testing.T) {
	tests := []struct {
		raw       string
		ttl, poll time.Duration
		wrong     string
	}{
		{`{"taskId":"a","status":"working","ttl":60000,"pollInterval":500}`, time.Minute, 500 * time.Millisecond, ""},
		{`{"taskId":"a","status":"working","ttlMs":1.5e3,"pollIntervalMs":250}`, 1500 * time.Millisecond, 250 * time.Millisecond, ""},
		{`{"taskId":"a","status":"working","ttl":null}`, Forever, 0, ""},
		{`{"taskId":"a","status":"working","ttl":-1,"pollInterval":"soon"}`, 0, 0, ""},
		{`{"taskId":"a","status":"working","ttl":1e300}`, noLimit, 0, ""},
		{`{"status":"working"}`, 0, 0, `no "taskId"`},
		{`{"taskId":"a"}`, 0, 0, `no "status"`},
		{`[]`, 0, 0, `no "taskId"`},
	}
	for _, tt := range tests {
		got, err := ReadTask([]byte(tt.raw))
		if got.TTL != tt.ttl || got.Poll != tt.poll {
			t.Errorf("%s: ttl %v, poll %v", tt.raw, got.TTL, got.Poll)
		}
		if (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%s: %v", tt.raw, err)
		}
	}
	at, _ := ReadTask([]byte(`{"taskId":"a","status":"working","createdAt":"2026-08-01T10:22:01.334Z","lastUpdatedAt":"never"}`))
	if !at.Updated.IsZero() {
		t.Errorf("updated %v", at.Updated)
	}
}

// What a task has in it becomes the answer to the call, byte for byte.
func TestTaskOutcome(t *testing.T) {
	read := func(frame string) (Response, error) {
		b := []byte(frame)
		task, err := ReadTask(jsonrpc.Scan(b).Result.Of(b))
		if err != nil {
			t.Fatal(err)
		}
		return TaskOutcome(task, b)
	}
	a, err := read(`{"jsonrpc":"2.0","id":7,"result":{"taskId":"a","status":"completed","result":{"content": [ ]}}}`)
	if err != nil || string(a.Result()) != `{"content": [ ]}` || a.Err() != nil {
		t.Errorf("%s, %v", a.Result(), err)
	}
	a, err = read(`{"jsonrpc":"2.0","id":7,"result":{"taskId":"a","status":"failed","error":{"code":-32603,"message":"boom","data":1}}}`)
	var rpc *RPCError
	if err != nil || a.Result() != nil || !errors.As(a.Err(), &rpc) || !rpc.Code.Is(-32603) || rpc.Message != "boom" || string(rpc.Data) != "1" {
		t.Errorf("%v, %v", a.Err(), err)
	}
	if _, err = read(`{"jsonrpc":"2.0","id":7,"result":{"taskId":"a","status":"cancelled"}}`); !errors.Is(err, ErrTaskCancelled) {
		t.Error(err)
	}
	var lost *TaskError
	for _, status := range []string{"completed", "failed"} {
		if _, err = read(`{"jsonrpc":"2.0","id":7,"result":{"taskId":"a","status":"` + status + `"}}`); !errors.As(err, &lost) {
			t.Errorf("%s: %v", status, err)
		}
	}
}

func TestTask_RequestsOnce(t *testing.T) {
	task := Task{Raw: []byte(`{"inputRequests":{"a":{"method":"x"},"b":{"method":"y"}}}`)}
	if requests, keys := task.Requests(map[string]bool{"a": true}); string(requests) != `{"b":{"method":"y"}}` || len(keys) != 1 {
		t.Errorf("%s %v", requests, keys)
	}
	if requests, _ := task.Requests(map[string]bool{"a": true, "b": true}); requests != nil {
		t.Errorf("%s", requests)
	}
}

func TestCreatedTask(t *testing.T) {
	frame := func(result string) Response {
		b := []byte(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`)
		return Response{Frame: b, Envelope: jsonrpc.Scan(b)}
	}
	const flat, nested = `{"resultType":"task","taskId":"a","status":"working"}`, `{"task":{"taskId":"a","status":"working"}}`
	tests := []struct {
		revision       revision.Revision
		tasks          bool
		method, result string
		created        bool
	}{
		{revision.R20251125, true, "tools/call", nested, true},
		{revision.R20251125, true, "tools/call", `{"content":[],"task":{"taskId":"a"}}`, false},
		{revision.R20251125, true, "prompts/get", nested, false},
		{revision.R20251125, true, "tools/call", flat, false},
		{revision.R20250618, true, "tools/call", nested, false},
		{revision.R20260728, true, "tools/call", flat, true},
		{revision.R20260728, true, "tools/call", `{"resultType":"task","task":{"taskId":"a","status":"working"}}`, true},
		{revision.R20260728, false, "tools/call", flat, false},
		{revision.R20260728, true, "tools/call", nested, false},
		{revision.R20260728, true, "tools/call", `{"resultType":"complete","content":[]}`, false},
	}
	for _, tt := range tests {
		c := newClient(nil, Config{Tasks: tt.tasks})
		c.state.handshake.Revision = tt.revision
		c.update(func(s *state) { s.stateless = tt.revision.IsStateless() })
		task, created, err := c.CreatedTask(tt.method, frame(tt.result))
		if created != tt.created || err != nil || created && task.ID != "a" {
			t.Errorf("%s %s %s: %v %+v %v", tt.revision, tt.method, tt.result, created, task, err)
		}
	}
}

func TestTaskUse(t *testing.T) {
	const core, extension = `{"tasks":{"requests":{"tools":{"call":{}}}}}`, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	tests := []struct {
		revision   revision.Revision
		caps, tool string
		want       TaskUse
	}{
		{revision.R20251125, core, `{"execution":{"taskSupport":"optional"}}`, TaskOptional},
		{revision.R20251125, core, `{"execution":{"taskSupport":"required"}}`, TaskRequired},
		{revision.R20251125, core, `{"execution":{"taskSupport":"forbidden"}}`, TaskNever},
		{revision.R20251125, core, `{}`, TaskNever},
		{revision.R20251125, `{"tasks":{}}`, `{"execution":{"taskSupport":"required"}}`, TaskNever},
		{revision.R20250618, core, `{"execution":{"taskSupport":"required"}}`, TaskNever},
		{revision.R20260728, extension, `{}`, TaskByChoice},
		{revision.R20260728, core, `{}`, TaskNever},
	}
	for _, tt := range tests {
		h := Handshake{Revision: tt.revision, ServerCaps: []byte(tt.caps)}
		if got := h.TaskUse([]byte(tt.tool)); got != tt.want {
			t.Errorf("%s %s %s: %d, want %d", tt.revision, tt.caps, tt.tool, got, tt.want)
		}
	}
}

func TestAsTask(t *testing.T) {
	for params, want := range map[string]string{
		``:                 `{"task":{"ttl":60000}}`,
		`{"name":"x"}`:     `{"task":{"ttl":60000},"name":"x"}`,
		`{"task":{"a":1}}`: `{"task":{"a":1}}`,
	} {
		if got := AsTask([]byte(params), time.Minute); string(got) != want {
			t.Errorf("%s: %s", params, got)
		}
	}
	if got := AsTask(nil, 0); string(got) != `{"task":{}}` {
		t.Errorf("%s", got)
	}
}

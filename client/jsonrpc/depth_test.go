package jsonrpc_test

import (
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
)

// nested returns an array with so many levels.
func nested(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }

func TestScan_Depth(t *testing.T) {
	const limit = jsonrpc.MaxDepth
	for _, tt := range []struct {
		name, frame string
		kind        jsonrpc.Kind
		fault       jsonrpc.Fault
		opaque      string // members of which nothing is found
	}{
		{"result at the limit", `{"jsonrpc":"2.0","id":1,"result":` + nested(limit-1) + `}`, jsonrpc.Response, 0, ""},
		{"result", `{"jsonrpc":"2.0","id":1,"result":` + nested(limit) + `}`, jsonrpc.Response, 0, "result"},
		{"result before the id", `{"result":{"v":` + nested(9*limit) + `},"jsonrpc":"2.0","id":1}`, jsonrpc.Response, 0, "result"},
		{"very deep", `{"result":` + nested(100*limit) + `,"jsonrpc":"2.0","id":1}`, jsonrpc.Response, 0, "result"},
		{"error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","data":` + nested(limit) + `}}`, jsonrpc.ErrorResponse, 0, "error"},
		{"params", `{"jsonrpc":"2.0","id":1,"method":"m","params":` + nested(limit) + `}`, jsonrpc.Request, 0, "params"},
		{"params of a notification", `{"jsonrpc":"2.0","params":` + nested(limit) + `,"method":"m"}`, jsonrpc.Notification, 0, "params"},
		{"extra member", `{"jsonrpc":"2.0","id":1,"extra":` + nested(limit) + `,"result":{}}`, jsonrpc.Response, 0, ""},
		{"two members", `{"jsonrpc":"2.0","id":1,"method":"m","extra":` + nested(limit) + `,"params":` + nested(limit) + `}`, jsonrpc.Request, 0, "params"},
		{"id", `{"jsonrpc":"2.0","id":` + nested(limit) + `,"result":{}}`, jsonrpc.Invalid, jsonrpc.FaultTooDeep, "id"},
		{"batch", nested(limit + 1), jsonrpc.Invalid, jsonrpc.FaultTooDeep, ""},
		{"no end", strings.Repeat("[", 2*limit), jsonrpc.Invalid, jsonrpc.FaultNotJSON, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			frame := []byte(tt.frame)
			e := jsonrpc.Scan(frame)
			if e.Kind != tt.kind || e.Fault != tt.fault {
				t.Fatalf("the frame is %s, %q", e.Kind, e.Fault)
			}
			isDeep := tt.name != "result at the limit"
			if got := e.Flaws&jsonrpc.FlawTooDeep != 0; got != isDeep && e.Fault != jsonrpc.FaultNotJSON {
				t.Errorf("a flaw: %v", got)
			}
			if jsonrpc.Valid(frame) == isDeep {
				t.Errorf("Valid is %v", isDeep)
			}
			if isDeep && e.ReadFault() == jsonrpc.FaultNone {
				t.Error("its values can be read")
			}
			for name, present := range map[string]bool{"params": e.Params.Present(), "result": e.Result.Present(), "error": e.Error.Present()} {
				if want := strings.Contains(tt.frame, `"`+name+`":`) && tt.opaque != name; present != want {
					t.Errorf("%s is found: %v", name, present)
				}
			}
			if want := strings.Contains(tt.frame, `"id":1`); e.ID.Present() != want {
				t.Errorf("the id is found: %v", !want)
			}
		})
	}
}

func TestInvalidReason_SaysTooDeep(t *testing.T) {
	const limit = jsonrpc.MaxDepth
	for _, tt := range []struct{ value, want string }{
		{nested(limit), ""},
		{nested(limit + 1), "nested deeper than 1,000 levels"},
		{`{"x":` + nested(limit-1) + `}`, ""},
		{`{"x":` + nested(limit) + `}`, "nested deeper than 1,000 levels"},
		{`{"method":"m","id":1,"params":` + nested(limit) + `}`, "nested deeper than 1,000 levels"},
		{strings.Repeat("[", 2*limit), "not valid JSON"},
		{nested(limit+1) + "]", "not valid JSON"},
		{"\ufeff{}", "not valid JSON"},
		{"\"\xff\"", "not valid JSON"},
		{" ", "not valid JSON"},
		{"1", ""},
	} {
		if got := jsonrpc.InvalidReason([]byte(tt.value)); got != tt.want || jsonrpc.Valid([]byte(tt.value)) != (got == "") {
			t.Errorf("%.40q is %q, want %q", tt.value, got, tt.want)
		}
	}
}

// Nothing that goes through a value level by level goes deeper than the limit.
func TestMembers_Depth(t *testing.T) {
	frame := []byte(`{"result":{"v":` + nested(jsonrpc.MaxDepth) + `},"id":1}`)
	for name := range jsonrpc.Members(frame) {
		t.Errorf("the member %s is found", name)
	}
	for range jsonrpc.Elements([]byte(nested(jsonrpc.MaxDepth + 2))) {
		t.Error("an element is found")
	}
	if _, ok := jsonrpc.Indent(frame); ok {
		t.Error("it is indented")
	}
	if _, ok := jsonrpc.Hash(frame); ok {
		t.Error("it has a hash")
	}
}

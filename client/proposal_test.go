package client

import "testing"

func TestPropose(t *testing.T) {
	for _, tc := range []struct{ params, part, text string }{
		{`{"name":"drop"}`, "arguments", ""},
		{`{"name":"drop","arguments":{"a":1,"a":2}}`, "arguments", `{"a":1,"a":2}`},
		{`{"name":"drop","arguments":{},"_meta":{"progressToken":1,"io.modelcontextprotocol/clientInfo":{}}}`, "arguments", `{}`},
		{`{"name":"drop","_meta":null}`, "arguments", ""},
		{`{"name":"drop","_meta":{"force":true}}`, "params", `{"name":"drop","_meta":{"force":true}}`},
		{`{"name":"drop","_meta":"x"}`, "params", `{"name":"drop","_meta":"x"}`},
		{`{"name":"drop","task":{}}`, "params", `{"name":"drop","task":{}}`},
		{`{"name":"look","name":"drop"}`, "", ""},
		{`{"name":"look","Name":"drop"}`, "", ""},
		{`{"name":"look","n\u0061me":"drop"}`, "", ""},
		{`{"name":"drop","ARGUMENTS":{}}`, "", ""},
		{`{"name":"drop","arguments":{},"argument` + "\u017f" + `":{}}`, "", ""}, // a long s
	} {
		p, err := Propose("tools/call", []byte(tc.params))
		if (err == nil) != (tc.part != "") || p.Part != tc.part || p.Text != tc.text || err == nil && p.Calls != "drop" {
			t.Errorf("%s: %+v %v", tc.params, p, err)
		}
	}
	if p, err := Propose("tools/call", []byte(`{"name":7}`)); err != nil || p != (Proposal{"tools/call", "params", `{"name":7}`}) {
		t.Errorf("%+v %v", p, err)
	}
	if p, err := Propose("x/y", []byte(`{"name":1,"Name":2}`)); err != nil || p != (Proposal{"x/y", "params", `{"name":1,"Name":2}`}) {
		t.Errorf("%+v %v", p, err)
	}
}

package flow

import (
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
)

// What a request is about is the same whether it was looked for ahead or not, however its
// params are written.
func TestLookAhead_SaysTheSame(t *testing.T) {
	for _, params := range []string{
		`{"name":"echo","arguments":{"name":"other"}}`, `{"arguments":{"name":"other"},"name":"echo"}`, `{ "name":"echo"}`, `{"name": "echo"}`,
		`{"name":"echo","name":"twice"}`, `{"name":"echo","n\u0061me":"twice"}`, `{"name":"\u0065cho"}`, `{"name":"écho"}`, `{"name":""}`, `{"name":5}`,
		`{"uri":"test://a"}`, `{"name":"echo","uri":"test://a"}`, `{"uri":"test://a","name":"echo"}`, `{}`, `[]`, `["name"]`, `{"name":{"name":"echo"}}`,
		`{"name":"echo","_meta":{"progressToken":1}}`,
	} {
		frame := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`)
		e := record.Event{Frame: transport.Frame{Bytes: frame, Envelope: jsonrpc.Scan(frame)}}
		subject, token := RequestParams(e.Frame.Envelope.Params.Of(frame))
		ahead := Ahead(LookAhead(&e))
		if name, ok := ahead.name(frame); ok && (string(name) != subject || token != nil) {
			t.Errorf("%s: ahead it is about %q, else about %q", params, name, subject)
		}
	}
}

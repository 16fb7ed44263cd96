package export

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"mcptea/client/transport"
)

// A value that a frame names as a secret is redacted in the frames before it, too, in each format, and also if only the
// earlier frames are exported.
func TestWrite_SecretNamedLater(t *testing.T) {
	const value = "hunterSecretValue77"
	r := newRecording("stdio", "node server.js")
	r.handshake()
	r.frame(out, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"make","arguments":{"hint":"`+value+`"}}}`)
	r.frame(in, `{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"use `+value+` now"}]}}`)
	r.frame(out, `{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"login","arguments":{"password":"`+value+`"}}}`)
	r.frame(in, `{"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"welcome"}]}}`)
	fromFile, err := FromFile(t.Context(), r.file(t))
	if err != nil {
		t.Fatal(err)
	}
	for kind, src := range map[string]Source{"recording": r.source(t), "file": fromFile} {
		for _, f := range Formats() {
			for _, dir := range []transport.Direction{out, in} {
				for _, rows := range []func(int32) bool{nil, func(row int32) bool { return row < 5 }} {
					var b bytes.Buffer
					err := Write(t.Context(), &b, f, src, Options{Dir: dir, Rows: rows, Redactor: NewRedactor()})
					if err != nil && err != errOverStdio && !strings.HasPrefix(f.Name, "types-") { // there is no list of tools
						t.Fatalf("%s: %v", f.Name, err)
					}
					if i := strings.Index(b.String(), value); i >= 0 {
						t.Errorf("%s of a %s has the secret: …%s", f.Name, kind, b.String()[max(0, i-60):min(b.Len(), i+40)])
					}
				}
			}
		}
		for e, err := range Events(t.Context(), src, Options{Redactor: NewRedactor()}) {
			if err != nil || bytes.Contains(e.Frame.Bytes, []byte(value)) {
				t.Errorf("%v, %s", err, e.Frame.Bytes)
			}
		}
	}
}

// The secrets that the client sent stay redacted however many values a server names as secrets.
func TestWrite_SecretsOfTheServerDisplaceNone(t *testing.T) {
	const value = "hunterSecretValue77"
	r := newRecording("stdio", "node server.js")
	r.handshake()
	r.frame(out, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"login","arguments":{"password":"`+value+`"}}}`)
	var fakes []string
	for i := range 300 {
		fakes = append(fakes, fmt.Sprintf(`{"token":"fakeValue%dabc"}`, i))
	}
	r.frame(in, `{"jsonrpc":"2.0","id":5,"result":{"structuredContent":{"list":[`+strings.Join(fakes, ",")+`]},"content":[]}}`)
	r.frame(out, `{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo","arguments":{}}}`)
	r.frame(in, `{"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"got `+value+` from you"}]}}`)
	for _, f := range Formats() {
		var b bytes.Buffer
		err := Write(t.Context(), &b, f, r.source(t), Options{Redactor: NewRedactor()})
		if err != nil && err != errOverStdio && !strings.HasPrefix(f.Name, "types-") { // there is no list of tools
			t.Fatalf("%s: %v", f.Name, err)
		}
		if strings.Contains(b.String(), value) {
			t.Errorf("%s has the secret", f.Name)
		}
	}
}

package store_test

import (
	"testing"
	"time"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
)

// BenchmarkLine records lines of stderr, as a flood has them, with secrets that are redacted; the baseline has none.
func BenchmarkLine(b *testing.B) {
	for name, text := range map[string]string{
		"text": "2026-01-01T00:00:00Z INFO  Server listening on http://localhost:3000/mcp (pid 4711)",
		"JSON": `{"level":"info","msg":"GET \"/mcp\" 200","path":"C:\\srv\\mcp","took":"4.3ms"}`,
	} {
		for _, kind := range []string{"baseline", "secrets"} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				o := store.Options{}
				if kind == "secrets" {
					o.Secrets = new(secret.Values)
					o.Secrets.Add("ghp_abcdefghij0123456789abcd", "hunter2-Zq9xPw77", "sk-live-0123456789abcdef", "postgres://user:word@host/db")
				}
				s, err := store.Create(o, record.Header{})
				if err != nil {
					b.Fatal(err)
				}
				defer func() { _ = s.Close() }()
				var lines secret.Lines
				b.ReportAllocs()
				for b.Loop() {
					s.Line(transport.Line{Time: time.Unix(1, 0), Text: lines.Redact(o.Secrets, text)})
				}
			})
		}
	}
}

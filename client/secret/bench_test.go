package secret

import (
	"strings"
	"testing"
)

// BenchmarkValues looks for the secrets of an ordinary target in lines of stderr. The baseline is one
// search of the text for each unchanged value.
func BenchmarkValues(b *testing.B) {
	values := []string{"ghp_abcdefghij0123456789abcd", "hunter2-Zq9xPw77", "sk-live-0123456789abcdef", "postgres://user:word@host/db"}
	var v Values
	v.Add(values...)
	for name, text := range map[string]string{
		"line":    "2026-01-01T00:00:00Z INFO  Server listening on http://localhost:3000/mcp (pid 4711)",
		"JSON":    `{"level":"info","msg":"GET \"/mcp\" 200","path":"C:\\srv\\mcp","took":"4.3ms"}`,
		"percent": "GET /mcp?q=a%20b%2Fc HTTP/1.1 200 " + strings.Repeat("x", 40),
		"64 kB":   strings.Repeat("the quick brown fox jumps over the lazy dog ", 64<<10/44),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				v.Redact(text)
			}
		})
		b.Run(name+"/baseline", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				for _, value := range values {
					strings.Contains(text, value)
				}
			}
		})
	}
	b.Run("new set", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v Values
			v.Add(values...)
			v.Redact("a text of some length")
		}
	})
}

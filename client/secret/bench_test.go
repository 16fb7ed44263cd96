package secret

import (
	"strings"
	"testing"
)

// BenchmarkText looks through an ordinary line of stderr, and through 64 kB of
// what each pattern has to look at closely.
func BenchmarkText(b *testing.B) {
	for name, text := range map[string]string{
		"line":  "2026-01-01T00:00:00Z INFO  Server listening on http://localhost:3000/mcp (pid 4711)",
		"prose": strings.Repeat("the quick brown fox jumps over the lazy dog ", 64<<10/44),
		"dense": strings.Repeat(`a-b: "c"=d --e f `, 64<<10/17),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Text(text)
			}
		})
	}
}

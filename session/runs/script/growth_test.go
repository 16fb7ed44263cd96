package script

import (
	"os"
	"testing"

	"mcptea/internal/test/growth"
	"mcptea/internal/test/raced"
)

// What is expected is compared with a result, and joined with it, in time that grows with both.
func TestMatch_Growth(t *testing.T) {
	raced.Never(t, "measures memory")
	all := os.Getenv("MCPTEA_E2E") == "1"
	for _, s := range growth.Shapes {
		if !all && !s.Usual && s.Name != "same key" {
			continue
		}
		growth.Check(t, s, func(p growth.Peer) map[string]growth.Cost {
			want, got := []byte(p.Value), []byte(`{"other":`+p.Value+`}`)
			return map[string]growth.Cost{
				"match":       growth.Of(func() { match(want, want) }),
				"shown":       growth.Of(func() { merged([]byte(`[1,`+p.Value+`]`), []byte(`[2,`+p.Value+`]`), true) }),
				"expected":    growth.Of(func() { merged([]byte(`[1,`+p.Value+`]`), []byte(`[2,`+p.Value+`]`), false) }),
				"other value": growth.Of(func() { merged(want, got, true) }),
			}
		})
	}
}

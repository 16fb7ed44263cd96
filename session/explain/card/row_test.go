package card

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client/revision"
	"mcptea/record/store"
)

// An error that mcptea has written for the server has no card: the usual causes are those of a peer.
func TestOfRow_ErrorOfAPeerOnly(t *testing.T) {
	const failure = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"down"}}`
	for side, want := range map[string]bool{``: true, `"side":"injected",`: false} {
		path := filepath.Join(t.TempDir(), "r.mcptea.jsonl")
		text := `{"mcptea":2,"t":1780000000000000000,"tool":"mcptea"}
{"s":1,"t":1780000000000000000,"k":"out","id":1,"m":"ping","n":40,"msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}
{"s":2,"t":1780000000000000001,"k":"in",` + side + `"id":1,"e":-32603,"n":65,"msg":` + failure + `}
`
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(path)
		if err == nil {
			err = s.Load(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		c, wrong, ok := OfRow(s, revision.R20251125, 1, false)
		if ok != want || wrong != want || want && !strings.Contains(c.Meanings[0].Cause, "An exception") {
			t.Errorf("%q: a card %t, wrong %t: %+v", side, ok, wrong, c)
		}
		_ = s.Close()
	}
}

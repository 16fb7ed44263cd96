package pane_test

import (
	"strings"
	"testing"
)

// A response is drawn under its request only when that is the row above.
func TestTraffic_Branch_OnlyUnderItsOwnRequest(t *testing.T) {
	b := newTrafficBench(t)
	b.out(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`)
	b.out(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"quick"}}`)
	b.in(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"one"}]}}`)
	b.in(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"two"}]}}`)
	b.in(`{"jsonrpc":"2.0","id":77,"result":{"content":[{"type":"text","text":"three"}]}}`)
	screen := b.screen(120, 12)
	b.sees(screen, `↳ #1 ok "one"`, `↳ #2 ok "two"`, `77    ok "three"`)
	if strings.Contains(screen, "└") {
		t.Errorf("a response hangs under another request:\n%s", screen)
	}
}

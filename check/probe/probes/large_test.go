package probes_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/test/sessiontest"
)

// A list of some megabytes is requested a few times, where a small one is requested fifty and a hundred times
// at once: all responses would be kept.
func TestProbe_LargeListIsRequestedAFewTimes(t *testing.T) {
	for size, bounds := range map[int][2]int32{100: {100, 300}, 2 << 20: {2, 30}} {
		synctest.Test(t, func(t *testing.T) {
			var lists atomic.Int32
			connect := sessiontest.Dial(sessiontest.Scripted(func(method, id string) string {
				result := "{}"
				switch method {
				case "initialize":
					result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
				case "tools/list":
					lists.Add(1)
					result = `{"tools":[{"name":"a","description":"` + strings.Repeat("x", size) + `","inputSchema":{"type":"object"}}]}`
				}
				if strings.HasPrefix(method, "notifications/") {
					return ""
				}
				return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
			}))
			_, err := probes.Run(context.Background(), probe.Config{
				Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Seed: 1, MaxTime: time.Hour, Only: []string{"P-040", "P-107"},
				Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
			}, nil)
			if n := lists.Load(); err != nil || n < bounds[0] || n > bounds[1] {
				t.Errorf("a list of %d bytes is requested %d times, %v", size, n, err)
			}
		})
	}
}

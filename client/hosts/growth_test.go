package hosts

import (
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mcptea/internal/test/growth"
	"mcptea/internal/test/raced"
)

// TestGrowth_Files gives each host a file with odd values wherever it looks for one: twice the bytes lead to
// about twice the memory and time.
func TestGrowth_Files(t *testing.T) {
	raced.Never(t, "measures memory")
	read := map[string]bool{} // hosts that have read a file
	for _, s := range growth.Shapes {
		if !s.Usual && os.Getenv("MCPTEA_E2E") != "1" {
			continue
		}
		growth.Check(t, s, func(p growth.Peer) map[string]growth.Cost {
			entry := `{"a":{"command":"c","args":["x"],"env":{"E":"e"},"x":` + p.Value + `}}`
			text := []byte(`{"mcpServers":` + entry + `,"servers":` + entry + `,"mcp":{"servers":` + entry + `},"context_servers":` + entry + `,"x":` + p.Value + `}`)
			costs := map[string]growth.Cost{}
			for _, id := range IDs() {
				m := home(t, nil)
				m.Read = func(path string, _ int64) ([]byte, fs.FileMode, error) {
					read[id] = true
					if strings.HasSuffix(path, ".toml") {
						return []byte("[mcp_servers.a]\ncommand = \"c\"\nx = " + p.Value + "\n"), 0o600, nil
					}
					return text, 0o600, nil
				}
				m.Exists = func(string) bool { return true }
				costs[id] = growth.Of(func() {
					if _, err := Discover(t.Context(), m, id); err != nil {
						t.Error(err)
					}
				})
			}
			return costs
		})
	}
	for _, h := range allHosts() {
		here := slices.ContainsFunc(h.files, func(l location) bool { return l.on(runtime.GOOS) })
		if here && !read[h.ID] {
			t.Errorf("%s has read no file", h.ID)
		}
	}
}

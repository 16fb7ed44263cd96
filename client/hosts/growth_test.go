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

// maxLevels and maxValues are below what [syntax.Parse] reads: of a file beyond, nothing is examined.
const maxLevels, maxValues = 190, 300_000

// fileWith returns a file with a value at each place where hosts read one, with the servers below some keys.
func fileWith(p growth.Peer, keys []string) string {
	servers := strings.ReplaceAll(`{"a":{"command":"c","args":["x"],"env":{"E":"e"},"x":@},"b":{"command":@,"args":@,"env":@,"cwd":@},"c":{"url":@,"headers":@,"type":@}}`, "@", p.Value)
	for _, key := range slices.Backward(keys) {
		servers = `{"` + key + `":` + servers + `}`
	}
	return strings.TrimSuffix(servers, "}") + `,"x":` + p.Value + "}"
}

// sizeOf returns the largest size with which a shape is read: of cheap code, only a large value shows the square in
// its time.
func sizeOf(s growth.Shape, maxValues int) int {
	size := 4 * growth.Size
	for {
		isMark := func(c rune) bool { return strings.ContainsRune(",[{", c) }
		if len(strings.FieldsFunc(fileWith(growth.PeerOf(s, 2*size), nil), isMark)) < maxValues {
			return size
		}
		size /= 2
	}
}

// TestGrowth_Files gives each host a file with odd values wherever it looks for one: twice the bytes lead to
// about twice the memory and time. By default each shape is tried on two or three hosts.
func TestGrowth_Files(t *testing.T) {
	raced.Never(t, "measures memory")
	every := 16
	if os.Getenv("MCPTEA_E2E") == "1" {
		every = 1
	}
	read := map[string]bool{} // hosts that have read a file
	for i, s := range growth.ShapesTo(maxLevels) {
		values := maxValues
		if every > 1 && s.Name != "many keys" { // a search for each key is cheap
			values /= 4
		}
		growth.CheckFrom(t, s, sizeOf(s, values), func(p growth.Peer) map[string]growth.Cost {
			costs := map[string]growth.Cost{}
			for k, h := range allHosts() {
				if s.Name != "open placeholders" && k%every != i%every { // few hosts expand references, each in its own way
					continue
				}
				id, text := h.ID, ""
				if roots := h.files[0].Roots; len(roots) > 0 {
					text = fileWith(p, roots[0])
				} else {
					text = fileWith(p, nil)
				}
				m := home(t, nil)
				m.Read = func(path string, _ int64) ([]byte, fs.FileMode, error) {
					read[id] = true
					if strings.HasSuffix(path, ".toml") {
						return []byte("[mcp_servers.a]\ncommand = \"c\"\nx = " + p.Value + "\n"), 0o600, nil
					}
					return []byte(text), 0o600, nil
				}
				m.Exists = func(string) bool { return true }
				costs[id] = growth.Of(func() {
					found, err := Discover(t.Context(), m, id)
					if err != nil {
						t.Error(err)
					}
					for _, problem := range found.Problems {
						if s.Name != "opaque" && (problem.ID == "F001" || problem.ID == "F003" && strings.HasSuffix(problem.File, ".json")) {
							t.Errorf("%s: %q is not read: %s", id, s.Name, problem.Message)
						}
					}
				})
			}
			return costs
		})
	}
	for _, h := range allHosts() {
		here := slices.ContainsFunc(h.files, func(l location) bool { return l.existsOn(runtime.GOOS) })
		if here && !read[h.ID] {
			t.Errorf("%s has read no file", h.ID)
		}
	}
}

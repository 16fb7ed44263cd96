package hosts

import (
	"strings"
	"testing"
)

// mcptea starts the servers of what was pasted, and of a file that was named, in its working
// directory: a relative path is a path there.
func TestReadPasted_RelativePath(t *testing.T) {
	m := &Machine{
		OS: "linux", Home: "/home/u", Dir: "/work",
		LookupEnv: func(string) (string, bool) { return "", false },
		Exists:    func(path string) bool { return path == "/work/here.js" },
		Names:     func(string) []string { return nil },
		LookPath:  func(name string) (string, bool) { return "/usr/bin/" + name, true },
		Tracked:   func(string) bool { return false },
		Trusted:   func(string, string) bool { return false },
	}
	for text, want := range map[string]string{
		`{"command":"node","args":["here.js"]}`:                    "",
		`{"command":"node","args":["gone.js"]}`:                    `F046 "/work/gone.js" does not exist`,
		`{"command":"node","args":["here.js"],"cwd":"/elsewhere"}`: `F046 "/elsewhere/here.js" does not exist`,
	} {
		var found []string
		for _, s := range ReadPasted(m, text).Servers {
			for _, p := range s.Problems {
				found = append(found, p.ID+" "+p.Message)
			}
		}
		if got := strings.Join(found, "\n"); got != want && !(want != "" && strings.HasPrefix(got, want)) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

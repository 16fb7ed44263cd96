package cli

import (
	"encoding/json"
	"net"
	"regexp"
	"strings"
	"testing"
)

// failureFaces are the commands that connect, and so say why they cannot: each with the words before the target.
var failureFaces = []string{"info", "info --json", "list --json", "call echo", "send ping", "bench echo --requests 1", "check", "listen", "read x:y", "prompt p"}

// took matches what differs from run to run.
var took = regexp.MustCompile(`\d+(\.\d+)? (µs|ms|s)\b|pid \d+`)

// TestFaces_Failure asks each command why it cannot connect: the same failure has the same sentence, cause and remedy.
func TestFaces_Failure(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	for name, target := range map[string][]string{
		"a missing command": {"--", "no-such-command-of-mcptea"},
		"a refused address": {"http://" + closed.Addr().String() + "/mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			want := ""
			for _, face := range failureFaces {
				stdout, stderr, code := called(t, append(append(strings.Fields(face), "--timeout", "20s"), target...)...)
				got := took.ReplaceAllString(saidOf(t, stdout, stderr), "TIME")
				switch {
				case code == 0 || got == "":
					t.Errorf("%s: exit code %d: %s", face, code, stderr)
				case want == "":
					want = got
				case got != want:
					t.Errorf("%s says\n%s\nwhile %s says\n%s", face, got, failureFaces[0], want)
				}
			}
		})
	}
}

// saidOf returns the sentence, the cause and the remedy of a failure: those of the text, or of the document of info.
func saidOf(t *testing.T, stdout, stderr string) string {
	if strings.HasPrefix(stdout, "{") {
		var doc struct {
			Error struct{ Message, Cause, Try string }
		}
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
			t.Fatal(err)
		}
		return strings.Join([]string{doc.Error.Message, doc.Error.Cause, doc.Error.Try}, "\n")
	}
	var said []string
	for line := range strings.Lines(stderr) {
		for _, label := range []string{"mcptea: ", "  cause ", "  try "} {
			if text, ok := strings.CutPrefix(line, label); ok {
				said = append(said, strings.TrimSpace(text))
			}
		}
	}
	return strings.Join(said, "\n")
}

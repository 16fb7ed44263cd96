package failure

import (
	"strings"
	"testing"
)

// A container has a localhost of its own.
func TestToolError_LocalhostOfAContainer(t *testing.T) {
	for text, told := range map[string]bool{
		"net::ERR_CONNECTION_REFUSED at http://localhost:4000": true, "connect ECONNREFUSED 127.0.0.1:5432": true, "Failed to connect to localhost:8080": true,
		"dial tcp [::1]:6379: connect: connection refused": true, "connect ECONNREFUSED 10.0.0.7:5432": false, "localhost is a fine name": false,
	} {
		for container, inside := range map[string]bool{"docker run": true, "": false} {
			why, _ := find("tool-error", situation{"runs_container": container, "lines": saidLines(text)})
			if got := strings.Contains(why.Cause, "is the container itself: nothing listens there") && strings.Contains(why.Remedy.Text, "host.docker.internal"); got != (told && inside) {
				t.Errorf("%s in %q: %q", text, container, why.Cause)
			}
		}
	}
}

package hosts

import (
	"strings"
	"testing"
)

// A container has the stdin of its command only with an option of the verb.
func TestContainer_WithoutStdin(t *testing.T) {
	for line, want := range map[string]string{
		"docker run --rm img":                                "docker run",
		"docker run --rm -i img":                             "",
		"docker run -it img":                                 "",
		"docker run --rm --name x img -i":                    "docker run",
		"docker run -e A=b --interactive img":                "",
		"docker run -a stdin -a stdout -i img":               "",
		"docker container run img":                           "docker run",
		"docker --context far run img":                       "docker run",
		"docker -H tcp://127.0.0.1:2375 run -i img":          "",
		"docker exec box server":                             "docker exec",
		"docker exec -i box server":                          "",
		"docker exec -u root box server -i":                  "docker exec",
		"docker start box":                                   "docker start",
		"docker start -ai box":                               "",
		"docker start --attach --interactive box":            "",
		"podman run img":                                     "podman run",
		"podman --remote exec --interactive=true box server": "",
		"/usr/bin/nerdctl run --rm img":                      "nerdctl run",
		"nerdctl -n x exec box s":                            "nerdctl exec",
		"sudo -n docker run img":                             "docker run",
		"env A=b docker exec box server":                     "docker exec",
		"kubectl exec pod -c main -- server -i":              "kubectl exec",
		"kubectl -n x exec pod -i -- server":                 "",
		"kubectl exec deploy/x --stdin -- server":            "",
		"docker ps":                      "",
		"docker compose exec box server": "",
		"node run":                       "",
		"npx -y docker run":              "",
		"docker run -d --rm -p 8080:8080 -v /a:/b:ro img run": "docker run",
	} {
		what, missing := ContainerWithoutStdin(strings.Fields(line))
		if what != want && (missing || want != "") || missing != (want != "") {
			t.Errorf("%s: %q, want %q", line, what, want)
		}
	}
	if what, ok := ContainerWithoutStdin(nil); ok {
		t.Errorf("no command: %q", what)
	}
}

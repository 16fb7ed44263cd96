package failure

import (
	"os/exec"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/transport/stdio"
)

// A missing launcher is named with the product to install, and no other command is proposed.
func TestExplain_MissingLauncher(t *testing.T) {
	for command, product := range map[string]string{
		"node": "Node.js", "npx": "Node.js", "npm": "Node.js", "pnpm": "pnpm (npm install -g pnpm)", "pnpx": "pnpm (npm install -g pnpm)", "yarn": "Yarn (npm install -g yarn)",
		"bun": "Bun", "bunx": "Bun", "deno": "Deno", "tsx": "tsx (npm install -g tsx)", "ts-node": "ts-node (npm install -g ts-node)",
		"python": "Python", "python3": "Python", "python3.12": "Python", "uv": "uv", "uvx": "uv", "pip": "pip (python3 -m ensurepip)", "pip3": "pip (python3 -m ensurepip)",
		"pipx": "pipx", "poetry": "poetry", "pdm": "pdm", "hatch": "hatch", "rye": "rye", "conda": "conda",
		"go": "Go", "cargo": "Rust, which includes cargo", "dotnet": "the .NET SDK", "java": "a Java runtime", "mvn": "Apache Maven", "gradle": "Gradle",
		"ruby": "Ruby", "bundle": "Ruby", "php": "PHP", "composer": "Composer", "docker": "Docker", "podman": "podman", "nerdctl": "nerdctl",
	} {
		e := Explain(&stdio.StartError{Command: command, Err: exec.ErrNotFound}, Facts{target: client.Target{Argv: []string{command, "x"}}})
		if want := `Cannot start "` + command + `": executable file not found in $PATH.`; e.Sentence != want {
			t.Errorf("%s: %q, want %q", command, e.Sentence, want)
		}
		if want := "Install " + product + ", or use the absolute path of " + command; !strings.HasPrefix(e.Try(), want) {
			t.Errorf("%s: %q, want %q", command, e.Try(), want)
		}
	}
}

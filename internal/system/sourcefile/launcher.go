package sourcefile

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// launchers are programs that start servers which are written in some language, or packaged in some way.
var launchers = []string{
	"node", "npx", "npm", "pnpm", "pnpx", "yarn", "bun", "bunx", "deno", "tsx", "ts-node", "corepack", "volta", "fnm",
	"python", "python3", "py", "uv", "uvx", "pipx", "poetry", "pdm", "hatch", "rye", "pixi", "conda", "mamba", "micromamba", "fastmcp", "mcp",
	"go", "cargo", "ruby", "bundle", "php", "composer", "perl", "java", "kotlin", "scala", "jbang", "dotnet", "mono", "elixir", "mix", "iex", "lua", "luajit", "Rscript", "swift", "dart", "zig", "wasmtime", "ghc", "runghc", "stack", "julia", "ocaml", "clojure", "bb", "racket", "sbcl",
	"docker", "podman", "nerdctl", "kubectl", "ssh", "wsl", "sh", "bash", "zsh", "fish", "pwsh", "powershell", "cmd", "env", "nix", "nix-shell", "make", "just", "task", "mise", "asdf", "direnv", "op", "doppler", "infisical", "dotenvx", "socat", "nc",
}

// IsLauncher reports whether a word is a program that starts servers, possibly with a path, an extension or a
// version.
func IsLauncher(word string) bool {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(word)), ".exe")
	return slices.ContainsFunc(launchers, func(l string) bool {
		l = strings.ToLower(l)
		return name == l || name == l+".cmd" || strings.HasPrefix(name, l) && strings.Trim(name[len(l):], "0123456789.-") == ""
	})
}

// systemDirs are the folders in which an operating system keeps its own programs.
var systemDirs = []string{"/bin", "/sbin", "/usr/bin", "/usr/sbin"}

// IsOfSystem reports whether the file of a program belongs to the operating system, such as rm, and does
// not start servers. The name of such a program as a word does not point to a server.
func IsOfSystem(path string) bool {
	dir, name := filepath.Dir(path), strings.ToLower(filepath.Base(path))
	isSystem := slices.Contains(systemDirs, dir)
	if runtime.GOOS == "windows" {
		lower := strings.ToLower(dir)
		isSystem = strings.Contains(lower, `\windows\system32`) || strings.Contains(lower, `\windows\syswow64`)
	}
	return isSystem && !IsLauncher(name) && !strings.Contains(name, "mcp") && !strings.Contains(name, "server")
}

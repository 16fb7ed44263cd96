//go:build unix

package failure_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/shell"
	"mcptea/internal/test/processes"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// init registers the children of the remedies, which other variables cannot refer to.
func init() {
	register([]broken{{name: "serves", child: serve}, {name: "obeys", child: obey}})
}

// serve is a server that works.
func serve() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		e := jsonrpc.Scan(in.Bytes())
		method, id := e.MethodName(in.Bytes()), e.ID.Of(in.Bytes()).String()
		if method == "notifications/initialized" && os.Getenv("MCPTEA_TEST_IDLE") != "" && !isHealed() {
			dies(1, "Error: no tea")()
		}
		if e.Kind != jsonrpc.Request {
			continue
		}
		offered := jsonrpc.Text(in.Bytes(), "params", "protocolVersion")
		switch {
		case method == "initialize" && os.Getenv("MCPTEA_TEST_STATELESS") != "":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", id)
		case method == "server/discover" && os.Getenv("MCPTEA_TEST_STATELESS") != "":
			fmt.Println(result(id, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`))
		case method == "initialize" && os.Getenv("MCPTEA_TEST_REFUSE") != "" && offered != "2025-06-18":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":%s}`+"\n", id, os.Getenv("MCPTEA_TEST_REFUSE"))
		case method == "initialize":
			fmt.Println(result(id, strings.ReplaceAll(welcome, "2025-11-25", firstOf(os.Getenv("MCPTEA_TEST_SELECT"), offered))))
		case method == "server/discover" && os.Getenv("MCPTEA_TEST_DISCOVER") != "":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", id, os.Getenv("MCPTEA_TEST_DISCOVER"))
		case method == "tools/call" && os.Getenv("MCPTEA_TEST_CALL") != "" && !isHealed():
			if os.Getenv("MCPTEA_TEST_CALL") == "exit" {
				dies(1, "Error: no tea")()
			}
			fmt.Fprintln(os.Stderr, os.Getenv("MCPTEA_TEST_CALL"))
		case method == "tools/call":
			fmt.Println(result(id, `{"content":[]}`))
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", id)
		}
	}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func isHealed() bool {
	_, err := os.Stat(os.Getenv("MCPTEA_TEST_HEALED"))
	return err == nil
}

// obey is a server that works once its command, its environment or the time is right. Until then it writes
// a line and does what MCPTEA_TEST_DO says.
func obey() {
	name, wanted, _ := strings.Cut(os.Getenv("MCPTEA_TEST_WANT"), "=")
	if isHealed() || slices.Contains(os.Args[1:], os.Getenv("MCPTEA_TEST_ARG")) || name != "" && os.Getenv(name) != "" && (wanted == "" || os.Getenv(name) == wanted) {
		serve()
		return
	}
	if line := os.Getenv("MCPTEA_TEST_LINE"); line != "" {
		fmt.Fprintln(os.Stderr, line)
	}
	switch do := os.Getenv("MCPTEA_TEST_DO"); do {
	case "hang":
		processes.Hang()
	case "read":
		says("")()
	case "close": // as a launcher that gives its child no stdin
		_ = os.Stdin.Close()
		processes.Hang()
	case "signal":
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		processes.Hang()
	default:
		code, _ := strconv.Atoi(do)
		os.Exit(code)
	}
}

// obeys is that server.
func obeys(line, do string, env ...string) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		t.Helper()
		return self(t, "obeys", append([]string{"MCPTEA_TEST_LINE=" + line, "MCPTEA_TEST_DO=" + do, "MCPTEA_TEST_ARG=fixed"}, env...)...)
	}
}

// launched is that server under the name of a launcher, with arguments.
func launched(name string, args []string, line, do string, env ...string) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		target := obeys(line, do, env...)(t)
		link := filepath.Join(t.TempDir(), name)
		if err := os.Symlink(target.Argv[0], link); err != nil {
			t.Fatal(err)
		}
		target.Argv = append([]string{link}, args...)
		return target
	}
}

func add(words string) func(string) string { return func(line string) string { return line + words } }

// instead is the line of the working server, in place of another command.
func instead(line string) string {
	own, err := os.Executable()
	if err != nil {
		return line
	}
	return own + " fixed"
}

const noReply = 300 * time.Millisecond

// remediedStdio are the remedies of servers over stdio.
func remediedStdio() []remedied {
	timed := func(do string) func(t *testing.T) (client.Target, func()) {
		return again(func(t *testing.T, _ func() bool) client.Target { return obeys("", do)(t) })
	}
	byLines := []remedied{
		{ids: []string{"usage"}, target: stays(obeys("usage: server [-h] --db DB", "2")), edit: add(" fixed")},
		{ids: []string{"python-codec"}, target: stays(obeys(failure.KnownLines()["python-codec"], "1", "MCPTEA_TEST_WANT=PYTHONIOENCODING=utf-8"))},
		{ids: []string{"listening-url"}, within: noReply, edit: func(string) string { return listening }, target: stays(func(t *testing.T) client.Target {
			listening = serves(fine)(t).URL
			return obeys("Server listening on "+listening, "hang")(t)
		})},
	}
	for id, action := range failure.ActionRows() {
		line, ok := failure.KnownLines()[id]
		if !ok || id == "usage" || id == "python-codec" || strings.HasPrefix(id, "listening") {
			continue
		}
		r := remedied{ids: []string{id}, target: stays(obeys(line, "1")), edit: add(" fixed")}
		if action == failure.ActionVariable {
			// Of several names each is asked for.
			r.target, r.typed = stays(obeys(line, "1", "MCPTEA_TEST_WANT="+wantedOf(line))), "x"
		}
		byLines = append(byLines, r)
	}
	cwd := func(target client.Target) []shell.Flag {
		return []shell.Flag{{Name: "cwd", Value: target.Dir, Public: true}}
	}
	list := append(byLines,
		remedied{ids: []string{"no-directory"}, flags: cwd, edit: func(line string) string { return strings.Replace(line, "--cwd /nowhere/at/all ", "", 1) }, target: stays(func(t *testing.T) client.Target {
			target := self(t, "serves")
			target.Dir = "/nowhere/at/all"
			return target
		})},
		remedied{ids: []string{"command-near"}, target: stays(func(t *testing.T) client.Target {
			target := launched("python3", []string{"fixed"}, "", "1")(t)
			target.Env = append(target.Env, "PATH="+filepath.Dir(target.Argv[0]))
			target.Argv[0] = "pyhton3"
			return target
		})},
		remedied{ids: []string{"program-missing-cwd"}, flags: cwd, edit: instead, target: stays(func(t *testing.T) client.Target {
			target := obeys("", "1")(t)
			target.Argv, target.Dir = []string{"./nosuchfile"}, t.TempDir()
			return target
		})},
		remedied{ids: []string{"script-interpreter"}, edit: instead, target: stays(func(t *testing.T) client.Target {
			target := obeys("", "1")(t)
			target.Argv = aFile("#!/usr/bin/nonexistent -x\n", 0o755)(t).Argv
			return target
		})},
		remedied{ids: []string{"program-permission"}, edit: instead, target: stays(func(t *testing.T) client.Target {
			target := obeys("", "1")(t)
			target.Argv = aFile("#!/bin/sh\n", 0o644)(t).Argv
			return target
		})},
		remedied{ids: []string{"program-format"}, edit: instead, target: stays(func(t *testing.T) client.Target {
			target := obeys("", "1")(t)
			target.Argv = aFile("\x00\x01 no machine runs this", 0o755)(t).Argv
			return target
		})},
		remedied{ids: []string{"program-directory"}, edit: instead, target: stays(func(t *testing.T) client.Target {
			target := obeys("", "1")(t)
			target.Argv = []string{t.TempDir()}
			return target
		})},
	)
	for id, argv := range map[string][]string{
		"command-words": {"server --stdio"}, "command-shell": {"DEBUG=1", "node", "x.js"}, "command-node": {"npx", "-y", "x"}, "command-uv": {"uvx", "x"}, "command-docker": {"docker", "run", "-i", "x"}, "command-pnpm": {"pnpm", "dlx", "x"}, "command-yarn": {"yarn", "x"}, "command-tsx": {"tsx", "x.ts"}, "command-ts-node": {"ts-node", "x.ts"}, "command-bun": {"bunx", "x"}, "command-deno": {"deno", "run", "x"},
		"command-python": {"python3.12", "x.py"}, "command-pip": {"pip", "x"}, "command-python-tool": {"poetry", "run", "x"}, "command-podman": {"podman", "run", "-i", "x"}, "command-go": {"go", "run", "."}, "command-cargo": {"cargo", "run"}, "command-dotnet": {"dotnet", "run"},
		"command-java": {"java", "-jar", "x.jar"}, "command-maven": {"mvn", "exec:java"}, "command-gradle": {"gradle", "run"}, "command-ruby": {"ruby", "x.rb"}, "command-php": {"php", "x.php"}, "command-composer": {"composer", "x"}, "command-builtin": {"cd", "src"}, "command-other": {"no-such-command"},
		"program-windows": {"C:/Program Files/nodejs/npx.cmd"}, "program-missing": {"./nosuchfile"},
	} {
		list = append(list, remedied{ids: []string{id}, edit: instead, target: stays(func(t *testing.T) client.Target {
			target := obeys("", "1", "PATH="+t.TempDir())(t)
			target.Argv = argv
			return target
		})})
	}
	docker := []string{"run", "--rm", "fixed-image"}
	list = append(list,
		remedied{ids: []string{"exit-container"}, target: stays(launched("docker", docker, "Starting", "0", "MCPTEA_TEST_ARG=-i"))},
		remedied{ids: []string{"stdin-closed-container"}, within: time.Second, target: stays(launched("docker", docker, "Starting", "close", "MCPTEA_TEST_ARG=-i"))},
		remedied{ids: []string{"stdin-closed-stdio"}, within: time.Second, target: stays(obeys("Starting server with transport stdio", "close")), edit: add(" fixed")},
		remedied{ids: []string{"exit-0-stdio"}, target: stays(obeys("Starting server with transport stdio", "0")), edit: add(" fixed")},
		remedied{ids: []string{"exit-0-script"}, edit: instead, target: stays(func(t *testing.T) client.Target {
			target := obeys("", "0")(t)
			target.Argv = []string{"sh", "-c", "exit 0"}
			return target
		})},
		remedied{ids: []string{"exit-0"}, target: stays(obeys("", "0")), edit: add(" fixed")},
		remedied{ids: []string{"exit-error"}, target: again(func(t *testing.T, _ func() bool) client.Target { return obeys("Error: no tea", "1")(t) })},
		remedied{ids: []string{"exit-error-connected"}, target: again(func(t *testing.T, _ func() bool) client.Target { return self(t, "serves", "MCPTEA_TEST_CALL=exit") })},
		remedied{ids: []string{"idle-reports"}, idle: true, target: again(func(t *testing.T, _ func() bool) client.Target { return self(t, "serves", "MCPTEA_TEST_IDLE=exit") })},
		remedied{ids: []string{"SIGTERM"}, target: timed("signal")},
		remedied{ids: []string{"version-unreleased"}, target: stays(func(t *testing.T) client.Target { return self(t, "serves", "MCPTEA_TEST_SELECT=2099-01-01") })},
		remedied{ids: []string{"version-common"}, change: pinned("2026-07-28"), target: stays(func(t *testing.T) client.Target {
			return self(t, "serves", `MCPTEA_TEST_DISCOVER="error":{"code":-32022,"message":"no","data":{"supported":["2025-06-18"]}}`)
		})},
		remedied{ids: []string{"error-version"}, change: pinned("2026-07-28"), target: stays(func(t *testing.T) client.Target {
			return self(t, "serves", `MCPTEA_TEST_DISCOVER="error":{"code":-32022,"message":"no"}`)
		})},
		remedied{ids: []string{"error-no-initialize"}, change: pinned("2025-11-25"), target: stays(func(t *testing.T) client.Target { return self(t, "serves", "MCPTEA_TEST_STATELESS=1") })},
		remedied{ids: []string{"discover-unknown"}, change: pinned("2026-07-28"), target: stays(func(t *testing.T) client.Target { return self(t, "serves") })},
		remedied{ids: []string{"discover-versions"}, change: pinned("2026-07-28"), target: stays(func(t *testing.T) client.Target {
			return self(t, "serves", `MCPTEA_TEST_DISCOVER="result":{}`)
		})},
		remedied{ids: []string{"error-version-refused"}, target: stays(func(t *testing.T) client.Target {
			return self(t, "serves", `MCPTEA_TEST_REFUSE={"code":-32602,"message":"Unsupported protocol version","data":{"expected":"2025-06-18"}}`)
		})},
		remedied{ids: []string{"error-version-unnamed"}, target: stays(func(t *testing.T) client.Target {
			return self(t, "serves", `MCPTEA_TEST_REFUSE={"code":-32000,"message":"The protocol version is not supported"}`)
		})},
		remedied{ids: []string{"error-initialize-params"}, target: stays(func(t *testing.T) client.Target {
			return self(t, "serves", `MCPTEA_TEST_REFUSE={"code":-32602,"message":"Invalid params"}`)
		})},
		remedied{ids: []string{"timeout-call"}, within: noReply, target: again(func(t *testing.T, _ func() bool) client.Target { return self(t, "serves", "MCPTEA_TEST_CALL=working") })},
		remedied{ids: []string{"timeout-call-reported"}, within: noReply, target: again(func(t *testing.T, _ func() bool) client.Target {
			return self(t, "serves", "MCPTEA_TEST_CALL=Error: no tea")
		})},
		remedied{ids: []string{"timeout-container"}, within: noReply, target: stays(launched("docker", docker, "Starting", "hang", "MCPTEA_TEST_ARG=-i"))},
		remedied{ids: []string{"timeout-stdio"}, within: noReply, blind: true, target: timed("hang")},
		remedied{ids: []string{"timeout-silent-stdio"}, within: noReply, blind: true, target: again(func(t *testing.T, _ func() bool) client.Target {
			return obeys("Starting server with transport stdio", "hang")(t)
		})},
		remedied{ids: []string{"timeout-download"}, within: noReply, blind: true, target: again(func(t *testing.T, _ func() bool) client.Target {
			return launched("uvx", []string{"server"}, "", "hang")(t)
		})},
	)
	if runtime.GOOS == "linux" {
		list = append(list,
			remedied{ids: []string{"timeout-unread"}, within: noReply, target: timed("hang")},
			remedied{ids: []string{"timeout-other-stdin"}, within: noReply, target: stays(func(t *testing.T) client.Target {
				target := obeys("", "hang", "MCPTEA_TEST_ARG=-")(t)
				target.Argv = []string{"sh", "-c", `"$0" & wait`, target.Argv[0]}
				return target
			}), edit: func(line string) string { return strings.Replace(line, "& wait", "-", 1) }},
		)
	}
	return list
}

// listening is where the server of a test listens.
var listening string

// wantedOf is the first variable that a line names.
func wantedOf(line string) string {
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') && (r < '0' || r > '9') }) {
		if strings.Contains(word, "_") {
			return word
		}
	}
	return ""
}

func pinned(version string) func(*session.Config) {
	return func(cfg *session.Config) { cfg.Client.Revision = revisionOf(version) }
}

// fine is a server over HTTP that works.
func fine(w http.ResponseWriter, r *http.Request) {
	old(func(w http.ResponseWriter, r *http.Request) {
		method, id := asked(r)
		if id == "" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		if method == "tools/call" {
			fmt.Fprint(w, result(id, `{"content":[]}`))
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, id)
	})(w, r)
}

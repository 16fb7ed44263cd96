//go:build unix

package failure_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/test/processes"
)

// Targets that are no child of this binary.

// runs is a command by its name.
func runs(argv ...string) func(*testing.T) client.Target {
	return func(*testing.T) client.Target { return client.Target{Argv: argv, Env: os.Environ()} }
}

// aFile runs a file of its own, made with these bytes and permissions.
func aFile(text string, mode os.FileMode) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		path := filepath.Join(t.TempDir(), "server")
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return client.Target{Argv: []string{path}, Env: os.Environ()}
	}
}

// onPath looks for a command in a folder in which another one lies.
func onPath(there, wanted string) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, there), nil, 0o755); err != nil { //nolint:gosec // it is to be a program
			t.Fatal(err)
		}
		return client.Target{Argv: []string{wanted, "server.js"}, Env: []string{"PATH=" + folder}}
	}
}

// named runs this binary under another name, as a launcher of servers.
func named(name, child string, args ...string) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		target := self(t, child)
		link := filepath.Join(t.TempDir(), name)
		if err := os.Symlink(target.Argv[0], link); err != nil {
			t.Fatal(err)
		}
		target.Argv = append([]string{link}, args...)
		return target
	}
}

// What children do.

// dies writes lines to stderr and exits.
func dies(code int, lines ...string) func() {
	return func() {
		for _, l := range lines {
			fmt.Fprintln(os.Stderr, l)
		}
		os.Exit(code)
	}
}

// says writes to stdout and reads on without an answer.
func says(text string) func() {
	return func() {
		_, _ = os.Stdout.WriteString(text)
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

// answers writes what a function makes of the id of each request.
func answers(answer func(method, id string) string) func() {
	return func() {
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			e := jsonrpc.Scan(in.Bytes())
			if e.Kind == jsonrpc.Request {
				_, _ = os.Stdout.WriteString(answer(e.MethodName(in.Bytes()), e.ID.Of(in.Bytes()).String()))
			}
		}
	}
}

const welcome = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"child","version":"1"}}`

func result(id, result string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + "}"
}

// refuses answers initialize with an error, and knows no discovery.
func refuses(code int, message, data string) func() {
	return answers(func(method, id string) string {
		if method != "initialize" {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", id)
		}
		if data != "" {
			data = `,"data":` + data
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q%s}}`+"\n", id, code, message, data)
	})
}

// always gives one result to whatever is asked.
func always(text string) func() {
	return answers(func(_, id string) string { return result(id, text) + "\n" })
}

func kills(s syscall.Signal) func() {
	return func() { _ = syscall.Kill(os.Getpid(), s); processes.Hang() }
}

func toUTF16(text string) string {
	bytes := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		bytes = append(bytes, byte(u), byte(u>>8))
	}
	return string(bytes)
}

// onlyThen does the handshake, and something else when it is over.
func onlyThen(crash func()) func() {
	return func() {
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			e := jsonrpc.Scan(in.Bytes())
			id := e.ID.Of(in.Bytes()).String()
			switch e.MethodName(in.Bytes()) {
			case "server/discover":
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", id)
			case "initialize":
				fmt.Println(result(id, welcome))
			case "notifications/initialized":
				crash()
			}
		}
	}
}

// nodeStack is what Node.js writes under an error.
var nodeStack = strings.Repeat("    at Module._load (node:internal/modules/cjs/loader:1104:12)\n", 12)

// soon is for servers that say something and are then waited for in vain.
const soon = 1500 * time.Millisecond

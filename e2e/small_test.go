package e2e

import (
	"bufio"
	"fmt"
	"os"
	"sync"

	"mcptea/client/jsonrpc"
)

// Servers that do next to nothing, and that in one way alone.

// smallServerEnv makes this binary one of them instead of a test.
const smallServerEnv = "MCPTEA_E2E_SMALL_SERVER"

// small are the servers by their names: what each answers to a method. An empty
// response is invalid.
var small = map[string]func(method string) string{
	"modern-only": func(method string) string {
		switch method {
		case "server/discover":
			return `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"modern-only","version":"1"}}}`
		case "tools/list":
			return `"result":{"resultType":"complete","tools":[{"name":"steep","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"public"}`
		}
		return `"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}`
	},
	"legacy-only": onlyLegacy,
	"edited":      edit,
	"crashes": func() func(string) string {
		shaken := false
		return func(method string) string {
			if !shaken && method != "initialize" {
				fmt.Fprintln(os.Stderr, "KeyError: 'protocolVersion'")
				os.Exit(1)
			}
			shaken = true
			return onlyLegacy(method)
		}
	}(),
}

// editedToolEnv names the file with the name of the tool of the server that a test edits. It is read at the start.
const editedToolEnv = "MCPTEA_E2E_EDITED_TOOL"

var editedTool = sync.OnceValue(func() string {
	name, _ := os.ReadFile(os.Getenv(editedToolEnv))
	return string(name)
})

// edit is a server with one tool, which returns its name.
func edit(method string) string {
	switch name := editedTool(); method {
	case "initialize":
		return `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"edited","version":"1"}}`
	case "tools/list":
		return `"result":{"tools":[{"name":"` + name + `","inputSchema":{"type":"object"}}]}`
	case "tools/call":
		return `"result":{"content":[{"type":"text","text":"` + name + `"}]}`
	}
	return onlyLegacy(method)
}

func onlyLegacy(method string) string {
	switch method {
	case "initialize":
		return `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"legacy-only","version":"1"}}`
	case "tools/list":
		return `"result":{"tools":[{"name":"steep","inputSchema":{"type":"object"}}]}`
	case "notifications/initialized":
		return ""
	}
	return `"error":{"code":-32601,"message":"Method not found"}`
}

func serveLines(answer func(method string) string) {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		e := jsonrpc.Scan(in.Bytes())
		if says := answer(e.MethodName(in.Bytes())); says != "" {
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n", e.ID.Of(in.Bytes()), says)
		}
	}
}

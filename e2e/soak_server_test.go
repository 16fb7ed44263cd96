//go:build linux

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
)

// randomEnv makes this binary a server that does everything at random: the seed, and a file that
// counts its processes, each of which has a sequence of its own.
const randomEnv = "MCPTEA_E2E_RANDOM"

// actor chooses what the random server does by itself: the same seed and process, the same acts.
type actor struct {
	rng            *rand.Rand
	process, acted int
}

func newActor(seed, process int) *actor {
	return &actor{rng: rand.New(rand.NewPCG(uint64(seed), uint64(process))), process: process}
}

// act is one thing that the server does: it writes bytes, and may end.
type act struct {
	stdout, stderr string
	exits          bool
	code           int
}

var (
	randomLevels  = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
	randomChanged = []string{"tools", "resources", "prompts"}
)

// next is the next act. Each message has its process and its number in "soak". About one in fifty is a
// fault: what is found in a frame is kept, and is memory that grows.
func (a *actor) next() act {
	a.acted++
	mark := fmt.Sprintf(`"soak":"%d.%d"`, a.process, a.acted)
	notification := func(method, params string) act {
		return act{stdout: fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%s","params":{%s,"_meta":{%s}}}`, method, params, mark) + "\n"}
	}
	request := func(method, params string) act {
		return act{stdout: fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d","method":"%s","params":{%s"_meta":{%s}}}`, a.acted, method, params, mark) + "\n"}
	}
	text := strings.Repeat("word ", 1+a.rng.IntN(30))
	n := a.rng.IntN(10_000)
	switch {
	case n < 6900:
		return notification("message", fmt.Sprintf(`"level":"%s","logger":"l%d","data":"%s"`, randomLevels[a.rng.IntN(len(randomLevels))], n%7, text))
	case n < 7000:
		return notification("progress", fmt.Sprintf(`"progressToken":"made up %d","progress":%d`, n%50, a.acted))
	case n < 7100:
		return notification("resources/updated", fmt.Sprintf(`"uri":"soak://%d"`, n))
	case n < 8000:
		return notification("message", fmt.Sprintf(`"level":"debug","data":{"n":%d,"text":"%s"}`, n, text))
	case n < 8200:
		return notification(randomChanged[n%3]+"/list_changed", `"a":1`)
	case n < 8700:
		return request("ping", "")
	case n < 8900:
		return request("roots/list", "")
	case n < 9000:
		return request("elicitation/create", `"mode":"form","message":"`+text+`","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}},`)
	case n < 9050:
		return request("sampling/createMessage", `"maxTokens":9,"messages":[{"role":"user","content":{"type":"text","text":"`+text+`"}}],`)
	case n < 9070:
		return notification("cancelled", fmt.Sprintf(`"requestId":"q%d"`, a.acted-1-n%40))
	case n < 9080:
		return act{stdout: fmt.Sprintf(`{"jsonrpc":"2.0","id":"unmatched %d","result":{%s}}`, n, mark) + "\n"}
	case n < 9100:
		return act{stdout: "noise " + text + "\n"}
	case n < 9900:
		return act{stderr: randomLevels[n%8] + ": " + text + "\n"}
	case n < 9990:
		return notification("message", fmt.Sprintf(`"level":"info","data":"%s"`, strings.Repeat(text, 200)))
	case n < 9998 || a.acted < 2000:
		return act{stdout: "\n"}
	case n == 9998:
		return act{stdout: `{"jsonrpc":"2.0","method":"cut`, exits: true, code: n % 5}
	default:
		return act{stderr: "fatal: the end\n", exits: true, code: n % 5}
	}
}

// serveRandom is the random server.
func serveRandom(what string) {
	seed, counter, _ := strings.Cut(what, " ")
	s, _ := strconv.Atoi(seed)
	text, _ := os.ReadFile(counter)
	process, _ := strconv.Atoi(string(text))
	_ = os.WriteFile(counter, strconv.AppendInt(nil, int64(process+1), 10), 0o600)
	var mu sync.Mutex
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	acts := func() {
		if process == 0 { // the newest frames fill their places
			for i := range pacedFrom {
				mu.Lock()
				hostile["frames"](out, i)
				mu.Unlock()
			}
		}
		for a := newActor(s, process); ; {
			mu.Lock()
			for range 5 {
				next := a.next()
				_, _ = out.WriteString(next.stdout)
				_, _ = os.Stderr.WriteString(next.stderr)
				if next.exits {
					_ = out.Flush() // a client that has gone ends us as well
					os.Exit(next.code)
				}
			}
			_ = out.Flush()
			mu.Unlock()
			time.Sleep(10 * time.Millisecond)
		}
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	var begins sync.Once // the notification can be sent again, as any other frame
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		e := jsonrpc.Scan(line)
		if e.Kind != jsonrpc.Request {
			if e.MethodName(line) == "notifications/initialized" {
				begins.Do(func() { go acts() })
			}
			continue
		}
		mu.Lock()
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", e.ID.Of(line).String(), answerRandom(e.MethodName(line), line))
		_ = out.Flush()
		mu.Unlock()
	}
}

// answerRandom is the response of the random server to a request.
func answerRandom(method string, line []byte) string {
	lists := map[string]string{
		"tools/list":               `"tools":[{"name":"go","description":"soak","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}},{"name":"fail","inputSchema":{"type":"object"}}]`,
		"resources/list":           `"resources":[{"uri":"soak://1","name":"one"},{"uri":"soak://2","name":"two"}]`,
		"resources/templates/list": `"resourceTemplates":[{"uriTemplate":"soak://{n}","name":"n"}]`,
		"prompts/list":             `"prompts":[{"name":"greet","arguments":[{"name":"who"}]}]`,
		"prompts/get":              `"messages":[{"role":"user","content":{"type":"text","text":"hello"}}]`,
		"resources/read":           `"contents":[{"uri":"soak://1","text":"` + strings.Repeat("content ", 500) + `"}]`,
		"completion/complete":      `"completion":{"values":["a","b"]}`,
		"ping":                     "", "logging/setLevel": "", "resources/subscribe": "", "resources/unsubscribe": "",
		"initialize": `"protocolVersion":"2025-11-25","serverInfo":{"name":"soak","version":"1"},"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"logging":{},"completions":{}}`,
	}
	result, known := lists[method]
	switch {
	case known:
		return `"result":{` + result + `}`
	case method == "tools/call" && bytes.Contains(line, []byte(`"fail"`)):
		return `"error":{"code":-32000,"message":"failed"}`
	case method == "tools/call":
		return `"result":{"content":[{"type":"text","text":"` + strings.Repeat("result ", 200) + `"}]}`
	}
	return `"error":{"code":-32601,"message":"Method not found"}`
}

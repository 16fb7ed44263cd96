//go:build unix

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
)

// keyBytes are what a terminal sends for the keys that the scripts name.
var keyBytes = map[string]string{
	"enter": "\r", "esc": "\x1b[27u", "tab": "\t", "space": " ", "backspace": "\x7f", "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C",
	"left": "\x1b[D", "ctrl+c": "\x03", "ctrl+u": "\x15", "ctrl+s": "\x13", "ctrl+space": "\x00", "shift+tab": "\x1b[Z",
}

// press types the keys of a line of a script: names in angle brackets, everything else
// letter by letter. Escape is sent as the kitty keyboard protocol does, so that it is
// not taken for the beginning of alt and the next key.
func (term *terminal) press(keys string) {
	term.t.Helper()
	var b strings.Builder
	for keys != "" {
		rest, named := strings.CutPrefix(keys, "<")
		if !named {
			b.WriteByte(keys[0])
			keys = keys[1:]
			continue
		}
		name, after, _ := strings.Cut(rest, ">")
		keys = after
		if letter, isAlt := strings.CutPrefix(name, "alt+"); isAlt {
			b.WriteString("\x1b" + letter)
		} else if sequence, known := keyBytes[name]; known {
			b.WriteString(sequence)
		} else {
			term.t.Fatalf("the script names an unknown key: %s", name)
		}
	}
	term.types(b.String())
}

// used are the tools, prompts and templates that a session has used, and the arguments
// that it has completed.
type used map[string]bool

func (u used) add(frame []byte) {
	method, _ := jsonrpc.Member(frame, "method")
	text := func(path ...string) string { return jsonrpc.Text(frame, "params", path...) }
	switch string(method) {
	case `"tools/call"`, `"prompts/get"`:
		u[text("name")] = true
	case `"resources/read"`:
		u[text("uri")] = true
	case `"completion/complete"`:
		u[text("ref", "name")+text("ref", "uri")+" "+text("argument", "name")] = true
	}
}

// The script uses all that the server offers, and answers what it requests.
func TestKeys_ReachEverything(t *testing.T) {
	if !demanded() {
		t.Skip("takes ten seconds; run it with MCPTEA_E2E=1")
	}
	recording := filepath.Join(t.TempDir(), "everything.mcptea")
	term := onTerminal(t, on(everything(t), "--record", recording)...)
	script, err := os.ReadFile("testdata/everything.keys")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(script)) {
		verb, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		switch verb {
		case "keys":
			term.press(rest)
		case "see":
			term.shows(rest)
		case "", "#":
		default:
			t.Fatalf("the script has an unknown line: %s", line)
		}
	}
	term.press("<ctrl+c><ctrl+c>")
	if code := term.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	done, offered := used{}, []string{}
	text, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		frame, _ := jsonrpc.Member(line, "msg")
		done.add(frame)
		for _, kind := range []string{"tools", "prompts"} {
			list, _ := jsonrpc.Member(frame, "result", kind)
			for item := range jsonrpc.Elements(list) {
				offered = append(offered, jsonrpc.Text(item, "name"))
			}
		}
	}
	offered = append(offered,
		"demo://resource/dynamic/text/7", "demo://resource/dynamic/blob/8", "completable-prompt department", "completable-prompt name",
		"resource-prompt resourceType", "resource-prompt resourceId", "demo://resource/dynamic/text/{resourceId} resourceId", "demo://resource/dynamic/blob/{resourceId} resourceId")
	if len(offered) < 20 {
		t.Errorf("only %v", offered)
	}
	for _, name := range offered {
		if !done[name] {
			t.Errorf("%s was not used", name)
		}
	}
}

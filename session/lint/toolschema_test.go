package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/internal/cputime"
	"mcptea/session/lint/rule"
)

const (
	askTools     = `C> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":"@meta"}}`
	callTool     = `C> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"w","arguments":{},"_meta":"@meta"}}`
	slowQuestion = `S> {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"s","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"x","requestedSchema":{"type":"object","properties":{"y":{"type":"string","format":"email"}},"required":["y"]}}},"m":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":1}}}}}`
)

func again(answers string) string {
	return `C> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"w","arguments":{},"requestState":"s","inputResponses":` + answers + `,"_meta":"@meta"}}`
}

func listOf(tools string) string {
	return `S> {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[` + tools + `],"ttlMs":0,"cacheScope":"public"}}`
}

func resultOf(result string) string { return `S> {"jsonrpc":"2.0","id":2,"result":` + result + `}` }

func sampleOf(messages string) string {
	return `S> {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[` + messages + `],"maxTokens":1}}`
}

// What the catalogue's traces leave out of the rules about tools and schemas:
// where in the frame, and what is said.
func TestToolsAndSchemas(t *testing.T) {
	for _, tt := range []struct {
		rule, context string
		lines         []string
		path, says    string
	}{
		{"T001", "26", []string{askTools, listOf(`{"name":"echo"}`), `C> {"jsonrpc":"2.0","id":2,"method":"echo","params":{"_meta":"@meta"}}`}, "/method", `"echo" is a tool`},
		{"T002", "25c", []string{`C> {"jsonrpc":"2.0","id":1,"method":"tools/call"}`}, "", "params.name"},
		{"T004", "26", []string{askTools, listOf(`{"name":"w","inputSchema":{"type":"object","properties":{"uri":{},"x":{}},"required":["x"]}}`), `C> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"w","x":1,"_meta":"@meta"}}`}, "/params/x", "directly in params"},
		{"T005", "26", []string{askTools, listOf(`{"name":"read_file"}`), strings.Replace(callTool, `"w"`, `"readFile"`, 1)}, "/params/name", `Did you mean "read_file"?`},
		{"T006", "26", []string{askTools, listOf(`{"name":"w","inputSchema":{"type":"object","required":["a~/b"]}}`), callTool}, "/params/arguments", `Argument a~0~1b: it is missing.`},
		{"T006", "26", []string{askTools, listOf(`{"name":"w","inputSchema":{"type":"object","minProperties":1}}`), callTool}, "/params/arguments", `Argument as a whole: it must have 1 member or more, has 0.`},
		{"T010", "25c", []string{askTools, resultLine(1, `{"items":[]}`)}, "/result", "found none"},
		{"T012", "25c", []string{
			askTools, resultLine(1, `{"tools":[{"name":"a"}],"nextCursor":"2"}`),
			`C> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"2"}}`, resultLine(2, `{"tools":[{"name":"b"},{"name":"a"}]}`),
		}, "/result/tools/1/name", `Two tools are called "a".`},
		{"T013", "25c", []string{askTools, listOf(`{"name":"a\u001bb"}`)}, "/result/tools/0/name", `"a\x1bb" is longer than 128 characters or uses "\x1b".`},
		{"T013", "25c", []string{askTools, listOf(`{"name":"` + strings.Repeat("a", 129) + `"}`)}, "/result/tools/0/name", "longer than 128"},
		{"T023", "25c", []string{callTool, resultOf(`{"content":[{"type":"text","text":"MCP error -32602: Tool w not found"}],"isError":true}`)}, "/result/isError", ""},
		{"T026", "25c", []string{callTool, resultOf(`{"content":[{"type":"text","text":""},"hi"]}`)}, "/result/content/1", "an array of strings"},
		{"T027", "25c", []string{callTool, resultOf(`{"content":[],"is_error":1}`)}, "/result/is_error", "spelled is_error"},
		{"T033", "26", []string{askTools, listOf(`{"name":"a","inputSchema":{"type":"object","x-mcp-header":"R"}}`)}, "/result/tools/0/inputSchema", ""},
		{"S001", "26", []string{askTools, listOf(`{"name":"w","inputSchema":{"type":"object"},"outputSchema":{"$ref":"#/$defs/x"}}`)}, "/result/tools/0/outputSchema/$ref", `The outputSchema of "w" is not a valid JSON Schema: the reference "#/$defs/x" leads nowhere.`},
		{"S003", "26", []string{askTools, listOf(`{"name":"w","inputSchema":{"type":"object","properties":{"a":{"$ref":"https://example.com/x.json#/a"}}}}`)}, "/result/tools/0/inputSchema/properties/a/$ref", ""},
		{"S011", "26", []string{askTools, listOf(`{"name":"w","outputSchema":{"type":"array","items":{"type":"number"}}}`), callTool, resultOf(`{"resultType":"complete","content":[],"structuredContent":[1,"a"]}`)}, "/result/structuredContent/1", "1: it must be a number, found a string."},
		{"S020", "24", []string{callTool, resultOf(`{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}`)}, "/result/content/0/type", "text, image, resource"},
		{"S020", "25c", []string{callTool, resultOf(`{"content":[{"text":"x"}]}`)}, "/result/content/0", "type none"},
		{"S021", "25c", []string{callTool, resultOf(`{"content":[{"type":"text","text":5}]}`)}, "/result/content/0/text", "text to be a string, found a number"},
		{"S021", "25c", []string{sampleOf(`{"role":"user","content":[{"type":"tool_result","toolUseId":"c","content":[{"type":"image","mimeType":"image/png"}]}]}`)}, "/params/messages/0/content/0/content/0", "image needs data"},
		{"S022", "25c", []string{callTool, resultOf(`{"content":[{"type":"resource","resource":{"uri":"a:b","blob":"a-_b"}}]}`)}, "/result/content/0/resource/blob", "alphabet for URLs"},
		{"S022", "25c", []string{callTool, resultOf(`{"content":[{"type":"image","mimeType":"image/png","data":"aGk\n"}]}`)}, "/result/content/0/data", "line breaks"},
		{"S022", "25c", []string{callTool, resultOf(`{"content":[{"type":"image","mimeType":"image/png","data":"aGk"}]}`)}, "/result/content/0/data", "padding"},
		{"S023", "25c", []string{callTool, resultOf(`{"content":[{"type":"image","mimeType":"image/gif","data":"iVBORw0KGgo="}]}`)}, "/result/content/0/mimeType", "a PNG image"},
		{"S023", "25c", []string{callTool, resultOf(`{"content":[{"type":"image","mimeType":"application/pdf","data":""}]}`)}, "/result/content/0/mimeType", "an image"},
		{"S024", "25c", []string{`C> {"jsonrpc":"2.0","id":2,"method":"resources/list"}`, resultOf(`{"resources":[{"uri":"a:b","name":"n","annotations":{"lastModified":"yesterday"}}]}`)}, "/result/resources/0/annotations/lastModified", `"yesterday"`},
		{"S025", "25c", []string{askTools, listOf(`{"name":"a","icons":[{"src":"data:,"},{"src":"a.png"}]}`)}, "/result/tools/0/icons/1/src", "src has no scheme"},
		{"S030", "26", []string{callTool, strings.Replace(slowQuestion, `"format":"email"`, `"$ref":"#/x"`, 1)}, "/result/inputRequests/k/params/requestedSchema/properties/y", "$ref is not allowed"},
		{"S032", "25b", []string{`S> {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Please enter your API key","requestedSchema":{"type":"object","properties":{"value":{"type":"string"}}}}}`}, "/params/message", `"API key"`},
		{"S033", "26", []string{callTool, slowQuestion, again(`{"k":{"action":"yes"}}`)}, "/params/inputResponses/k/action", `action is "yes"`},
		{"S034", "26", []string{callTool, slowQuestion, again(`{"k":{"action":"accept","content":{"y":"nobody"}}}`)}, "/params/inputResponses/k/content/y", "y is no email address"},
		{"S043", "26", []string{callTool, slowQuestion, again(`{"m":{"role":"assistant","content":{"type":"text","text":"x"}}}`)}, "/params/inputResponses/m", "lacks model"},
		{"S035", "26", []string{callTool, resultOf(`{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"url","message":"x","url":"https://example.com","elicitationId":"1"}}}}`)}, "/result/inputRequests/k/params/elicitationId", "elicitationId is not part of it"},
		{"S042", "25c", []string{sampleOf(`{"role":"assistant","content":{"type":"tool_use","id":"a","name":"n","input":{}}}`)}, "/params/messages/0", `"a"`},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			if tt.context != "26" { // no message stands alone there
				for i, line := range tt.lines {
					tt.lines[i] = strings.NewReplacer(`,"_meta":"@meta"`, "", `,"params":{"_meta":"@meta"}`, "").Replace(line)
				}
			}
			found := play(t, trace{rule: tt.rule, context: tt.context, lines: tt.lines})
			for _, f := range found {
				if f.Rule.ID == tt.rule && f.Path == tt.path && strings.Contains(f.Message, tt.says) {
					return
				}
			}
			var told []string
			for _, f := range found {
				told = append(told, fmt.Sprint(f.Rule.ID, " ", f.Path, " ", f.Message))
			}
			t.Errorf("%s at %q saying %q is not among\n%s", tt.rule, tt.path, tt.says, strings.Join(told, "\n"))
		})
	}
}

func resultLine(id int, result string) string {
	return fmt.Sprintf(`S> {"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

// A long list, and a long result, cost no more than their length.
func TestLongListsAreJudgedInTime(t *testing.T) {
	var tools, blocks, values []string
	for i := range 3000 {
		tools = append(tools, fmt.Sprintf(`{"name":"t%d","description":"x","inputSchema":{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer","minimum":%d}},"required":["a"]},"outputSchema":{"type":"object","properties":{"v":{"type":"array","items":{"type":"number"}}}}}`, i, i))
		blocks = append(blocks, `{"type":"text","text":"{\"v\":[1,2,3]}"}`)
		values = append(values, fmt.Sprint(i))
	}
	lines := []string{`C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`, resultLine(1, `{"tools":[`+strings.Join(tools, ",")+`]}`)}
	for id := 10; id < 20; id++ {
		lines = append(lines, fmt.Sprintf(`C> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t%d","arguments":{"a":"x","n":5000}}}`, id, id))
		lines = append(lines, resultLine(id, `{"content":[`+strings.Join(blocks, ",")+`],"structuredContent":{"v":[`+strings.Join(values, ",")+`]}}`))
	}
	took := cputime.Of(func() {
		for _, f := range play(t, trace{rule: "T006", context: "25c", lines: lines}) {
			if f.Severity == rule.Error {
				t.Errorf("%s %s %s", f.Rule.ID, f.Path, f.Message)
			}
		}
	})
	if took > 15*time.Second {
		t.Errorf("it took %v", took)
	} else {
		t.Log(took)
	}
}

// Whatever stands in the place of a value, nothing panics, and every finding
// says something.
func TestOddValuesAreJudgedToo(t *testing.T) {
	token := regexp.MustCompile(`"[^"]*"|\{\}|\[\]|-?\d+|true|false|null|\[[^\[\]]*\]|\{[^{}]*\}`)
	for _, tr := range traces(t, "fires") {
		if tr.rule[0] != 'T' && tr.rule[0] != 'S' {
			continue
		}
		for i, line := range tr.lines {
			for _, at := range token.FindAllStringIndex(line, -1) {
				if strings.HasPrefix(line[at[1]:], ":") {
					continue // a name
				}
				for _, odd := range []string{`null`, `[]`, `{}`, `[null,[{}],{"a":[]}]`, `""`, `"\ud800"`, `-1e9`, `true`} {
					lines := slices.Clone(tr.lines)
					lines[i] = line[:at[0]] + odd + line[at[1]:]
					for _, f := range play(t, trace{rule: tr.rule, context: tr.context, lines: lines}) {
						if f.Message == "" || f.Hint == "" {
							t.Errorf("%s says nothing on %s", f.Rule.ID, lines[i])
						}
					}
				}
			}
		}
	}
}

package wiremutant

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A messageOperator classifies the mutants of an operator for a kind of message, by the specification.
type messageOperator struct {
	op    string
	kinds func(kind string) bool
	class Class
	spec  string
	want  string // pattern of the findings that report it
}

func isResult(kind string) bool   { return strings.HasPrefix(kind, "result:") }
func isResponse(kind string) bool { return isResult(kind) || slices.Contains(rightRefusals, kind) }
func isAny(kind string) bool {
	return isResponse(kind) || !strings.HasPrefix(kind, "error:") && !strings.HasPrefix(kind, "http:") && !strings.HasPrefix(kind, "hook:")
}

// rightRefusals are errors that correct requests cause, because the object they name does not exist. Other
// errors respond to wrong frames, on connections whose responses are not judged.
var rightRefusals = []string{"error:resources/read", "error:prompts/get", "error:completion/complete", "error:events/poll"}

// wantSilence matches findings that report a missing response.
const wantSilence = `no response|no result|without a message|no message|lost`

// falseSilence matches findings that report that nothing arrived. They are false for operators that send a
// response in another form.
const falseSilence = `[Nn]o response|without a message|no message\b|\blost\b|loses|does not work|did not come|has ended|unusable|answers nothing`

// sent holds the operators whose responses arrive in another form.
var sent = []string{"msg-repeat", "msg-repeat-late", "msg-delay", "id-string", "id-other", "id-null", "also-error", "to-error", "answer", "text-before", "cut", "batch"}

var messageOperators = []messageOperator{
	{"msg-drop", isResult, Violation, "JSON-RPC 2.0 §5: the server must reply with a response", wantSilence},
	{"msg-repeat", isResponse, Violation, "JSON-RPC 2.0 §5: one response to a request", `J032|J001|more bytes`},
	{"msg-repeat-late", isResult, Violation, "JSON-RPC 2.0 §5: one response to a request", `J032|J001|more bytes`},
	{"msg-delay", func(kind string) bool { return isResult(kind) && kind != "result:tools/call" }, Allowed, "", ""}, // a late result of a cancelled call ignores the cancellation
	{"id-string", isResponse, Violation, "basic: a response has the id of its request", `J031|id "?\d|not connected: .*no response to it`},
	{"id-other", isResponse, Violation, "basic: a response has the id of its request", `J030|id \d|not connected: .*no response to it`},
	{"id-null", isResponse, Violation, "basic: a response has the id of its request", `J013|id null|not connected: .*no response to it`},
	{"also-error", isResult, Violation, "basic: a response has either result or error", `J014|both "result" and "error"`},
	{"to-error", isResult, Violation, "what the server offers works", `-32603`},
	{"answer", isResult, Violation, "basic: a result is an object", `J025|result. is null|"result"|not an object`},
	{"text-before", isAny, Violation, "transports: only messages are sent", `K001|J001|not JSON|text|not connected: .*no response to it`},
	{"cut", isAny, Violation, "transports: a message is valid JSON", `J001|J003|not JSON|end of the input`},
	{"batch", isResponse, Violation, "since 2025-06-18 batches are removed", `[Bb]atch|array`},
}

// Messages returns up to n mutants of message operators for the places of a survey. The seed determines the
// choice: one mutant of each operator before a second.
func Messages(world string, places []Place, seed uint64, n int) []Mutant {
	var kinds []string
	for _, p := range places {
		if p.At == "" && !slices.Contains(kinds, p.Kind) {
			kinds = append(kinds, p.Kind)
		}
	}
	random := rand.New(rand.NewPCG(seed, 1))
	var all []Mutant
	for round := 0; len(all) < n && round < len(kinds); round++ {
		for _, o := range messageOperators {
			var fit []string
			for _, kind := range kinds {
				if o.kinds(kind) {
					fit = append(fit, kind)
				}
			}
			if len(fit) == 0 || len(all) == n {
				continue
			}
			kind := fit[random.IntN(len(fit))]
			m := Mutant{ID: fmt.Sprintf("%s-%d-%d", world, seed, len(all)), World: world, Edits: []Edit{{Op: o.op, On: kind}}, Class: o.class, Spec: o.spec}
			if o.want != "" {
				m.Want = []string{o.want}
			}
			if slices.Contains(sent, o.op) && isResponse(kind) {
				m.Never = falseSilence
			}
			all = append(all, m)
		}
	}
	return all
}

// A responseOperator classifies the mutants of an HTTP response for a method, by the specification.
type responseOperator struct {
	op    string
	arg   string // JSON
	kinds string // pattern of the kinds
	class Class
	spec  string
	want  string
}

const noBodySpec = "transports: 202 for a notification"

const anyRequest = `^http:[a-z]+/|^http:(initialize|ping)$`

var responseOperators = []responseOperator{
	{"status", "500", `^http:(tools|resources|prompts|events|completion)/|^http:(ping|initialize)$`, Violation, "transports: a response to a request", `500`},
	{"status", "202", `^http:(tools|resources|prompts|events|completion)/|^http:(ping|initialize)$`, Violation, "transports: 202 is for notifications", `202|no response|without a message|H010`},
	{"status", "200", `^http:notifications/initialized$`, Violation, noBodySpec, `H011`},
	{"header-drop", `"content-type"`, `^http:(tools|resources|prompts|events)/|^http:(ping|initialize)$`, Violation, "transports: the type of the response", `H012|Content-Type|content type`},
	{"header-set", `["content-type","text/plain"]`, `^http:(tools|resources|prompts|events)/|^http:(ping|initialize)$`, Violation, "transports: the type of the response", `H012|Content-Type|text/plain`},
	{"header-set", `["mcp-session-id","s 1"]`, `^http:initialize$`, Violation, "transports: a session id has only visible ASCII", `session`},
	{"header-case", `"content-type"`, `^http:[a-z]+/|^http:(ping|initialize)$`, Allowed, "", ""},
	{"as-sse", "", anyRequest, Allowed, "", ""},
	{"no-body", "", `^http:(tools|resources|prompts|events|completion)/|^http:(ping|initialize)$`, Violation, "transports: a response to a request", wantSilence + `|empty|H0`},
}

// Responses returns up to n mutants of HTTP responses for the places of a survey. The seed determines the
// choice: one mutant of each operator before a second.
func Responses(world string, places []Place, seed uint64, n int) []Mutant {
	random := rand.New(rand.NewPCG(seed, 3))
	var all []Mutant
	for round := 0; len(all) < n && round < 20; round++ {
		for _, o := range responseOperators {
			var fit []Place
			for _, p := range places {
				method, _ := strings.CutPrefix(p.Kind, "http:")
				if o.spec == noBodySpec {
					method = "initialize"
				}
				isRight := slices.Contains(places, Place{Kind: "result:" + method}) // otherwise only wrong requests have caused it
				if p.At == "" && isRight && pattern(o.kinds).MatchString(p.Kind) {
					fit = append(fit, p)
				}
			}
			if len(fit) == 0 || len(all) == n {
				continue
			}
			m := Mutant{ID: fmt.Sprintf("%s-%d-h%d", world, seed, len(all)), World: world, Class: o.class, Spec: o.spec}
			m.Edits = []Edit{{Op: o.op, On: fit[random.IntN(len(fit))].Kind, Arg: json.RawMessage(o.arg)}}
			if o.want != "" {
				m.Want = []string{o.want}
			}
			all = append(all, m)
		}
	}
	return all
}

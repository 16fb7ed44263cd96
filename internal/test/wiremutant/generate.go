package wiremutant

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// Operators of a member whose mutants a schema can classify: [Members] uses them.
var schemaOperators = []string{"drop", "null", "type"}

// A messageOperator is what a mutant of a message operator is by the specification, for a kind of message.
type messageOperator struct {
	op    string
	kinds func(kind string) bool
	class Class
	spec  string
	want  string // pattern of the findings that name it
}

func isResult(kind string) bool   { return strings.HasPrefix(kind, "result:") }
func isResponse(kind string) bool { return isResult(kind) || slices.Contains(rightRefusals, kind) }
func isAny(kind string) bool {
	return isResponse(kind) || !strings.HasPrefix(kind, "error:") && !strings.HasPrefix(kind, "http:") && !strings.HasPrefix(kind, "hook:")
}

// rightRefusals are errors that right requests lead to: what they name does not exist. Other errors answer frames that
// are wrong, on connections whose responses are not judged.
var rightRefusals = []string{"error:resources/read", "error:prompts/get", "error:completion/complete", "error:events/poll"}

// wantSilence matches what names a missing response.
const wantSilence = `no response|no result|without a message|no message|lost`

var messageOperators = []messageOperator{
	{"msg-drop", isResult, Violation, "JSON-RPC 2.0 §5: the server must reply with a response", wantSilence},
	{"msg-repeat", isResponse, Violation, "JSON-RPC 2.0 §5: one response to a request", `J032|J001|more bytes`},
	{"msg-repeat-late", isResult, Violation, "JSON-RPC 2.0 §5: one response to a request", `J032|J001|more bytes`},
	{"msg-delay", isResult, Allowed, "", ""},
	{"id-string", isResponse, Violation, "basic: a response has the id of its request", `J031|id "?\d`},
	{"id-other", isResponse, Violation, "basic: a response has the id of its request", `J030|id \d`},
	{"id-null", isResponse, Violation, "basic: a response has the id of its request", `J013|id null`},
	{"also-error", isResult, Violation, "basic: a response has either result or error", `J014|both "result" and "error"`},
	{"to-error", isResult, Violation, "what the server offers works", `-32603`},
	{"answer", isResult, Violation, "basic: a result is an object", `J025|result. is null|"result"|not an object`},
	{"text-before", isAny, Violation, "transports: only messages are sent", `K001|J001|not JSON|text`},
	{"cut", isAny, Violation, "transports: a message is valid JSON", `J001|J003|not JSON|end of the input`},
	{"batch", isResponse, Violation, "since 2025-06-18 batches are removed", `[Bb]atch|array`},
}

// Messages returns up to n mutants of operators of messages over the places of a survey, chosen with a seed: one of each
// operator before a second.
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
			all = append(all, m)
		}
	}
	return all
}

// Members returns up to n mutants of operators of members, chosen with a seed. Their class is for a schema to say.
func Members(world string, places []Place, seed uint64, n int) []Mutant {
	random := rand.New(rand.NewPCG(seed, 2))
	var fit []Place
	for _, p := range places {
		if strings.Count(p.At, "/") > 1 && isAny(p.Kind) && !strings.HasPrefix(p.Kind, "error:") {
			fit = append(fit, p)
		}
	}
	var all []Mutant
	for i, j := range random.Perm(len(fit)) {
		if len(all) == n {
			break
		}
		p := fit[j]
		op := schemaOperators[i%len(schemaOperators)]
		name := p.At[strings.LastIndex(p.At, "/")+1:]
		if name == "*" {
			name = strings.TrimSuffix(p.At, "/*")
			name = name[strings.LastIndex(name, "/")+1:]
		}
		all = append(all, Mutant{
			ID: fmt.Sprintf("%s-%d-m%d", world, seed, len(all)), World: world, Edits: []Edit{{Op: op, On: p.Kind, At: p.At}},
			Spec: "the schema of the protocol version", Want: []string{regexp.QuoteMeta(unescape.Replace(name))},
		})
	}
	return all
}

package wiremutant

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A valueRule classifies the mutants of an operator for the matching members, by the specification. The first
// matching rule counts. If there is none, a schema decides, see [Members].
type valueRule struct {
	op    string // operators, separated by spaces
	kind  string // pattern of the kind of message
	at    string // pattern of the pointer
	class Class
	spec  string
	want  string // pattern of the findings that report it, or "" for the name of the member
}

const (
	listKinds = `^result:(tools|resources|resources/templates|prompts)/list$`
	itemLists = `^/result/(tools|resources|resourceTemplates|prompts)$`
	occurs    = `^(notifications/events/event|result:events/poll|hook:event)$`
	inOccurs  = `^(/params|/result/events/\*|/body)`
)

// valueRules are the rules for operators of members whose class follows from a sentence of the specification.
var valueRules = []valueRule{
	// pages and their items
	{"more overlap", listKinds, itemLists, Violation, "pagination: results start after the cursor; names are unique", `twice|Two (tools|prompts|resources)`},
	{"freeze", listKinds, `^/result/(tools|prompts)/\*/name$`, Violation, "names are unique", `Two (tools|prompts)`},
	{"freeze stale", listKinds, `^/result/nextCursor$`, Violation, "pagination: results start after the cursor", `twice|listed|cursor`},
	{"other alternate empty", listKinds, `^/result/nextCursor$`, Violation, "pagination: a cursor of the server is valid", `cursor|cannot be read|more pages|twice`},
	{"other", `^result:tools/list$`, `^/result/tools/\*/name$`, Violation, "tools: a listed tool can be called", `P-058|P-010|unknown|not found`},
	{"other", `^result:prompts/list$`, `^/result/prompts/\*/name$`, Violation, "prompts: a listed prompt can be got", `P-076|P-010|unknown|not found`},
	{"other", `^result:resources/list$`, `^/result/resources/\*/uri$`, Violation, "resources: a listed resource can be read", `P-067|P-070|unknown|not found`},
	{"other", listKinds, `/(title|description)$`, Allowed, "", ""},
	{"more", listKinds, `/inputSchema/required$`, Violation, "JSON Schema: required is unique", `required|inputSchema`},
	// values within one message
	{"other", `^result:completion/complete$`, `^/result/completion/values$`, Allowed, "", ""},
	{"empty more", `^result:completion/complete$`, `^/result/completion/values$`, Violation, "completion: at most 100 values, and total is their number", `values|total`},
	{"other", `^result:completion/complete$`, `^/result/completion/(total|hasMore)$`, Violation, "completion: hasMore and total are about the same values", `hasMore|total`},
	{"empty", `^result:completion/complete$`, `^/result/completion/total$`, Violation, "completion: total is the number of values", `total`},
	{"other", `^result:(resources/read|tools/call)$`, `/blob$|/data$`, Violation, "schema: base64", `S022|base64|Base64`},
	{"other", `^result:resources/read$`, `^/result/contents/\*/(uri|text)$`, Allowed, "", ""},
	{"other", `^result:tools/call$`, `^/result/structuredContent$`, Violation, "tools: the text has the serialized content", `S014|S015|S016`},
	{"other", `^result:prompts/get$`, `/content/text$|/description$`, Allowed, "", ""},
	{"other", `^result:(initialize|server/discover)$`, `^/result/(serverInfo.*|instructions|capabilities)$`, Allowed, "", ""},
	{"other", `^result:initialize$`, `^/result/protocolVersion$`, Violation, "lifecycle: a version that the server supports", `protocol version`},
	{"other", `^result:`, `^/result/resultType$`, Violation, "resultType is one of two", `resultType`},
	{"other", `^result:`, `^/result/ttlMs$`, Allowed, "", ""},
	{"other", ``, `^/jsonrpc$`, Violation, "JSON-RPC 2.0 §4: exactly \"2.0\"", `jsonrpc|2\.0`},
	{"drop null type", ``, `^/jsonrpc$`, Violation, "JSON-RPC 2.0 §4: exactly \"2.0\"", `jsonrpc|2\.0`},
	// order
	{"freeze stale alternate", `^notifications/progress$`, `^/params/progress$`, Violation, "progress must increase", `N004`},
	{"other", `^notifications/progress$`, `^/params/progressToken$`, Violation, "progress: a token of an active request", `token`},
	{"other", `^notifications/progress$`, `^/params/(message|total)$`, Allowed, "", ""},
	{"other", `^notifications/message$`, `^/params/(logger|data)$`, Allowed, "", ""},
	{"other", `^result:tasks/`, `^/result/taskId$`, Violation, "tasks: the task of the request", `task`},
	{"other", `^(result:tasks/|notifications/tasks)`, `/(createdAt|lastUpdatedAt)$`, Violation, "tasks: ISO 8601", `createdAt|lastUpdatedAt|8601`},
	{"other", ``, `/_meta/io\.modelcontextprotocol~1subscriptionId$`, Violation, "subscriptions: the id of the request", `subscription|X01|V04`},
	// events
	{"drop null type", occurs, inOccurs + `/(eventId|name|timestamp)$`, Violation, "SEP-3415, EventOccurrence", ""},
	{"type drop null", occurs, inOccurs + `/data$`, Violation, "SEP-3415, EventOccurrence", ""},
	{"type", occurs, inOccurs + `/data/[^/]+$`, Violation, "SEP-3415, payloadSchema", `payloadSchema|data`},
	{"other", occurs, inOccurs + `/name$`, Violation, "SEP-3415, EventOccurrence", `V020|name`},
	{"other", occurs, inOccurs + `/timestamp$`, Violation, "SEP-3415, EventOccurrence", `timestamp`},
	{"freeze", occurs, inOccurs + `/eventId$`, Violation, "SEP-3415, EventOccurrence", `I001|V023`},
	{"stale", occurs, inOccurs + `/eventId$`, Violation, "SEP-3415, EventOccurrence", `I001|V023`},
	{"freeze", occurs, inOccurs + `/timestamp$`, Allowed, "", ""},
	{"drop type null", `^result:events/poll$`, `^/result/(truncated|hasMore|nextPollMs|events)$`, Violation, "SEP-3415, events/poll", ""},
	{"freeze", `^result:events/poll$`, `^/result/cursor$`, Violation, "SEP-3415, Cursor Lifecycle", `I002`},
	{"stale", `^result:events/poll$`, `^/result/cursor$`, Violation, "SEP-3415, Cursor Lifecycle", `I002|V023|V0`},
	{"other", `^(result:events/(poll|subscribe)|notifications/events/(active|event|heartbeat))$`, `/cursor$`, Violation, "SEP-3415, Cursor Lifecycle", `cursor`},
	{"type", `^(result:events/poll|notifications/events/(active|event|heartbeat)|result:events/subscribe|hook:event)$`, `/cursor$`, Violation, "SEP-3415, Cursor Lifecycle", `cursor`},
	{"null", `^(result:events/poll|notifications/events/(active|event|heartbeat))$`, `/cursor$`, Violation, "SEP-3415, Cursor Lifecycle", `cursor`},
	{"freeze", `^notifications/events/(event|heartbeat)$`, `^/params/cursor$`, Violation, "SEP-3415, Cursor Lifecycle", `I002|cursor`},
	{"other", `^result:events/poll$`, `^/result/nextPollMs$`, Allowed, "", ""},
	{"other", `^result:events/poll$`, `^/result/truncated$`, Violation, "SEP-3415, Cursors", `I006|truncated`},
	{"other", `^result:events/poll$`, `^/result/hasMore$`, Violation, "SEP-3415, Polling", `I005|hasMore`},
	{"type null", `^notifications/events/active$`, `^/params/truncated$`, Violation, "SEP-3415, events/stream", `truncated`},
	{"drop type null", `^notifications/events/`, `^/params/_meta`, Violation, "SEP-3415, events/stream", `subscription|_meta`},
	{"more", `^result:events/poll$`, `^/result/events$`, Violation, "SEP-3415: an event once", `V023`},
	{"more overlap", `^result:events/list$`, `^/result/events$`, Violation, "SEP-3415: names are unique", `V013|twice`},
	{"drop type null", `^result:events/list$`, `^/result/events/\*/(name|delivery|inputSchema|payloadSchema)$`, Violation, "SEP-3415, events/list", ""},
	{"type", `^result:events/list$`, `^/result/events/\*/description$`, Violation, "SEP-3415, events/list", ""},
	{"empty", `^result:events/list$`, `^/result/events/\*/delivery$`, Violation, "SEP-3415, events/list", `V010|delivery`},
	{"other", `^result:events/list$`, `^/result/events/\*/(description|delivery)$`, Allowed, "", ""},
	{"other", `^result:events/list$`, `^/result/events/\*/name$`, Violation, "SEP-3415: a listed type can be subscribed", `V004|events`},
	{"alternate", `^result:events/list$`, `^/result/events$`, Allowed, "", ""},
	{"drop type null", `^result:events/subscribe$`, `^/result/(id|refreshBefore)$`, Violation, "SEP-3415, events/subscribe", `V06|id|refreshBefore`},
	{"other", `^result:events/subscribe$`, `^/result/(id|refreshBefore)$`, Violation, "SEP-3415, events/subscribe", `V06|V094|refreshBefore`},
	{"freeze", `^result:events/subscribe$`, `^/result/id$`, Violation, "SEP-3415, events/subscribe", `V06|V094`},
	{"drop type null empty other", `^hook:`, `^/headers/(webhook-id|webhook-timestamp|webhook-signature|x-mcp-subscription-id)$`, Violation, "SEP-3415, Delivery", `V09|webhook|signature|X-MCP`},
	{"freeze", `^hook:event$`, `^/headers/webhook-timestamp$`, Violation, "Standard Webhooks: a timestamp for each attempt", `timestamp`},
	{"drop type null empty", `^hook:verification$`, `^/body/challenge$`, Violation, "SEP-3415, Callback verification", `challenge|type`},
	{"freeze stale", `^hook:verification$`, `^/body/challenge$`, Violation, "SEP-3415, Callback verification", `I001|challenge`},
	{"drop type null empty other", `^hook:verification$`, `^/body/type$`, Violation, "SEP-3415, Callback verification", `challenge|type|V09`},
}

// patterns holds the compiled patterns of the tables.
var patterns sync.Map // *regexp.Regexp by text

func pattern(text string) *regexp.Regexp {
	if p, ok := patterns.Load(text); ok {
		return p.(*regexp.Regexp)
	}
	p, _ := patterns.LoadOrStore(text, regexp.MustCompile(text))
	return p.(*regexp.Regexp)
}

// matching returns the rule for an operator and a member, or nil.
func matching(op string, p Place) *valueRule {
	for i := range valueRules {
		r := &valueRules[i]
		if slices.Contains(strings.Fields(r.op), op) && pattern(r.kind).MatchString(p.Kind) && pattern(r.at).MatchString(p.At) {
			return r
		}
	}
	return nil
}

// schemaOperators holds the operators of a member whose mutants a schema can classify.
var schemaOperators = []string{"drop", "null", "type"}

// memberOperators holds the operators of generated mutants of members, in the order of rounds.
var memberOperators = append(slices.Clone(schemaOperators), "other", "freeze", "stale", "alternate", "empty", "more", "overlap")

// Members returns up to n mutants of member operators, chosen with a seed: one of each operator before a
// second, and of each kind of message before a second. The class is "" if a schema must decide.
func Members(world string, places []Place, seed uint64, n int) []Mutant {
	random := rand.New(rand.NewPCG(seed, 2))
	left := map[string][]Place{}
	for _, op := range memberOperators {
		for _, p := range places {
			own := matching(op, p)
			schema := slices.Contains(schemaOperators, op) && strings.Count(p.At, "/") > 1 && isAny(p.Kind) && !strings.HasPrefix(p.Kind, "error:")
			if p.At != "" && (own != nil || schema) && (isAny(p.Kind) || strings.HasPrefix(p.Kind, "hook:")) {
				left[op] = append(left[op], p)
			}
		}
	}
	used := map[string]int{} // number of uses of an operator on a kind of message
	var all []Mutant
	for found := true; found && len(all) < n; {
		found = false
		for _, op := range memberOperators {
			if len(left[op]) == 0 || len(all) == n {
				continue
			}
			found = true
			i := rarest(left[op], func(p Place) int { return used[op+" "+p.Kind] }, random)
			p := left[op][i]
			left[op] = slices.Delete(left[op], i, i+1)
			used[op+" "+p.Kind]++
			all = append(all, memberMutant(fmt.Sprintf("%s-%d-m%d", world, seed, len(all)), world, op, p))
		}
	}
	return all
}

// rarest returns the index of a random place among the least used ones.
func rarest(places []Place, uses func(Place) int, random *rand.Rand) int {
	least := uses(places[0])
	for _, p := range places {
		least = min(least, uses(p))
	}
	var fit []int
	for i, p := range places {
		if uses(p) == least {
			fit = append(fit, i)
		}
	}
	return fit[random.IntN(len(fit))]
}

func memberMutant(id, world, op string, p Place) Mutant {
	name := p.At[strings.LastIndex(p.At, "/")+1:]
	if name == "*" {
		name = strings.TrimSuffix(p.At, "/*")
		name = name[strings.LastIndex(name, "/")+1:]
	}
	m := Mutant{ID: id, World: world, Edits: []Edit{{Op: op, On: p.Kind, At: p.At}}, Spec: "the schema of the protocol version", Want: []string{regexp.QuoteMeta(unescape.Replace(name))}}
	if r := matching(op, p); r != nil {
		m.Class, m.Spec = r.class, r.spec
		if r.want != "" {
			m.Want = []string{r.want}
		}
	}
	return m
}

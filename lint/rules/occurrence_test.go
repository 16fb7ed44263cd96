package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"mcptea/internal/schema/check"
	"mcptea/lint"
	"mcptea/lint/occurrence"
)

// An event has the same faults in a subscription as in a frame or a delivery: the same rules at the same places.
func TestOccurrence_FaultsAreFindings(t *testing.T) {
	const payload = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
	const hook = `"delivery":{"mode":"webhook","url":"https://hooks.example.com/a","secret":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}`
	carriers := []struct{ name, below, lines string }{
		{"poll", "/result/events/0", `C> {"jsonrpc":"2.0","id":2,"method":"events/poll","params":{"name":"tick","arguments":{},"cursor":"c0","_meta":"@meta"}}
S> {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","events":[{%s}],"cursor":"c1","truncated":false,"hasMore":false,"nextPollMs":1000}}`},
		{"stream", "/params", `C> {"jsonrpc":"2.0","id":2,"method":"events/stream","params":{"name":"tick","arguments":{},"cursor":null,"_meta":"@meta"}}
S> {"jsonrpc":"2.0","method":"notifications/events/active","params":{"cursor":"c0","truncated":false,"_meta":{"@/subscriptionId":2}}}
S> {"jsonrpc":"2.0","method":"notifications/events/event","params":{%s,"_meta":{"@/subscriptionId":2}}}`},
		{"webhook", "", `C> {"jsonrpc":"2.0","id":2,"method":"events/subscribe","params":{"name":"tick","arguments":{},` + hook + `,"cursor":null,"_meta":"@meta"}}
W> {"id":"v1","b":{"type":"verification","challenge":"c"}}
S> {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","id":"sub_1","refreshBefore":"2099-01-01T00:00:00Z","cursor":null,"truncated":false}}
W> {"id":"msg_1","b":{%s}}`},
	}
	for members, want := range map[string]string{
		`"eventId":"e","name":"tick","timestamp":"2026-11-28T00:00:00Z","data":{"n":1},"cursor":"c1"`:       "",
		`"eventId":"e","name":"tick","timestamp":"2026-11-28T00:00:00Z","data":{},"cursor":"c1"`:            "V021 /data/n is missing",
		`"eventId":"","name":"tock","timestamp":"yesterday","data":{"n":1},"cursor":"c1"`:                   `V025 /eventId is empty; V020 /name is "tock", but the subscription is for "tick"; V022 /timestamp is "yesterday", which is not ISO 8601`,
		`"eventId":"e","name":"tick","timestamp":"2026-11-28T00:00:00Z","data":{"n":1},"cursor":1`:          "D001 /cursor is a number and not a string or null",
		`"eventId":1,"name":"tick","timestamp":"2026-11-28T00:00:00Z","data":{"n":"x","m":[]},"cursor":"c"`: "D001 /eventId is a number and not a string; V021 /data/n must be an integer, found a string",
		`"eventId":"e","name":null,"data":{"n":1},"cursor":"c1"`:                                            "D001 /name is null and not a string; D002 /timestamp is missing",
	} {
		of := occurrence.Subscription{Name: "tick", Payload: check.Compile([]byte(payload), check.Options{})}
		faults, isChecked := occurrence.Faults([]byte("{"+members+"}"), of)
		var all []string
		for _, f := range faults {
			all = append(all, f.String())
		}
		if got := strings.Join(all, "; "); got != want || !isChecked {
			t.Errorf("%s: %s; want %s", members, got, want)
		}
		for _, c := range carriers {
			list := `C> {"jsonrpc":"2.0","id":1,"method":"events/list","params":{"_meta":"@meta"}}
S> {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","events":[{"name":"tick","description":"A tick","delivery":["poll","push","webhook"],"inputSchema":{"type":"object"},"payloadSchema":` + payload + `}]}}
`
			found := play(t, trace{context: `26 caps.server={"extensions":{"io.modelcontextprotocol/events":{}}}`, lines: strings.Split(list+fmt.Sprintf(c.lines, members), "\n")})
			of.IsHook = c.name == "webhook"
			faults, _ := occurrence.Faults([]byte("{"+members+"}"), of)
			if got, want := findingsAt(found, c.below), rulesOf(faults); got != want {
				t.Errorf("%s by %s: lint finds %s; the subscription %s", members, c.name, got, want)
			}
		}
	}
}

// findingsAt lists the rules of the findings about members of an event below a path, sorted.
func findingsAt(found []lint.Finding, below string) string {
	is := map[string]bool{}
	for _, f := range found {
		rest, isBelow := strings.CutPrefix(f.Path, below+"/")
		if member, _, _ := strings.Cut(rest, "/"); isBelow && slices.Contains([]string{"eventId", "name", "timestamp", "data", "cursor"}, member) {
			is[f.Rule.ID+" /"+member] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(is)), ", ")
}

// rulesOf lists the rules of faults with the members that they are about, sorted. V093 reports one fault of a body.
func rulesOf(faults []occurrence.Fault) string {
	is, said := map[string]bool{}, false
	for _, f := range faults {
		if f.Rule == occurrence.Delivery && said {
			continue
		}
		said = said || f.Rule == occurrence.Delivery
		is[f.Rule+" /"+strings.Split(f.Place, "/")[1]] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(is)), ", ")
}

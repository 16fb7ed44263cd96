package demo

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// required is a result that asks for something.
type required struct {
	ResultType    string
	InputRequests map[string]struct {
		Method string
		Params json.RawMessage
	}
	RequestState *string
}

func inputRequired(t *testing.T, frame string) required {
	t.Helper()
	var answer struct{ Result required }
	if err := json.Unmarshal([]byte(frame), &answer); err != nil || answer.Result.ResultType != "input_required" {
		t.Fatalf("not input_required: %s", frame)
	}
	return answer.Result
}

// retry makes the request of the next round.
func retry(id, method, params, responses string, state *string) string {
	params = strings.TrimSuffix(params, "}")
	if responses != "" {
		params += `,"inputResponses":` + responses
	}
	if state != nil {
		params += fmt.Sprintf(`,"requestState":%q`, *state)
	}
	return alone(id, method, params+"}", everyCapability, "")
}

const (
	orderAnswer   = `{"action":"accept","content":{"tea":"green","cups":2}}`
	confirmAnswer = `{"action":"accept","content":{"yes":true}}`
	modelText     = `{"role":"assistant","model":"m-1","content":{"type":"text","text":"Assam"}}`
	modelUse      = `{"role":"assistant","model":"m-1","stopReason":"toolUse","content":[{"type":"tool_use","id":"u1","name":"kettle","input":{"kettle":"left"}}]}`
)

func TestRounds(t *testing.T) {
	type round struct{ asks, responses string } // asks: what the inputRequests hold
	tests := []struct {
		name, method, params string
		rounds               []round
		want                 string
	}{
		{"a form", "tools/call", `{"name":"ask-user"}`, []round{{`"mode":"form"`, `{"order":` + orderAnswer + `}`}}, `you filled in: {\"tea\":\"green\",\"cups\":2}`},
		{"a form declined", "tools/call", `{"name":"ask-user"}`, []round{{`What may I bring you`, `{"order":{"action":"decline"}}`}}, `you said: decline`},
		{"every kind of field", "tools/call", `{"name":"ask-user","arguments":{"form":"everything"}}`, []round{{`"anyOf"`, `{"everything":{"action":"cancel"}}`}}, `you said: cancel`},
		{"a page", "tools/call", `{"name":"ask-user","arguments":{"form":"url"}}`, []round{{`"mode":"url"`, `{"page":{"action":"accept"}}`}}, `you said: accept`},
		{"a page first", "tools/call", `{"name":"ask-user","arguments":{"form":"url-first"}}`, []round{{`"url":"https://`, `{"page":{"action":"accept"}}`}}, `you said: accept`},
		{"a model", "tools/call", `{"name":"ask-model"}`, []round{{`sampling/createMessage`, `{"model":` + modelText + `}`}}, `m-1 says: Assam`},
		{"a model with tools", "tools/call", `{"name":"ask-model","arguments":{"tools":true}}`, []round{
			{`"toolChoice":{"mode":"auto"}`, `{"model-1":` + modelUse + `}`},
			{`"toolUseId":"u1"`, `{"model-2":` + modelText + `}`},
		}, `after 2 turns: Assam`},
		{"roots", "tools/call", `{"name":"list-roots"}`, []round{{`roots/list`, `{"roots":{"roots":[{"uri":"file:///tmp"}]}}`}}, `1 roots`},
		{"two rounds", "tools/call", `{"name":"ask-twice"}`, []round{
			{`What may I bring you`, `{"order":` + orderAnswer + `}`},
			{`Is this right? {\"tea\":\"green\"`, `{"confirm":` + confirmAnswer + `}`},
		}, `is it right: you filled in: {\"yes\":true}`},
		{"a missing answer is asked for again", "tools/call", `{"name":"ask-user"}`, []round{
			{`What may I bring you`, `{"other":` + orderAnswer + `}`},
			{`What may I bring you`, `{"order":` + orderAnswer + `}`},
		}, `you filled in`},
		{"several at once, and not all answered", "tools/call", `{"name":"ask-all"}`, []round{
			{`"page":{"method":"elicitation/create"`, `{"form":` + confirmAnswer + `,"model":` + modelText + `}`},
			{`"roots":{"method":"roots/list"`, `{"page":{"action":"accept"},"roots":{"roots":[]}}`},
		}, `page: {\"action\":\"accept\"}`},
		{"nothing but state", "tools/call", `{"name":"think-twice"}`, []round{{``, ``}, {``, ``}}, `thought about it twice`},
		{"a prompt", "prompts/get", `{"name":"ask-name"}`, []round{{`What is your name`, `{"name":{"action":"accept","content":{"name":"Ada"}}}`}}, `a short poem about tea for Ada`},
		{"a resource", "resources/read", `{"uri":"demo://guest-book"}`, []round{{`What is your name`, `{"name":{"action":"accept","content":{"name":"Ada"}}}`}}, `Last guest: Ada`},
	}
	stdio, web := start(t, Options{}), browse(t, Options{})
	for _, ask := range []func(string) []string{stdio.ask, func(f string) []string { return web.ask(f) }} {
		for _, tt := range tests {
			got := ask(alone("1", tt.method, tt.params, everyCapability, ""))
			for i, r := range tt.rounds {
				wants := inputRequired(t, got[0])
				if check(t, tt.name, got[0], []string{r.asks}); (wants.RequestState == nil) != (tt.method != "tools/call") {
					t.Errorf("%s: state: %s", tt.name, got[0])
				}
				if len(wants.InputRequests) == 0 && r.asks != "" {
					t.Errorf("%s: nothing is asked: %s", tt.name, got[0])
				}
				got = ask(retry(fmt.Sprint(i+2), tt.method, tt.params, r.responses, wants.RequestState))
			}
			check(t, tt.name, got[0], []string{`"resultType":"complete"`, tt.want})
			if strings.Contains(got[0], `"ttlMs"`) && !strings.Contains(got[0], `"ttlMs":0`) {
				t.Errorf("%s: what came of a retry may be kept: %s", tt.name, got[0])
			}
		}
	}
}

func TestServerRequests_DeclaredOnly(t *testing.T) {
	c := start(t, Options{})
	wants := inputRequired(t, c.ask(aloneCall("1", "ask-all", "", `{"elicitation":{},"roots":{}}`))[0])
	if len(wants.InputRequests) != 2 || wants.InputRequests["form"].Method == "" || wants.InputRequests["roots"].Method == "" {
		t.Errorf("asked for %v", wants.InputRequests)
	}
	got := c.ask(aloneCall("2", "ask-user", "", `{"elicitation":{"url":{}}}`))
	check(t, "pages only", got[0], []string{`"code":-32021`, `{"elicitation":{"form":{}}}`})
	got = c.ask(aloneCall("3", "ask-model", `{"tools":true}`, `{"sampling":{}}`))
	check(t, "a model without tools", got[0], []string{`"code":-32021`, `{"sampling":{"tools":{}}}`})
}

func TestHostileStates(t *testing.T) {
	const params, responses = `{"name":"ask-user"}`, `{"order":` + orderAnswer + `}`
	c, other := start(t, Options{}), start(t, Options{})
	first := func(c *client, params string) string {
		return *inputRequired(t, c.ask(alone("1", "tools/call", params, everyCapability, ""))[0]).RequestState
	}
	state := first(c, params)
	raw, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)-1] ^= 1
	for name, hostile := range map[string]string{
		"changed":          base64.RawURLEncoding.EncodeToString(raw),
		"cut":              state[:len(state)-4],
		"empty":            "",
		"nonsense":         "../../etc/passwd",
		"another process":  first(other, params),
		"another tool":     first(c, `{"name":"ask-twice"}`),
		"another argument": first(c, `{"name":"ask-user","arguments":{"form":"confirm"}}`),
	} {
		got := c.ask(retry("2", "tools/call", params, responses, &hostile))
		check(t, name, got[0], []string{`"code":-32602`, `requestState`})
	}
	check(t, "the right one", c.ask(retry("3", "tools/call", params, responses, &state))[0], []string{`you filled in`})
	c.send(retry("4", "tools/call", params, `{"order":7}`, &state))
	check(t, "an invalid response", c.mustLine(), []string{`"code":-32602`, `inputResponses`})
}

func TestStatesExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, Options{})
		const params = `{"name":"ask-user"}`
		state := inputRequired(t, c.ask(alone("1", "tools/call", params, everyCapability, ""))[0]).RequestState
		time.Sleep(time.Hour)
		got := c.ask(retry("2", "tools/call", params, `{"order":`+orderAnswer+`}`, state))
		check(t, "an hour later", got[0], []string{`"code":-32602`, `too old`})
		c.finish()
	})
}

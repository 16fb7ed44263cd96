package pane_test

import (
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/schema"
	"mcptea/record/store"
	"mcptea/session/requests"
)

func TestInbox_SendResponse_TypedText(t *testing.T) {
	fx := inboxOpen(t)
	fx.arrive(sample, rain)
	fx.Press("enter")
	fx.Type(`As"sam 5`)
	fx.Press("enter")
	fx.typing()
	fx.Screen.Field().Paste("second\nthird")
	want := `"text":"As\"sam 5\nsecond\nthird"`
	if got := fx.sends("ctrl+s"); !strings.Contains(got, want) {
		t.Errorf("sent %s", got)
	}
}

func TestInbox_SendResponse_InvalidFormTwice(t *testing.T) {
	fx := inboxOpen(t)
	fx.arrive(elicit, order)
	if got := fx.sends("ctrl+s"); got != "" {
		t.Fatalf("sent %v", got)
	}
	fx.sees(fx.Screen.Pal.FailMark, `name is empty. ctrl+s again sends ""`)
	if got := fx.sends("ctrl+s"); got != `{"action":"accept","content":{"tea":"b","extras":["h"],"cups":2,"name":""}}` {
		t.Errorf("sent %s", got)
	}
	fx = inboxOpen(t)
	fx.arrive(elicit, order)
	fx.Press("ctrl+s")
	fx.Type("Ann")
	if got := fx.sends("ctrl+s"); !strings.Contains(got, `"name":"Ann"`) {
		t.Errorf("sent %s", got)
	}
}

// Enter goes from field to field, and sends in the last one.
func TestInbox_EnterGoesRowByRow(t *testing.T) {
	fx := inboxOpen(t)
	fx.arrive(elicit, order)
	fx.Press("enter") // into the form
	for _, row := range []string{"extras", "cups", "name*", "milk"} {
		if got := fx.sends("enter"); got != "" {
			t.Fatalf("enter sends %s", got)
		}
		fx.sees("▌" + row)
		if strings.Contains(fx.Paint(120, 36, true), fx.Screen.Pal.FailMark) {
			t.Fatalf("something is wrong before it was sent, at %s", row)
		}
	}
	if got := fx.sends("enter"); got != "" {
		t.Fatalf("without the name it sends %s", got)
	}
	fx.sees("▌name*", "✗ required", `is empty. ctrl+s again sends ""`)
}

func TestInbox_ToggleJSON_WholeResult(t *testing.T) {
	fx := inboxOpen(t)
	fx.arrive(sample, rain)
	fx.Press("alt+v")
	fx.sees(`"model": "mcptea/human"`)
	fx.setJSON(`{"role":"assistant","content":{"type":"text","text":"Oolong"},"model":"m-1","stopReason":"maxTokens"}`)
	fx.Press("alt+v")
	fx.sees("Oolong", "stop reason maxTokens   model m-1")
	fx.Press("alt+v")
	fx.setJSON(`{"content":{"type":"image"}}`)
	if got := fx.Press("alt+v"); !strings.HasPrefix(got, "fail: The content is not text") {
		t.Error("an image became a text")
	}
	fx.setJSON(`{"oops"`)
	if got := fx.Press("ctrl+s"); !strings.Contains(got, "fail: Line 1") {
		t.Errorf("invalid JSON: %s", got)
	}
	fx.setJSON("{\n  \"anything\": 1.0\n}")
	if got := fx.sends("ctrl+s"); got != `{"anything":1.0}` {
		t.Errorf("sent %s", got)
	}

	fx = inboxOpen(t)
	fx.arrive(elicit, order)
	fx.Press("alt+v")
	fx.setJSON(`{"action":"accept","content":{"tea":"g","name":"Bo","more":[1]}}`)
	fx.Press("alt+v")
	fx.sees("Green tea", "Bo", "more*")
	if got := fx.sends("ctrl+s"); got != `{"action":"accept","content":{"tea":"g","name":"Bo","more":[1]}}` {
		t.Errorf("sent %s", got)
	}
}

func TestInbox_InvalidRequest_ResponseAsJSON(t *testing.T) {
	for _, tt := range []struct{ method, params, why string }{
		{sample, `{"maxTokens":1}`, "it has no messages"},
		{sample, `{"messages":[{"role":"user"}]}`, "a message has no role or no content"},
		{sample, ``, "it has no messages"},
		{elicit, `[]`, "it has no message"},
		{elicit, `{"message":"x"}`, "its requestedSchema is not an object"},
		{elicit, `{"message":"x","mode":"url"}`, "it has no url"},
		{elicit, `{"message":"x","mode":"dance"}`, `neither form nor`},
	} {
		fx := inboxOpen(t)
		fx.arrive(tt.method, tt.params)
		fx.sees(tt.why, "response: the whole result as JSON")
		if got := fx.sends("enter", "ctrl+s"); !strings.HasPrefix(got, "{") {
			t.Errorf("%s: %s", tt.params, got)
		}
	}
}

func TestInbox_SendResponse_NextIsEdited(t *testing.T) {
	fx := inboxOpen(t)
	fx.arrive(sample, rain)
	fx.arrive(sample, talk)
	fx.arrive(sample, rain)
	fx.Press("enter")
	fx.Type("one")
	for i, text := range []string{"one", "two", "three"} {
		fx.Press("ctrl+s")
		if got := fx.sent[len(fx.sent)-1]; len(fx.sent) != i+1 || !strings.HasPrefix(got, fx.reqs[i].ID.String()+" ") || !strings.Contains(got, `"text":"`+text+`"`) {
			t.Fatalf("response %d: %s", i, got)
		}
		if i == 2 {
			break
		}
		// What is typed before the response is sent belongs to the next request.
		next := []string{"two", "three"}[i]
		fx.Type(next[:1])
		fx.settle(i, requests.Answered, "you")
		fx.Type(next[1:])
	}
	fx.settle(2, requests.Answered, "you")
	if fx.typing() {
		t.Error("a request with a response is edited")
	}
}

func TestInbox_SendResponse_EmptyTextTwice(t *testing.T) {
	fx := inboxOpen(t)
	fx.arrive(sample, rain)
	for _, first := range []string{"", "x"} { // a changed text is checked again
		if first != "" {
			fx.Press(first, "backspace")
		}
		if got := fx.Press("ctrl+s"); got != "fail: The response is empty. ctrl+s again sends it." || !fx.typing() {
			t.Fatalf("the first time: %s", got)
		}
	}
	want := `{"role":"assistant","content":{"type":"text","text":""},"model":"mcptea/human","stopReason":"endTurn"}`
	if got := fx.sends("ctrl+s"); got != want {
		t.Errorf("sent %s", got)
	}
}

// A form of the server is checked by its schema as a whole before it is sent, as forms of tools are; the
// second time it is sent unchanged.
func TestInbox_Form_ChecksAsTheLinterDoes(t *testing.T) {
	const contact = `{"message":"Who?","requestedSchema":{"type":"object","required":["name"],"properties":{` +
		`"name":{"type":"string"},"email":{"type":"string","format":"email"},"age":{"type":"integer","minimum":18}}}}`
	for _, c := range []struct {
		name        string
		keys        []string
		text, sees  string
		field, sent string
	}{
		{"untouched", nil, "", `name is empty. ctrl+s again sends ""`, "name", `{"name":""}`},
		{"not an email address", []string{"A", "tab"}, "not one", "✗ is not an email address", "email", `{"name":"A","email":"not one"}`},
		{"too young", []string{"A", "tab", "tab"}, "7", "✗ expected at least 18, found 7", "age", `{"name":"A","age":7}`},
	} {
		fx := inboxOpen(t)
		fx.arrive(elicit, contact)
		if c.text != "" {
			fx.Press("enter")
			fx.Press(c.keys...)
			fx.Type(c.text)
			fx.Press("esc") // out of the response, so that the focus has to move
		}
		if got := fx.Press("ctrl+s"); got != "" || len(fx.sent) > 0 {
			t.Errorf("%s: %s instead of a question", c.name, got)
		}
		fx.sees(c.sees, "again sends")
		if !fx.typing() {
			t.Errorf("%s: no field has the focus", c.name)
		} else if node := fx.Screen.Field().(interface{ Node() *schema.Node }).Node(); node.ID != c.field {
			t.Errorf("%s: the focus is in %q", c.name, node.ID)
		}
		if got := fx.sends("ctrl+s"); got != `{"action":"accept","content":`+c.sent+`}` {
			t.Errorf("%s: sent %s", c.name, got)
		}
	}
	fx := inboxOpen(t)
	fx.arrive(elicit, contact)
	fx.Press("alt+v")
	fx.setJSON(`{"action":"accept","content":{"name":"A","email":"x"}}`)
	if got := fx.Press("ctrl+s"); got != "fail: content/email is not an email address. ctrl+s again sends it." {
		t.Errorf("the JSON: %s", got)
	}
	if got := fx.sends("ctrl+s"); !strings.Contains(got, `"email":"x"`) {
		t.Errorf("the JSON: sent %s", got)
	}
}

func TestInbox_Refresh_WithdrawnWhileEditing(t *testing.T) {
	fx := inboxOpen(t)
	fx.arrive(elicit, order)
	fx.Press("enter")
	fx.Type("q")
	fx.settle(0, requests.Withdrawn, "server")
	if !fx.typing() {
		t.Error("keys would be commands in the middle of a word")
	}
	if got := fx.Press("ctrl+s"); got != "off: The server no longer waits for this response." {
		t.Error("a response to a withdrawn request is sent", got)
	}
	fx.sees("withdrawn by the server")
	if got := fx.Press("esc", "f4"); got != "show frame 30" {
		t.Errorf("frame: %s", got)
	}
	if fx.Press("esc") != "leave" {
		t.Error("esc in the list does not leave")
	}
}

func TestInbox_Click_SelectsAndEdits(t *testing.T) {
	fx := inboxOpen(t)
	fx.arrive(elicit, order)
	fx.arrive(sample, rain)
	for y, row := range strings.Split(fx.screen(120, 20), "\n") {
		if strings.Contains(row, sample) {
			fx.Screen.Click(5, y)
		}
	}
	fx.sees("Which tea")
	for y, row := range strings.Split(fx.screen(120, 20), "\n") {
		if strings.Contains(row, "response as the model") {
			fx.Screen.Click(len([]rune(row[:strings.Index(row, "response as the model")])), y+2)
		}
	}
	if !fx.typing() {
		t.Error("a click into the response does not edit it")
	}
}

func TestInbox_Back_ToTheCall(t *testing.T) {
	for _, tt := range []struct {
		method string
		tab    string
	}{{"tools/call", "tab.tools"}, {"resources/read", "tab.resources"}, {"prompts/get", "tab.prompts"}} {
		fx := inboxOpen(t)
		fx.flows[0].Method = tt.method
		fx.arrive(elicit, order)
		if fx.Press("esc") != "leave" {
			t.Error("esc before the response does not leave")
		}
		fx.Press("x", "enter")
		fx.settle(0, requests.Declined, "you")
		fx.sees("declined by you after", "esc to call id 8")
		if got := fx.Press("esc"); got != "show "+tt.tab {
			t.Errorf("%s: esc after the response: %s", tt.method, got)
		}
		if fx.Press("esc") != "leave" {
			t.Error("the second esc does not leave")
		}
	}
}

// What is pending may be from a moment before the request: its call is looked for again as
// soon as the request itself is pending there, and never later.
func TestInbox_Call_PendingFromBeforeTheRequest(t *testing.T) {
	fx := inboxOpen(t)
	call := fx.flows
	fx.flows = nil
	fx.arrive(client.MethodElicitation, `{"message":"Which city?","requestedSchema":{"type":"object","properties":{"city":{"type":"string"}}}}`)
	if s := fx.screen(120, 20); strings.Contains(s, "ask-model") {
		t.Errorf("it names a call that is not pending:\n%s", s)
	}
	fx.flows = append(call, store.Flow{ID: fx.reqs[0].ID, Dir: transport.In, Method: client.MethodElicitation})
	fx.refresh()
	fx.sees("for ask-model", "for call id 8")
	fx.flows[0].ID, fx.flows[0].Name = jsonrpc.IDOf("9"), "another"
	fx.refresh()
	fx.sees("for ask-model", "for call id 8")
}

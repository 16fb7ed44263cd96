package profile_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mcptea/client/hosts"
	"mcptea/client/jsonrpc"
	"mcptea/client/profile"
)

const fileOfClient = `{"mcptea_client":1,"id":"odd","name":"Odd 1.0","frames":[
	"{\"method\": \"initialize\", \"params\": {\"protocolVersion\": \"2025-06-18\", \"clientInfo\": {\"version\": \"1.0\", \"name\": \"odd\"}, \"capabilities\": {}}, \"jsonrpc\": \"2.0\", \"id\": 7}",
	{"jsonrpc":"2.0","method":"notifications/initialized","params":{}},
	{"id":8,"jsonrpc":"2.0","method":"tools/list","params":{"_meta":{"progressToken":8}}}]}`

func parsed(t *testing.T, text string) *profile.Profile {
	t.Helper()
	p, err := profile.Parse([]byte(text), unasked)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var errAsked = errors.New("the user is asked")

func unasked(*profile.Profile) error { return errAsked }

func raw(t *testing.T, text string) profile.Raw {
	t.Helper()
	r, err := profile.NewRaw([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A frame is sent as the client wrote it, except for its id: with its spaces and the order of its members.
func TestProfile_WritesAsTheClient(t *testing.T) {
	p := parsed(t, fileOfClient)
	if first, ok := p.FirstID(); !ok || first != 7 {
		t.Errorf("the first id is %d, %t", first, ok)
	}
	id := jsonrpc.IntID(41)
	request := func(method, params string) string {
		t.Helper()
		own, _ := p.Params(id, method, []byte(params))
		if own == nil {
			own = []byte(params)
		}
		frame, ok := p.Request(id, method, own)
		if !ok {
			t.Fatalf("%s: the form is not known", method)
		}
		return string(frame)
	}
	for _, c := range []struct{ method, params, want string }{
		{"initialize", "", `{"method": "initialize", "params": {"protocolVersion": "2025-06-18", "clientInfo": {"version": "1.0", "name": "odd"}, "capabilities": {}}, "jsonrpc": "2.0", "id": 41}`},
		{"tools/list", "", `{"id":41,"jsonrpc":"2.0","method":"tools/list","params":{"_meta":{"progressToken":41}}}`},
		{"tools/list", `{"cursor":"b}"}`, `{"id":41,"jsonrpc":"2.0","method":"tools/list","params":{"cursor":"b}","_meta":{"progressToken":41}}}`},
		{"tools/list", `{"_meta":{}}`, `{"id":41,"jsonrpc":"2.0","method":"tools/list","params":{"_meta":{}}}`},
		{"tools/call", `{"name":"a","arguments":{"b":{}}}`, `{"method": "tools/call", "params": {"name":"a","arguments":{"b":{}}}, "jsonrpc": "2.0", "id": 41}`},
		{"ping", "", `{"method": "ping", "jsonrpc": "2.0", "id": 41}`},
	} {
		if got := request(c.method, c.params); got != c.want {
			t.Errorf("%s %s\n got %s\nwant %s", c.method, c.params, got, c.want)
		}
	}
	if frame, _ := p.Notification("notifications/cancelled", []byte(`{"requestId":1}`)); string(frame) != `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` {
		t.Errorf("a notification is %s", frame)
	}
}

// The params of a caller are in the frame even if the client sends that method without params, and the version
// is that of the caller.
func TestProfile_ParamsOfTheCaller(t *testing.T) {
	p := parsed(t, `{"mcptea_client":1,"frames":[
		{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}},
		{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"prompts/list","params":{}}]}`)
	id := jsonrpc.IntID(5)
	if frame, ok := p.Request(id, "tools/list", []byte(`{"cursor":"x"}`)); !ok || string(frame) != `{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"x"}}` {
		t.Errorf("%s", frame)
	}
	if frame, ok := p.Request(id, "prompts/list", nil); !ok || string(frame) != `{"jsonrpc":"2.0","id":5,"method":"prompts/list"}` {
		t.Errorf("%s", frame)
	}
	if params, ok := p.Initialize("2025-11-25"); !ok || jsonrpc.Text(params, "protocolVersion") != "2025-11-25" || jsonrpc.Text(params, "clientInfo", "name") != "a" {
		t.Errorf("%s", params)
	}
	for call, want := range map[string][2]bool{
		"": {false, false}, `,"call":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":""}}`: {false, true},
		`,"call":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":0}}}`: {true, true},
	} {
		if sends, known := parsed(t, `{"mcptea_client":1,"id":"x"`+call+`}`).SendsProgressToken(); sends != want[0] || known != want[1] {
			t.Errorf("%s: %t, %t", call, sends, known)
		}
	}
}

// What the user sets is in each frame that carries it, and in nothing else.
func TestProfile_OtherInfo(t *testing.T) {
	p := parsed(t, fileOfClient)
	other := p.With(raw(t, `{"name":"x","version":"2"}`), raw(t, `{"roots":{}}`))
	params, _ := other.Initialize("2025-06-18")
	if want := `{"protocolVersion": "2025-06-18", "clientInfo": {"name":"x","version":"2"}, "capabilities": {"roots":{}}}`; string(params) != want {
		t.Errorf("initialize has %s", params)
	}
	if got := other.Words(); got != "Odd 1.0, with other clientInfo and capabilities" {
		t.Errorf("it is called %q", got)
	}
	if strings.Contains(string(p.ClientInfo()), `"x"`) {
		t.Error("the profile itself has changed")
	}
	bare := (*profile.Profile)(nil).With(profile.Raw{}, raw(t, `{"sampling":{}}`))
	if got := bare.Words(); got != "mcptea, with other capabilities" || !bare.Declares("sampling") || bare.ClientInfo() != nil {
		t.Errorf("without a profile: %q", got)
	}
}

// A file is written of a client with frames or with a clientInfo, and of no other.
func TestProfile_FileKnowsSomething(t *testing.T) {
	for text, want := range map[string]bool{
		`{"mcptea_client":1,"id":"x","name":"X","timeout_ms":5}`: false, `{"mcptea_client":1,"client_info":{"name":"a"}}`: true,
		`{"mcptea_client":1,"frames":[{"jsonrpc":"2.0","id":1,"method":"ping"}]}`: true,
	} {
		if _, err := parsed(t, text).File(); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A capability counts in whichever era the client declares it; the capabilities of a frame without a handshake are read
// only from a frame that has a protocol version.
func TestProfile_DeclaresInAnyEra(t *testing.T) {
	const stateless = `{"mcptea_client":1,"frames":[{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":%s,"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}]}`
	const handshake = `{"mcptea_client":1,"frames":[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"a","version":"1"},"capabilities":{"elicitation":{}}}}]}`
	for text, want := range map[string]bool{
		fmt.Sprintf(stateless, `"2026-07-28"`): true, fmt.Sprintf(stateless, `1`): false, handshake: true, `{"mcptea_client":1,"client_info":{"name":"a"}}`: false,
	} {
		if got := parsed(t, text).Declares("elicitation"); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// A client of both eras may declare other capabilities in each of them.
func TestProfile_DeclaresInEachEra(t *testing.T) {
	p := parsed(t, `{"mcptea_client":1,"frames":[
		{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"a","version":"1"},"capabilities":{"sampling":{}}}},
		{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}]}`)
	for name, want := range map[string]bool{"sampling": true, "elicitation": true, "roots": false} {
		if got := p.Declares(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The answers to requests are unknown only of a client that declares them and has none.
func TestProfile_UnknownAnswers(t *testing.T) {
	for members, want := range map[string]bool{
		`"capabilities":{"elicitation":{}}`: true, `"capabilities":{"elicitation":{}},"answers":{"elicitation":"decline"}`: false, `"capabilities":{}`: false,
	} {
		if got := slices.Contains(parsed(t, `{"mcptea_client":1,`+members+`}`).Unknown(), "answers to elicitation"); got != want {
			t.Errorf("%s: %v", members, got)
		}
	}
}

// Each part that a file does not know is named, and none that it knows.
func TestProfile_Unknown(t *testing.T) {
	for member, part := range map[string]string{
		`"client_info":{"name":"a","version":"1"}`: "clientInfo", `"capabilities":{}`: "capabilities", `"versions":["2025-11-25"]`: "protocol versions",
		`"pages":"all"`: "pages of lists", `"timeout_ms":5`: "timeout", `"headers":{"User-Agent":"a"}`: "headers of HTTP", `"omits":["Mcp-Method"]`: "headers of HTTP",
	} {
		without, with := parsed(t, `{"mcptea_client":1}`).Unknown(), parsed(t, `{"mcptea_client":1,`+member+`}`).Unknown()
		if !slices.Contains(without, part) || slices.Contains(with, part) || len(with) != len(without)-1 {
			t.Errorf("%s: %q without it, %q with it", member, without, with)
		}
	}
}

func TestProfile_RefusesFiles(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":"x"}`:                                    `no member "mcptea_client"`,
		`{"mcptea_client":2}`:                           "format 2",
		`{"mcptea_client":1} {}`:                        "more after",
		`{"mcptea_client":1,"frame":[]}`:                "unknown field",
		`{"mcptea_client":1,"frames":[{"id":1}]}`:       "frames[0] is neither",
		`{"mcptea_client":1,"frames":["{\"a\":\n1}"]}`:  "a line break at byte 5",
		`{"mcptea_client":1,"versions":["1999-01-01"]}`: `"1999-01-01"`,
		`{"mcptea_client":1,"answers":{"roots":"no"}}`:  "the answers accept",
		`{"mcptea_client":1,"pages":"none"}`:            "pages is",
		`{"mcptea_client":1,"client_info":[]}`:          "client_info is not an object",
	} {
		if _, err := profile.Parse([]byte(text), unasked); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}

// The rows of the catalogue are profiles that can be used, each with its source and date.
func TestProfile_Catalogue(t *testing.T) {
	var ids []string
	for _, p := range hosts.Clients() {
		ids = append(ids, p.ID)
		if err := p.Check(); err != nil {
			t.Errorf("%s: %v", p.ID, err)
		}
		if sent := p.Surprises(); len(sent) > 0 {
			t.Errorf("%s sends %s", p.ID, sent[0].Bytes())
		}
		if p.Source == "" || p.Date == "" || p.ClientInfo() == nil || len(p.Requested()) == 0 {
			t.Errorf("%s lacks its source, its date, its clientInfo or its versions", p.ID)
		}
		if !strings.Contains(p.Name, jsonrpc.Text(p.ClientInfo(), "version")) && p.ID != "cursor" {
			t.Errorf("%s is called %q, and its clientInfo has another version", p.ID, p.Name)
		}
	}
	if !reflect.DeepEqual(ids, hosts.ClientIDs) {
		t.Errorf("ClientIDs are %q, the rows %q", hosts.ClientIDs, ids)
	}
}

func FuzzProfile(f *testing.F) {
	f.Add([]byte(fileOfClient))
	f.Add([]byte(`{"mcptea_client":1,"client_info":{"name":"a"},"call":{"method":"tools/call","params":{"_meta":{"progressToken":1}},"id":1}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := profile.Parse(text, unasked)
		if err != nil {
			return
		}
		for _, method := range []string{"initialize", "tools/list", "tools/call"} {
			params, _ := p.Params(jsonrpc.IntID(3), method, nil)
			if frame, ok := p.Request(jsonrpc.IntID(3), method, params); ok && (!jsonrpc.Valid(frame) || bytes.ContainsAny(frame, "\r\n")) {
				t.Errorf("%s is written as %q", method, frame)
			}
		}
		_ = p.With(raw(t, `{}`), raw(t, `{}`)).Words()
		file, err := p.File()
		if err != nil {
			return
		}
		again, err := profile.Parse(file, unasked)
		if err != nil {
			t.Fatalf("%v in %s", err, file)
		}
		for i := range p.Frames {
			if !bytes.Equal(p.Frames[i].Bytes(), again.Frames[i].Bytes()) {
				t.Errorf("frame %d was %q and is %q", i, p.Frames[i].Bytes(), again.Frames[i].Bytes())
			}
		}
	})
}

package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
)

func TestScan_Kinds(t *testing.T) {
	tests := []struct {
		frame  string
		kind   jsonrpc.Kind
		idType jsonrpc.IDType
		id     string
		method string
		fault  jsonrpc.Fault
		flaws  jsonrpc.Flaws
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, jsonrpc.Request, jsonrpc.IDInteger, "1", "ping", 0, 0},
		{`{"result":{"id":"inner","method":"x"},"jsonrpc":"2.0","id":"a"}`, jsonrpc.Response, jsonrpc.IDString, `"a"`, "", 0, 0},
		{` { "jsonrpc" : "2.0" , "method" : "n" } `, jsonrpc.Notification, jsonrpc.IDAbsent, "", "n", 0, 0},
		{`{"jsonrpc":"2.0","id":0,"method":"m","params":{}}`, jsonrpc.Request, jsonrpc.IDInteger, "0", "m", 0, 0},
		{`{"jsonrpc":"2.0","id":"","method":"m"}`, jsonrpc.Request, jsonrpc.IDString, `""`, "m", 0, 0},
		{`{"jsonrpc":"2.0","id":null,"method":"m"}`, jsonrpc.Request, jsonrpc.IDNull, "null", "m", 0, jsonrpc.FlawIDType},
		{`{"jsonrpc":"2.0","id":1.0,"method":"m"}`, jsonrpc.Request, jsonrpc.IDInteger, "1.0", "m", 0, 0},
		{`{"jsonrpc":"2.0","id":1.5,"method":"m"}`, jsonrpc.Request, jsonrpc.IDFraction, "1.5", "m", 0, jsonrpc.FlawIDType},
		{`{"jsonrpc":"2.0","id":false,"method":"m"}`, jsonrpc.Request, jsonrpc.IDOther, "false", "m", 0, jsonrpc.FlawIDType},
		{`{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no"}}`, jsonrpc.ErrorResponse, jsonrpc.IDInteger, "3", "", 0, 0},
		{`{"jsonrpc":"2.0","id":3,"error":"boom"}`, jsonrpc.ErrorResponse, jsonrpc.IDInteger, "3", "", 0, jsonrpc.FlawErrorShape},
		{`{"jsonrpc":"2.0","id":3,"error":{"code":"-1"}}`, jsonrpc.ErrorResponse, jsonrpc.IDInteger, "3", "", 0, jsonrpc.FlawErrorShape},
		{`{"jsonrpc":"2.0","result":{}}`, jsonrpc.Response, jsonrpc.IDAbsent, "", "", 0, jsonrpc.FlawNoID},
		{`{"id":1,"method":"m"}`, jsonrpc.Request, jsonrpc.IDInteger, "1", "m", 0, jsonrpc.FlawNoVersion},
		{`{"jsonrpc":"1.0","id":1,"method":"m"}`, jsonrpc.Request, jsonrpc.IDInteger, "1", "m", 0, jsonrpc.FlawVersion},
		{`{"jsonrpc":2.0,"id":1,"method":"m"}`, jsonrpc.Request, jsonrpc.IDInteger, "1", "m", 0, jsonrpc.FlawVersion},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}`, jsonrpc.Request, jsonrpc.IDInteger, "2", "m", 0, jsonrpc.FlawDuplicateMember},
		{`{"jsonrpc":"2.0","\u0069d":7,"method":"m"}`, jsonrpc.Request, jsonrpc.IDInteger, "7", "m", 0, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"m","extra":1}`, jsonrpc.Request, jsonrpc.IDInteger, "1", "m", 0, jsonrpc.FlawExtraMember},
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":3}`, jsonrpc.Request, jsonrpc.IDInteger, "1", "m", 0, jsonrpc.FlawParamsType},
		{`{"jsonrpc":"2.0","id":1,"method":"m","result":3}`, jsonrpc.Request, jsonrpc.IDInteger, "1", "m", 0, jsonrpc.FlawMixed},
		{`{"jsonrpc":"2.0","id":1,"method":""}`, jsonrpc.Request, jsonrpc.IDInteger, "1", "", 0, 0},
		{"\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"m"}`, jsonrpc.Request, jsonrpc.IDInteger, "1", "m", 0, jsonrpc.FlawBOM},
		{`[]`, jsonrpc.Batch, jsonrpc.IDAbsent, "", "", 0, jsonrpc.FlawEmptyBatch},
		{`[{"jsonrpc":"2.0","id":1,"method":"m"}]`, jsonrpc.Batch, jsonrpc.IDAbsent, "", "", 0, 0},
		{`{"jsonrpc":"2.0","id":1,"method":4}`, jsonrpc.Invalid, jsonrpc.IDInteger, "1", "", jsonrpc.FaultMethodType, 0},
		{`{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1}}`, jsonrpc.Invalid, jsonrpc.IDInteger, "1", "", jsonrpc.FaultBothMembers, 0},
		{`{"jsonrpc":"2.0","id":1}`, jsonrpc.Invalid, jsonrpc.IDInteger, "1", "", jsonrpc.FaultNoMember, 0},
		{`{}`, jsonrpc.Invalid, jsonrpc.IDAbsent, "", "", jsonrpc.FaultNoMember, jsonrpc.FlawNoVersion},
		{`42`, jsonrpc.Invalid, jsonrpc.IDAbsent, "", "", jsonrpc.FaultScalar, 0},
		{`Server listening`, jsonrpc.Invalid, jsonrpc.IDAbsent, "", "", jsonrpc.FaultNotJSON, 0},
		{`{"jsonrpc":"2.0","id":1,"result":{"a":1,}}`, jsonrpc.Invalid, jsonrpc.IDInteger, "1", "", jsonrpc.FaultNotJSON, 0},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"caf\xe9\"}", jsonrpc.Invalid, jsonrpc.IDInteger, "1", "", jsonrpc.FaultNotUTF8, 0},
		{`{"jsonrpc":"2.0","id":1,"result":{}} {}`, jsonrpc.Invalid, jsonrpc.IDInteger, "1", "", jsonrpc.FaultTrailingBytes, 0},
		{"  \r\n", jsonrpc.Invalid, jsonrpc.IDAbsent, "", "", jsonrpc.FaultEmpty, 0},
	}
	for _, tt := range tests {
		e := jsonrpc.Scan([]byte(tt.frame))
		id, method := e.ID.Of([]byte(tt.frame)).String(), e.MethodName([]byte(tt.frame))
		if e.Kind != tt.kind || e.IDType != tt.idType || id != tt.id || method != tt.method || e.Fault != tt.fault || e.Flaws != tt.flaws {
			t.Errorf("Scan(%q)\n got %v id %v %q method %q fault %v flaws %q\nwant %v id %v %q method %q fault %v flaws %q", tt.frame,
				e.Kind, e.IDType, id, method, e.Fault, e.Flaws.Texts(),
				tt.kind, tt.idType, tt.id, tt.method, tt.fault, tt.flaws.Texts())
		}
	}
}

func TestScan_FaultOffset(t *testing.T) {
	tests := []struct {
		frame string
		at    int
	}{
		{`{"jsonrpc":"2.0","id":1,}`, 24},
		{`{"a":tru}`, 8},
		{`{"a":"b`, 7},
		{"{\"a\":\"x\xffy\"}", 7},
		{`{"a":1} x`, 8},
	}
	for _, tt := range tests {
		if e := jsonrpc.Scan([]byte(tt.frame)); e.At != tt.at {
			t.Errorf("Scan(%q) puts the fault %q at %d, want %d", tt.frame, e.Fault, e.At, tt.at)
		}
	}
}

func TestScan_ErrorCode(t *testing.T) {
	for _, tt := range []struct{ frame, code string }{
		{`{"jsonrpc":"2.0","id":1,"error":{"message":"x","code":-32042}}`, "-32042"},
		{`{"jsonrpc":"2.0","id":1,"error":{"message":"x","code":0}}`, "0"},
		{`{"jsonrpc":"2.0","id":1,"error":{"message":"x","code":"E1"}}`, ""},
		{`{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}`, ""},
		{`{"error":"invalid_token","error_description":"The token expired"}`, ""},
		{`{"jsonrpc":"2.0","id":1,"result":{"code":7}}`, ""},
	} {
		e := jsonrpc.Scan([]byte(tt.frame))
		code := e.ErrorCode()
		if n, ok := code.Number(); code.String() != tt.code || ok != (tt.code != "") || code.Is(n) != ok || code.Is(7) {
			t.Errorf("%s: code %q, %d, %t", tt.frame, code, n, ok)
		}
		want := "error without a code"
		if tt.code != "" {
			want = "error " + tt.code
		}
		if got := code.Phrase(); got != want {
			t.Errorf("%s: %q, want %q", tt.frame, got, want)
		}
	}
}

func TestAppend_Kinds(t *testing.T) {
	tests := []struct {
		frame []byte
		want  string
		kind  jsonrpc.Kind
	}{
		{jsonrpc.EncodeRequest(jsonrpc.IntID(7), "tools/call", []byte(`{"name":"x"}`)), `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}`, jsonrpc.Request},
		{jsonrpc.EncodeRequest(jsonrpc.StringID(`a"b`), "é", nil), `{"jsonrpc":"2.0","id":"a\"b","method":"é"}`, jsonrpc.Request},
		{jsonrpc.EncodeNotification("n", nil), `{"jsonrpc":"2.0","method":"n"}`, jsonrpc.Notification},
		{jsonrpc.EncodeResult(jsonrpc.IDOf("3"), nil), `{"jsonrpc":"2.0","id":3,"result":{}}`, jsonrpc.Response},
		{jsonrpc.EncodeError(jsonrpc.IDOf(`"x"`), -32601, "no such\nmethod", []byte(`[1]`)), `{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"no such\nmethod","data":[1]}}`, jsonrpc.ErrorResponse},
		{jsonrpc.EncodeBatch([]byte(`{}`), []byte(`1`)), `[{},1]`, jsonrpc.Batch},
	}
	for _, tt := range tests {
		if string(tt.frame) != tt.want {
			t.Errorf("got %s want %s", tt.frame, tt.want)
		}
		if k := jsonrpc.Scan(tt.frame).Kind; k != tt.kind {
			t.Errorf("%s scans as %v", tt.frame, k)
		}
	}
}

func TestMutations_Invalid(t *testing.T) {
	right := jsonrpc.EncodeRequest(jsonrpc.IntID(1), "tools/call", []byte(`{"name":"echo"}`))
	for _, m := range jsonrpc.Mutations() {
		wrong := m.Apply(right)
		e := jsonrpc.Scan(wrong)
		surrogate := bytes.Contains(wrong, []byte(`\ud800`)) // legal JSON, no legal text
		multiline := bytes.ContainsRune(wrong, '\n')
		positional := e.Params.Present() && wrong[e.Params.Start] == '['
		emptyMethod := e.Kind == jsonrpc.Request && !e.Method.Present()
		batch := e.Kind == jsonrpc.Batch
		if e.Fault == jsonrpc.FaultNone && e.Flaws == 0 && !surrogate && !multiline && !positional && !emptyMethod && !batch {
			t.Errorf("%s is not wrong: %s", m.Name, wrong)
		}
		if m.Summary == "" {
			t.Errorf("%s has no summary", m.Name)
		}
	}
	if string(right) != `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}` {
		t.Errorf("a malformation changed its input: %s", right)
	}
}

func TestMember_Nested(t *testing.T) {
	b := []byte(`{"params":{"_meta":{"progressToken": "t\u0031"},"name":"echo"}}`)
	v, ok := jsonrpc.Member(b, "params", "_meta", "progressToken")
	if s, sok := jsonrpc.Unquote(v); !ok || !sok || s != "t1" {
		t.Errorf("got %q %v", v, ok)
	}
	if _, ok := jsonrpc.Member(b, "params", "absent"); ok {
		t.Error("found an absent member")
	}
}

func TestStart_TruncatedObject(t *testing.T) {
	tests := []struct{ object, want string }{
		{`{"result":{"content":[{"type":"text","text":"lo`, `[{"type":"text","text":"lo`},
		{`{"a":1,"result":{"x":{},"content":[1],"y":2}}`, `[1]`},
		{`{"result":{"x":"cu`, ``},
		{`{"result":`, ``},
		{`[`, ``},
	}
	for _, tt := range tests {
		got, ok := jsonrpc.Start([]byte(tt.object), "result", "content")
		if string(got) != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: got %q %v", tt.object, got, ok)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1,-2.5e3,true,null,"\u00e9"]}}`))
	f.Add([]byte(`[{"jsonrpc":"2.0"},[],{}]`))
	f.Add([]byte("\xef\xbb\xbf{\"\\u0069d\":\"\xff\"}"))
	for _, m := range jsonrpc.Mutations() {
		f.Add(m.Apply([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e := jsonrpc.Scan(b)
		text := bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) // the byte order mark
		valid := json.Valid(text) && utf8.Valid(b)
		bad := e.Fault == jsonrpc.FaultNotUTF8 || e.Fault == jsonrpc.FaultNotJSON || e.Fault == jsonrpc.FaultTooDeep || e.Fault == jsonrpc.FaultTrailingBytes || e.Fault == jsonrpc.FaultEmpty
		if valid == bad {
			t.Fatalf("json.Valid %v, Scan says %v at %d", valid, e.Fault, e.At)
		}
		for _, s := range []jsonrpc.Span{e.ID.Span(), e.Method.Span(), e.Params, e.Result, e.Error} {
			if s.Start < 0 || s.End > len(b) || s.Start > s.End {
				t.Fatalf("span %v outside of %d bytes", s, len(b))
			}
		}
		if e.At < 0 || e.At > len(b) {
			t.Fatalf("fault at %d of %d", e.At, len(b))
		}
		for _, v := range jsonrpc.Members(b) {
			_, _ = jsonrpc.Unquote(v)
		}
		for v := range jsonrpc.Elements(b) {
			_, _ = jsonrpc.Integer(v)
		}
	})
}

var benchFrame = []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t-17","progress":17,"total":100,"message":"indexing files in the work tree, please wait a little while"},"x":"padding to 190"}`)

func BenchmarkScan(b *testing.B) {
	b.SetBytes(int64(len(benchFrame)))
	b.ReportAllocs()
	for b.Loop() {
		if jsonrpc.Scan(benchFrame).Kind != jsonrpc.Notification {
			b.Fatal("wrong kind")
		}
	}
}

// BenchmarkScanBaseline is what the standard library needs for the same
// answer: validity and the six members.
func BenchmarkScanBaseline(b *testing.B) {
	b.SetBytes(int64(len(benchFrame)))
	b.ReportAllocs()
	for b.Loop() {
		var e struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Method  string          `json:"method"`
			Params  json.RawMessage `json:"params"`
			Result  json.RawMessage `json:"result"`
			Error   json.RawMessage `json:"error"`
		}
		if json.Unmarshal(benchFrame, &e) != nil {
			b.Fatal("not JSON")
		}
	}
}

// A method may be written with escapes; Calls takes it for what it says, and
// for a known one without making a string of it.
func TestEnvelope_HasMethod(t *testing.T) {
	for frame, want := range map[string]string{
		`{"jsonrpc":"2.0","method":"notifications/message"}`:      "notifications/message",
		`{"jsonrpc":"2.0","method":"notifications\/message"}`:     "notifications/message",
		`{"jsonrpc":"2.0","method":"notifications\u002fmessage"}`: "notifications/message",
		`{"jsonrpc":"2.0","method":""}`:                           "",
		`{"jsonrpc":"2.0","method":["\n"]}`:                       "",
		`{"jsonrpc":"2.0","method":["\n"]`:                        `["\n"]`,
		`{"method":"\u0078","method":"x"`:                         "x",
	} {
		e := jsonrpc.Scan([]byte(frame))
		for _, method := range []string{"notifications/message", "notifications/progress", "x", ""} {
			if got := e.HasMethod([]byte(frame), method); got != (method == want) {
				t.Errorf("%s calls %q: %v", frame, method, got)
			}
		}
	}
	plain := []byte(`{"jsonrpc":"2.0","method":"notifications/message"}`)
	e := jsonrpc.Scan(plain)
	if n := testing.AllocsPerRun(100, func() { e.HasMethod(plain, "notifications/message") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSpanOf_NestedMember(t *testing.T) {
	frame := []byte(`{"params":{"_meta":{"a":1},"b":[1,2]}}`)
	for _, path := range [][]string{{"params"}, {"params", "_meta"}, {"params", "b"}} {
		value, ok := jsonrpc.Member(frame, path[0], path[1:]...)
		if got := jsonrpc.SpanOf(frame, value).Of(frame); !ok || string(got) != string(value) {
			t.Errorf("%v: span of %q, want %q", path, got, value)
		}
		if got := jsonrpc.SpanOf(frame, bytes.Clone(value)); got != (jsonrpc.Span{}) {
			t.Errorf("%v: a copy has the span %v", path, got)
		}
	}
}

func TestText(t *testing.T) {
	object := []byte(`{"a":{"b":"gr\u00fc\u00df"},"n":1}`)
	if got := jsonrpc.Text(object, "a", "b"); got != "grüß" {
		t.Errorf("Text(a, b) = %q", got)
	}
	if got := jsonrpc.Text(object, "n") + jsonrpc.Text(object, "x"); got != "" {
		t.Errorf("Text of a number and of a missing member = %q", got)
	}
}

func TestPointer_Escapes(t *testing.T) {
	for name, part := range map[string]string{"a/b": "a~1b", "~": "~0", "~1": "~01", "": "", "plain": "plain"} {
		if got := jsonrpc.EscapePointer(name); got != part {
			t.Errorf("EscapePointer(%q) = %q, want %q", name, got, part)
		}
		if got := jsonrpc.UnescapePointer(part); got != name {
			t.Errorf("UnescapePointer(%q) = %q, want %q", part, got, name)
		}
	}
}

func TestTokens_OfValue(t *testing.T) {
	for value, want := range map[string]string{
		`{"a":[1, -2.5e3,{} ],"b\"":null}`: `{|"a"|:|[|1|,|-2.5e3|,|{|}|]|,|"b\""|:|null|}`,
		` "x" `:                            `"x"`,
		"":                                 "",
		`[1,x]`:                            `[|1|,`,
	} {
		var got []string
		tokens := jsonrpc.NewTokens([]byte(value))
		for token := tokens.Next(); token != nil; token = tokens.Next() {
			got = append(got, string(token))
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%s: %s, want %s", value, s, want)
		}
	}
}

func TestPointer_SplitAndJoin(t *testing.T) {
	for _, parts := range [][]string{{"a"}, {"a/b", "~", "0", ""}} {
		if got := jsonrpc.SplitPointer(jsonrpc.JoinPointer(parts)); !slices.Equal(got, parts) {
			t.Errorf("%q becomes %q", parts, got)
		}
	}
}

func TestAppendMember_Names(t *testing.T) {
	b := jsonrpc.AppendMember([]byte("{"), "a", []byte("1"))
	if got := string(append(jsonrpc.AppendMember(b, `"é`, []byte(`{}`)), '}')); got != `{"a":1,"\"é":{}}` {
		t.Error(got)
	}
}

// What may be in a frame is never denied of one that has it.
func TestEnvelope_MayHave(t *testing.T) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"a":[{"task":1}],"isError":true}}`, `{"id":1,"result":{"t\u0061sk":true}}`, `[{"result":{"task":true}}]`, `{"task":{"task":true`,
	} {
		if e := jsonrpc.Scan([]byte(text)); !e.MayHave("task") || !e.MayBeTrue() {
			t.Errorf("%s: %+v", text, e)
		}
	}
	e := jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"task"}],"isError":false}}`))
	if e.MayHave("task") || e.MayBeTrue() || e.MayRepeat() {
		t.Errorf("a frame without it: %+v", e)
	}
	for _, text := range []string{
		`{"id":1,"id":2,"method":"a"}`, `{"id":1,"x":1,"x":2,"method":"a"}`, `{"method":"a","params":{"b":{"c":1,"d":2,"c":3}}}`, `{"method":"a","params":{"c":1,"\u0063":2}}`,
	} {
		if e := jsonrpc.Scan([]byte(text)); !e.MayRepeat() {
			t.Errorf("%s: %+v", text, e)
		}
	}
}

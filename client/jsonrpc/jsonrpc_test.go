package jsonrpc

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestScan_Kinds(t *testing.T) {
	tests := []struct {
		frame  string
		kind   Kind
		idType IDType
		id     string
		method string
		fault  Fault
		flaws  Flaws
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, Request, IDInteger, "1", "ping", 0, 0},
		{`{"result":{"id":"inner","method":"x"},"jsonrpc":"2.0","id":"a"}`, Response, IDString, `"a"`, "", 0, 0},
		{` { "jsonrpc" : "2.0" , "method" : "n" } `, Notification, IDAbsent, "", "n", 0, 0},
		{`{"jsonrpc":"2.0","id":0,"method":"m","params":{}}`, Request, IDInteger, "0", "m", 0, 0},
		{`{"jsonrpc":"2.0","id":"","method":"m"}`, Request, IDString, `""`, "m", 0, 0},
		{`{"jsonrpc":"2.0","id":null,"method":"m"}`, Request, IDNull, "null", "m", 0, FlawIDType},
		{`{"jsonrpc":"2.0","id":1.0,"method":"m"}`, Request, IDInteger, "1.0", "m", 0, 0},
		{`{"jsonrpc":"2.0","id":1.5,"method":"m"}`, Request, IDFraction, "1.5", "m", 0, FlawIDType},
		{`{"jsonrpc":"2.0","id":false,"method":"m"}`, Request, IDOther, "false", "m", 0, FlawIDType},
		{`{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no"}}`, ErrorResponse, IDInteger, "3", "", 0, 0},
		{`{"jsonrpc":"2.0","id":3,"error":"boom"}`, ErrorResponse, IDInteger, "3", "", 0, FlawErrorShape},
		{`{"jsonrpc":"2.0","id":3,"error":{"code":"-1"}}`, ErrorResponse, IDInteger, "3", "", 0, FlawErrorShape},
		{`{"jsonrpc":"2.0","result":{}}`, Response, IDAbsent, "", "", 0, FlawNoID},
		{`{"id":1,"method":"m"}`, Request, IDInteger, "1", "m", 0, FlawNoVersion},
		{`{"jsonrpc":"1.0","id":1,"method":"m"}`, Request, IDInteger, "1", "m", 0, FlawVersion},
		{`{"jsonrpc":2.0,"id":1,"method":"m"}`, Request, IDInteger, "1", "m", 0, FlawVersion},
		{`{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}`, Request, IDInteger, "2", "m", 0, FlawDuplicateMember},
		{`{"jsonrpc":"2.0","\u0069d":7,"method":"m"}`, Request, IDInteger, "7", "m", 0, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"m","extra":1}`, Request, IDInteger, "1", "m", 0, FlawExtraMember},
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":3}`, Request, IDInteger, "1", "m", 0, FlawParamsType},
		{`{"jsonrpc":"2.0","id":1,"method":"m","result":3}`, Request, IDInteger, "1", "m", 0, FlawMixed},
		{`{"jsonrpc":"2.0","id":1,"method":""}`, Request, IDInteger, "1", "", 0, 0},
		{"\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"m"}`, Request, IDInteger, "1", "m", 0, FlawBOM},
		{`[]`, Batch, IDAbsent, "", "", 0, FlawEmptyBatch},
		{`[{"jsonrpc":"2.0","id":1,"method":"m"}]`, Batch, IDAbsent, "", "", 0, 0},
		{`{"jsonrpc":"2.0","id":1,"method":4}`, Invalid, IDInteger, "1", "", FaultMethodType, 0},
		{`{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1}}`, Invalid, IDInteger, "1", "", FaultBothMembers, 0},
		{`{"jsonrpc":"2.0","id":1}`, Invalid, IDInteger, "1", "", FaultNoMember, 0},
		{`{}`, Invalid, IDAbsent, "", "", FaultNoMember, FlawNoVersion},
		{`42`, Invalid, IDAbsent, "", "", FaultScalar, 0},
		{`Server listening`, Invalid, IDAbsent, "", "", FaultNotJSON, 0},
		{`{"jsonrpc":"2.0","id":1,"result":{"a":1,}}`, Invalid, IDInteger, "1", "", FaultNotJSON, 0},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"caf\xe9\"}", Invalid, IDInteger, "1", "", FaultNotUTF8, 0},
		{`{"jsonrpc":"2.0","id":1,"result":{}} {}`, Invalid, IDInteger, "1", "", FaultTrailingBytes, 0},
		{"  \r\n", Invalid, IDAbsent, "", "", FaultEmpty, 0},
	}
	for _, tt := range tests {
		e := Scan([]byte(tt.frame))
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
		if e := Scan([]byte(tt.frame)); e.At != tt.at {
			t.Errorf("Scan(%q) puts the fault %q at %d, want %d", tt.frame, e.Fault, e.At, tt.at)
		}
	}
}

func TestScan_ErrorCode(t *testing.T) {
	e := Scan([]byte(`{"jsonrpc":"2.0","id":1,"error":{"message":"x","code":-32042}}`))
	if e.Code != -32042 {
		t.Errorf("code %d", e.Code)
	}
}

func TestScan_MaxDepth(t *testing.T) {
	nest := func(n int) []byte {
		return []byte(strings.Repeat("[", n) + strings.Repeat("]", n))
	}
	if e := Scan(nest(maxDepth)); e.Kind != Batch {
		t.Errorf("%d levels: %v %v", maxDepth, e.Kind, e.Fault)
	}
	if e := Scan(nest(maxDepth + 1)); e.Fault != FaultTooDeep {
		t.Errorf("%d levels: %v %v", maxDepth+1, e.Kind, e.Fault)
	}
}

func TestAppend_Kinds(t *testing.T) {
	tests := []struct {
		frame []byte
		want  string
		kind  Kind
	}{
		{EncodeRequest(IntID(7), "tools/call", []byte(`{"name":"x"}`)), `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}`, Request},
		{EncodeRequest(StringID(`a"b`), "é", nil), `{"jsonrpc":"2.0","id":"a\"b","method":"é"}`, Request},
		{EncodeNotification("n", nil), `{"jsonrpc":"2.0","method":"n"}`, Notification},
		{EncodeResult(IDOf("3"), nil), `{"jsonrpc":"2.0","id":3,"result":{}}`, Response},
		{EncodeError(IDOf(`"x"`), -32601, "no such\nmethod", []byte(`[1]`)), `{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"no such\nmethod","data":[1]}}`, ErrorResponse},
		{EncodeBatch([]byte(`{}`), []byte(`1`)), `[{},1]`, Batch},
	}
	for _, tt := range tests {
		if string(tt.frame) != tt.want {
			t.Errorf("got %s want %s", tt.frame, tt.want)
		}
		if k := Scan(tt.frame).Kind; k != tt.kind {
			t.Errorf("%s scans as %v", tt.frame, k)
		}
	}
}

func TestMutations_Invalid(t *testing.T) {
	right := EncodeRequest(IntID(1), "tools/call", []byte(`{"name":"echo"}`))
	for _, m := range Mutations() {
		wrong := m.Apply(right)
		e := Scan(wrong)
		surrogate := bytes.Contains(wrong, []byte(`\ud800`)) // legal JSON, no legal text
		multiline := bytes.ContainsRune(wrong, '\n')
		positional := e.Params.Present() && wrong[e.Params.Start] == '['
		emptyMethod := e.Kind == Request && !e.Method.Present()
		batch := e.Kind == Batch
		if e.Fault == FaultNone && e.Flaws == 0 && !surrogate && !multiline && !positional && !emptyMethod && !batch {
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
	v, ok := Member(b, "params", "_meta", "progressToken")
	if s, sok := Unquote(v); !ok || !sok || s != "t1" {
		t.Errorf("got %q %v", v, ok)
	}
	if _, ok := Member(b, "params", "absent"); ok {
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
		got, ok := Start([]byte(tt.object), "result", "content")
		if string(got) != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: got %q %v", tt.object, got, ok)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1,-2.5e3,true,null,"\u00e9"]}}`))
	f.Add([]byte(`[{"jsonrpc":"2.0"},[],{}]`))
	f.Add([]byte("\xef\xbb\xbf{\"\\u0069d\":\"\xff\"}"))
	for _, m := range Mutations() {
		f.Add(m.Apply([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e := Scan(b)
		text := bytes.TrimPrefix(b, bom)
		valid := json.Valid(text) && utf8.Valid(b)
		bad := e.Fault == FaultNotUTF8 || e.Fault == FaultNotJSON || e.Fault == FaultTooDeep || e.Fault == FaultTrailingBytes || e.Fault == FaultEmpty
		if valid == bad {
			t.Fatalf("json.Valid %v, Scan says %v at %d", valid, e.Fault, e.At)
		}
		for _, s := range []Span{e.ID.at, e.Method.at, e.Params, e.Result, e.Error} {
			if s.Start < 0 || s.End > len(b) || s.Start > s.End {
				t.Fatalf("span %v outside of %d bytes", s, len(b))
			}
		}
		if e.At < 0 || e.At > len(b) {
			t.Fatalf("fault at %d of %d", e.At, len(b))
		}
		for _, v := range Members(b) {
			_, _ = Unquote(v)
		}
		for v := range Elements(b) {
			_, _ = Integer(v)
		}
	})
}

var benchFrame = []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t-17","progress":17,"total":100,"message":"indexing files in the work tree, please wait a little while"},"x":"padding to 190"}`)

func BenchmarkScan(b *testing.B) {
	b.SetBytes(int64(len(benchFrame)))
	b.ReportAllocs()
	for b.Loop() {
		if Scan(benchFrame).Kind != Notification {
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
		e := Scan([]byte(frame))
		for _, method := range []string{"notifications/message", "notifications/progress", "x", ""} {
			if got := e.HasMethod([]byte(frame), method); got != (method == want) {
				t.Errorf("%s calls %q: %v", frame, method, got)
			}
		}
	}
	plain := []byte(`{"jsonrpc":"2.0","method":"notifications/message"}`)
	e := Scan(plain)
	if n := testing.AllocsPerRun(100, func() { e.HasMethod(plain, "notifications/message") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSpanOf_NestedMember(t *testing.T) {
	frame := []byte(`{"params":{"_meta":{"a":1},"b":[1,2]}}`)
	for _, path := range [][]string{{"params"}, {"params", "_meta"}, {"params", "b"}} {
		value, ok := Member(frame, path[0], path[1:]...)
		if got := SpanOf(frame, value).Of(frame); !ok || string(got) != string(value) {
			t.Errorf("%v: span of %q, want %q", path, got, value)
		}
		if got := SpanOf(frame, bytes.Clone(value)); got != (Span{}) {
			t.Errorf("%v: a copy has the span %v", path, got)
		}
	}
}

func TestText(t *testing.T) {
	object := []byte(`{"a":{"b":"gr\u00fc\u00df"},"n":1}`)
	if got := Text(object, "a", "b"); got != "grüß" {
		t.Errorf("Text(a, b) = %q", got)
	}
	if got := Text(object, "n") + Text(object, "x"); got != "" {
		t.Errorf("Text of a number and of a missing member = %q", got)
	}
}

func TestPointer_Escapes(t *testing.T) {
	for name, part := range map[string]string{"a/b": "a~1b", "~": "~0", "~1": "~01", "": "", "plain": "plain"} {
		if got := EscapePointer(name); got != part {
			t.Errorf("EscapePointer(%q) = %q, want %q", name, got, part)
		}
		if got := UnescapePointer(part); got != name {
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
		tokens := NewTokens([]byte(value))
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
		if got := SplitPointer(JoinPointer(parts)); !slices.Equal(got, parts) {
			t.Errorf("%q becomes %q", parts, got)
		}
	}
}

func TestAppendMember_Names(t *testing.T) {
	b := AppendMember([]byte("{"), "a", []byte("1"))
	if got := string(append(AppendMember(b, `"é`, []byte(`{}`)), '}')); got != `{"a":1,"\"é":{}}` {
		t.Error(got)
	}
}

// What may be in a frame is never denied of one that has it.
func TestEnvelope_MayHave(t *testing.T) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"a":[{"task":1}],"isError":true}}`, `{"id":1,"result":{"t\u0061sk":true}}`, `[{"result":{"task":true}}]`, `{"task":{"task":true`,
	} {
		if e := Scan([]byte(text)); !e.MayHave("task") || !e.MayBeTrue() {
			t.Errorf("%s: %+v", text, e)
		}
	}
	e := Scan([]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"task"}],"isError":false}}`))
	if e.MayHave("task") || e.MayBeTrue() || e.MayRepeat() {
		t.Errorf("a frame without it: %+v", e)
	}
	for _, text := range []string{
		`{"id":1,"id":2,"method":"a"}`, `{"id":1,"x":1,"x":2,"method":"a"}`, `{"method":"a","params":{"b":{"c":1,"d":2,"c":3}}}`, `{"method":"a","params":{"c":1,"\u0063":2}}`,
	} {
		if e := Scan([]byte(text)); !e.MayRepeat() {
			t.Errorf("%s: %+v", text, e)
		}
	}
}

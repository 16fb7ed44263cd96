package script

import (
	"context"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

const pinned = `# by hand, stays as it is   
call add a=1 b=2
text '= 3'
capture n .structuredContent.sum

# sum
call add {"a":1,"b":2}
	expect   --exact @sum.json

# partial
call add {"a":1,"b":2}
expect {"sum": "<number>", "unit": "m"}

-- sum.json --
{"structuredContent": {"sum": 3}}
-- notes.txt --
not  touched
`

func responseOf(t *testing.T, member string) client.Response {
	t.Helper()
	frame := []byte(`{"jsonrpc":"2.0","id":1,` + member + `}`)
	return client.Response{Frame: frame, Envelope: jsonrpc.Scan(frame)}
}

func exchangeNamed(t *testing.T, text []byte, name string) *Exchange {
	t.Helper()
	s, err := Parse("pins.txtar", text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for _, x := range s.Exchanges() {
		if x.Name == name {
			return x
		}
	}
	t.Fatalf("no exchange %q in\n%s", name, text)
	return nil
}

func judge(x *Exchange, r client.Response) *Failure {
	return x.Judge(context.Background(), r, nil, func(err error) string { return err.Error() })
}

func TestAccept_KeepsTheRestOfTheFile(t *testing.T) {
	x := exchangeNamed(t, []byte(pinned), "sum")
	now := responseOf(t, `"result":{"structuredContent":{"sum":4}}`)
	f := judge(x, now)
	if f == nil || len(f.Rows) == 0 {
		t.Fatalf("sum 4 instead of 3: %+v", f)
	}
	text, err := x.Accept(now, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(pinned, `{"structuredContent": {"sum": 3}}`, "{\n  \"structuredContent\": {\n    \"sum\": 4\n  }\n}", 1)
	if string(text) != want {
		t.Errorf("the accepted file is\n%s", text)
	}
	if f := judge(exchangeNamed(t, text, "sum"), now); f != nil {
		t.Errorf("the accepted response fails: %s", f.Reason)
	}
}

func TestAccept_ErrorNegatesTheRequest(t *testing.T) {
	x := exchangeNamed(t, []byte(pinned), "sum")
	now := responseOf(t, `"error":{"code":-32602,"message":"Unknown tool"}`)
	text, err := x.Accept(now, nil)
	if err != nil || !strings.Contains(string(text), "\n! call add {\"a\":1,\"b\":2}\n") {
		t.Fatalf("%v in\n%s", err, text)
	}
	if f := judge(exchangeNamed(t, text, "sum"), now); f != nil {
		t.Errorf("the accepted error fails: %s", f.Reason)
	}
	back := responseOf(t, `"result":{"structuredContent":{"sum":3}}`)
	text, err = exchangeNamed(t, text, "sum").Accept(back, nil)
	if err != nil || strings.Contains(string(text), "!") {
		t.Errorf("%v in\n%s", err, text)
	}
}

func TestAccept_KeepsPlaceholders(t *testing.T) {
	x := exchangeNamed(t, []byte(pinned), "partial")
	now := responseOf(t, `"result":{"sum":9,"unit":"km","more":[1]}`)
	text, err := x.Accept(now, nil)
	if err != nil || !strings.Contains(string(text), `expect {"sum":"<number>","unit":"km"}`) {
		t.Fatalf("%v in\n%s", err, text)
	}
	if f := judge(exchangeNamed(t, text, "partial"), now); f != nil {
		t.Errorf("the accepted response fails: %s", f.Reason)
	}
}

func TestIgnore_LeavesValuesOut(t *testing.T) {
	text, err := exchangeNamed(t, []byte(pinned), "sum").Ignore("/structuredContent/sum")
	if err != nil || !strings.Contains(string(text), "\nexpect --exact --ignore /structuredContent/sum @sum.json\n") {
		t.Fatalf("%v in\n%s", err, text)
	}
	if f := judge(exchangeNamed(t, text, "sum"), responseOf(t, `"result":{"structuredContent":{"sum":4}}`)); f != nil {
		t.Errorf("an ignored value counts: %s", f.Reason)
	}
	if _, err := exchangeNamed(t, []byte(pinned), "partial").Ignore("/sum"); err == nil {
		t.Error("an expectation of named values was changed")
	}
}

func TestRemove_TakesItsFileAlong(t *testing.T) {
	text := string(exchangeNamed(t, []byte(pinned), "sum").Remove())
	if strings.Contains(text, "sum.json") || strings.Contains(text, "# sum") {
		t.Errorf("left over:\n%s", text)
	}
	if !strings.HasPrefix(text, "# by hand, stays as it is   \n") || !strings.HasSuffix(text, "-- notes.txt --\nnot  touched\n") {
		t.Errorf("the rest changed:\n%s", text)
	}
	exchangeNamed(t, []byte(text), "partial")
}

func TestAppend(t *testing.T) {
	response := responseOf(t, `"result":{"token":"ghp_0123456789abcdefghijABCDEFGHIJ456789","text":"{{x}} and a sentence that is too long for one line"}`)
	text, err := Append([]byte(pinned), "get secret", "tools/call", []byte(`{"name":"get secret","arguments":{"api_key":"sk-verysecret123456789012345"}}`), response)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text); strings.Contains(s, "ghp_") || strings.Contains(s, "verysecret") {
		t.Errorf("a secret is in the file:\n%s", s)
	}
	if !strings.HasPrefix(string(text), pinned[:strings.Index(pinned, "-- sum.json")-1]) || !strings.Contains(string(text), "-- notes.txt --\nnot  touched\n-- get-secret.json --\n") {
		t.Errorf("the rest changed:\n%s", text)
	}
	x := exchangeNamed(t, text, "get secret")
	if f := judge(x, response); f != nil {
		t.Errorf("the pinned response fails: %s", f.Reason)
	}
	first, err := Append(nil, "ping", "ping", nil, responseOf(t, `"result":{}`))
	if err != nil || string(first) != "# ping\nsend ping\nexpect --exact {}\n" {
		t.Errorf("%v: %q", err, first)
	}
}

func FuzzAppend(f *testing.F) {
	f.Add(pinned, "a b", `{"name":"t","arguments":{"x":"{{y}} -- z --"}}`, `{"text":"-- file --\n"}`)
	f.Add("", "-- x --", `{"name":"'"}`, `"<any>"`)
	f.Add("# x\nread a", "", `{}`, `[1, {"a": []}]`)
	f.Fuzz(func(t *testing.T, source, name, params, result string) {
		before, err := Parse("a", []byte(source))
		if err != nil && source != "" {
			return
		}
		frame := []byte(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`)
		e := jsonrpc.Scan(frame)
		if e.Kind != jsonrpc.Response || jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":`+params+`}`)).Kind != jsonrpc.Request {
			return
		}
		text, err := Append([]byte(source), name, "tools/call", []byte(params), client.Response{Frame: frame, Envelope: e})
		if err != nil {
			return
		}
		after, err := Parse("a", text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		sections := 0
		if before != nil {
			sections = len(before.Sections)
		}
		if len(after.Sections) < max(sections, 1) {
			t.Fatalf("%d sections of %d in\n%s", len(after.Sections), sections, text)
		}
	})
}

func TestRename_OfExchangesAlone(t *testing.T) {
	s, err := Parse("pins.txtar", []byte(pinned+"-- add --\n"))
	if err != nil {
		t.Fatal(err)
	}
	text, n := s.Rename("tools/call", "add", "add up", nil)
	want := strings.ReplaceAll(pinned, `call add {`, `call 'add up' {`) + "-- add --\n"
	if n != 2 || string(text) != want {
		t.Errorf("%d:\n%s", n, text)
	}
	for _, other := range []string{"ad", "add {", "sum"} {
		if text, n := s.Rename("tools/call", other, "x", nil); n != 0 || string(text) != pinned+"-- add --\n" {
			t.Errorf("%s: %d:\n%s", other, n, text)
		}
	}
}

// A name that cannot be a word is called exactly, and nothing of it is a command, a file or a variable.
func TestRename_ExactName(t *testing.T) {
	const source = "# pin\n  call add {\"a\":\"{{env.X}}\",\"b\":\"add\"}\nexpect {}\n\n# bare\n! call add\n\n# words\ncall add a=1\n"
	for _, now := range []string{"x\ncall evil {\"a\":\"{{env.SECRET}}\"}", "\x1b]0;PWN\a\x1b[2J", "a\tb", "a\rb", "@/etc/passwd", "{{env.X}}\n", "a\x7fb", "x\n-- labels.json --\n{}"} {
		s, err := Parse("pins.txtar", []byte(source))
		if err != nil {
			t.Fatal(err)
		}
		text, n := s.Rename("tools/call", "add", now, nil)
		after, err := Parse("pins.txtar", text)
		if err != nil {
			t.Errorf("%q: %v\n%s", now, err, text)
			continue
		}
		all := after.Exchanges()
		if n != 2 || len(all) != 3 || len(after.Sections) != len(s.Sections) {
			t.Errorf("%q: %d of %d:\n%s", now, n, len(all), text)
			continue
		}
		t.Setenv("X", "value")
		for i, want := range []string{`{"a":"value","b":"add"}`, ""} {
			method, params, err := all[i].Request(nil)
			arguments, _ := jsonrpc.Member(params, "arguments")
			if err != nil || method != "tools/call" || jsonrpc.Text(params, "name") != now || string(arguments) != want {
				t.Errorf("%q: %s %s, %v", now, method, params, err)
			}
		}
		if !strings.Contains(string(text), "! send tools/call {") || !strings.Contains(string(text), "\ncall add a=1\n") {
			t.Errorf("%q:\n%s", now, text)
		}
	}
}

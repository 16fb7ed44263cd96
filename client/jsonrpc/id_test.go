package jsonrpc_test

import (
	"testing"

	"mcptea/client/jsonrpc"
)

// Ids that mean the same have one key, and others have others.
func TestKey_IsTheValue(t *testing.T) {
	of := map[jsonrpc.Key]int{}
	for i, same := range [][]string{
		{`1`, `1.0`, `1e0`, `1E+0`, `0.1e1`, `10e-1`, `1.000`},
		{`"1"`, `"\u0031"`},
		{`0`, `-0`, `0.0`, `0e9`, `-0.0`},
		{`-1`, `-1.0`},
		{`100`, `1e2`, `1.00e+02`},
		{`"é"`, `"\u00e9"`, `"\u00E9"`},
		{`"a/b"`, `"a\/b"`},
		{`"😀"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`},
		{`"\n"`, `"\u000a"`},
		{`"\""`, `"\u0022"`},
		{`"\\"`, `"\u005c"`},
		{`"<"`, `"\u003c"`},
		{`""`},
		{`"null"`},
		{`null`},
		{`"\ud800"`, `"\uD800"`},
		{`"\ud801"`},
		{`"\ufffd"`, `"�"`},
		{`1.5`, `15e-1`},
		{`9007199254740993`, `9007199254740993.0`, `9007199254740993e0`},
		{`9007199254740992`},
		{`1e400`, `10e399`},
		{`1e401`},
		{`1e99999999999`},
		{`123456789012345678901234567890123456789012345678901234567890`, `123456789012345678901234567890123456789012345678901234567890.0`, `12345678901234567890123456789012345678901234567890123456789e1`},
		{`true`},
		{`"true"`},
		{``},
	} {
		for _, token := range same {
			id := jsonrpc.IDOf(token)
			if j, known := of[id.Key()]; known && j != i {
				t.Errorf("%s has the key of another id", token)
			} else if !known && token != same[0] {
				t.Errorf("%s is not %s", token, same[0])
			}
			of[id.Key()] = i
			if !id.Same(jsonrpc.IDOf(same[0])) || !jsonrpc.TokenOf([]byte(token)).Is(jsonrpc.IDOf(same[0])) || !jsonrpc.TokenOf([]byte(token)).Same(jsonrpc.TokenOf([]byte(same[0]))) || jsonrpc.TokenOf([]byte(token)).Key() != id.Key() {
				t.Errorf("%s is not the same as %s", token, same[0])
			}
			if id.String() != token {
				t.Errorf("%s is shown as %s", token, id)
			}
		}
	}
}

// Keys of ids as nearly all peers write them cost nothing.
func TestKey_AllocatesNothing(t *testing.T) {
	m, frame := map[jsonrpc.Key]int{jsonrpc.IntID(7).Key(): 1, jsonrpc.StringID("é/7").Key(): 2}, []byte(`{"id":"é/7"}`)
	number, text := jsonrpc.IntID(7), jsonrpc.StringID("é/7")
	if n := testing.AllocsPerRun(100, func() {
		if m[number.Key()] != 1 || m[text.Key()] != 2 || !number.Same(number) {
			t.Fatal("not found")
		}
		if v, ok := jsonrpc.Lookup(m, jsonrpc.TokenOf(frame[6:len(frame)-1])); !ok || v != 2 || !jsonrpc.TokenOf(frame[6:len(frame)-1]).Is(text) {
			t.Fatal("not found")
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzKey(f *testing.F) {
	f.Add(`"\ud83d\ude00"`, `"😀"`)
	f.Add(`1e5`, `100000`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if jsonrpc.Scan([]byte(a)).Fault != jsonrpc.FaultScalar || jsonrpc.Scan([]byte(b)).Fault != jsonrpc.FaultScalar {
			return
		}
		x, y := jsonrpc.IDOf(a), jsonrpc.IDOf(b)
		if x.Same(y) != (x.Key() == y.Key()) || x.Same(y) != jsonrpc.TokenOf([]byte(a)).Same(jsonrpc.TokenOf([]byte(b))) {
			t.Errorf("%s and %s", a, b)
		}
		if x.Same(y) != jsonrpc.Equal([]byte(a), []byte(b)) {
			t.Errorf("Equal differs from Same for %s and %s", a, b)
		}
	})
}

package reduce

import "testing"

func TestDiffering_PartsThatDiffer(t *testing.T) {
	response := func(result string) []byte { return []byte(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`) }
	for _, c := range []struct{ want, now, expected, place string }{
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, "", ""},
		{`{"a":1,"b":{"c":2,"d":3}}`, `{"a":1,"b":{"c":9,"d":3}}`, `{"b":{"c":2}}`, "/b/c/"},
		{`{"l":[1,{"x":"a"},3]}`, `{"l":[1,{"x":"b"},3]}`, `{"l":["<any>",{"x":"a"},"<any>"]}`, "/l/*/x/"},
		{`{"l":[1,2]}`, `{"l":[1]}`, `{"l":[1,2]}`, "/l/"},
		{`{"a":{"b":1}}`, `{"a":[1]}`, `{"a":{"b":1}}`, "/a/"},
		{`{"a":"{{v1}}"}`, `{"a":null}`, `{"a":"{\u007bv1}}"}`, "/a/"},
		{`{"structuredContent":{"b":1,"c":2},"content":[{"text":"1 Miller"}]}`, `{"structuredContent":{"b":3,"c":2},"content":[{"text":"3 Miller"}]}`, `{"structuredContent":{"b":1}}`, "/structuredContent/*/"},
		{`{"a":1}`, `{}`, `{"a":1}`, "/a/"},
	} {
		if expected, place := Differing(response(c.want), response(c.now)); expected != c.expected || place != c.place {
			t.Errorf("%s and %s: %s at %q, want %s at %q", c.want, c.now, expected, place, c.expected, c.place)
		}
	}
}

package oauth

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChallenges(t *testing.T) {
	none := map[string]string{}
	for _, c := range []struct {
		fields []string
		want   []Challenge
	}{
		{[]string{`Bearer`}, []Challenge{{scheme: "Bearer", Params: none}}},
		{[]string{`Bearer realm="a, b=c", scope="x y"`}, []Challenge{{scheme: "Bearer", Params: map[string]string{"realm": "a, b=c", "scope": "x y"}}}},
		{[]string{`Basic realm="simple", Bearer error="invalid_token", DPoP algs="ES256"`}, []Challenge{
			{scheme: "Basic", Params: map[string]string{"realm": "simple"}},
			{scheme: "Bearer", Params: map[string]string{"error": "invalid_token"}},
			{scheme: "DPoP", Params: map[string]string{"algs": "ES256"}},
		}},
		{[]string{`Negotiate YWJj==, Bearer`, `Digest qop=auth`}, []Challenge{
			{scheme: "Negotiate", Params: none, token68: "YWJj=="},
			{scheme: "Bearer", Params: none},
			{scheme: "Digest", Params: map[string]string{"qop": "auth"}},
		}},
		{[]string{`bearer  Resource_Metadata = "https://h/a\"b" ,, scope=x`}, []Challenge{
			{scheme: "bearer", Params: map[string]string{"resource_metadata": `https://h/a"b`, "scope": "x"}},
		}},
		{[]string{`Bearer resource_metadata=https://h/p?a=b, scope="never ends`}, []Challenge{
			{scheme: "Bearer", Params: map[string]string{"resource_metadata": "https://h/p?a=b", "scope": "never ends"}},
		}},
		{[]string{`azAZ09 azAZ09=azAZ09`, `Bearer azAZ09==`}, []Challenge{ // both ends of letters and digits
			{scheme: "azAZ09", Params: map[string]string{"azaz09": "azAZ09"}}, {scheme: "Bearer", Params: none, token68: "azAZ09=="},
		}},
		{[]string{`realm="of nothing", , ;;"loose, text"`}, nil},
		{[]string{`Bearer scope="first", scope="second"`}, []Challenge{{scheme: "Bearer", Params: map[string]string{"scope": "first"}}}},
	} {
		if diff := cmp.Diff(c.want, Challenges(http.Header{"Www-Authenticate": c.fields}), cmp.AllowUnexported(Challenge{})); diff != "" {
			t.Errorf("%q:\n%s", c.fields, diff)
		}
	}
}

func TestMergeChallenges_OtherSchemes(t *testing.T) {
	d := mergeChallenges(parseChallenges(`Basic scope="no", error="no", Bearer scope="a b", DPoP scope="b c", resource_metadata="https://h/"`))
	if !slices.Equal(d.scopes, []string{"a", "b", "c"}) || d.err != "" || d.metadata != "https://h/" || !d.dpop {
		t.Errorf("got %+v", d)
	}
}

// write is the challenges as one field.
func write(all []Challenge) string {
	var parts []string
	for _, c := range all {
		var params []string
		for name, value := range c.Params {
			params = append(params, fmt.Sprintf(`%s="%s"`, name, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value)))
		}
		slices.Sort(params)
		parts = append(parts, strings.TrimSpace(c.scheme+" "+c.token68+strings.Join(params, ", ")))
	}
	return strings.Join(parts, ", ")
}

func FuzzChallenges(f *testing.F) {
	f.Add(`Bearer realm="x", scope="a b"`)
	f.Add(`Basic YWJj==, Bearer error=invalid_token,DPoP algs="ES256"`)
	f.Add(`Bearer resource_metadata="https://h/\"", "loose" = , =x`)
	f.Fuzz(func(t *testing.T, field string) {
		all := parseChallenges(field)
		for _, c := range all {
			if c.scheme == "" || strings.ContainsFunc(c.scheme, func(r rune) bool { return r > 0x7f || !isTokenByte(byte(r)) }) {
				t.Fatalf("%q has the scheme %q", field, c.scheme)
			}
			if c.token68 != "" && len(c.Params) > 0 {
				return // it is broken, and cannot be written again
			}
		}
		if diff := cmp.Diff(all, parseChallenges(write(all)), cmp.AllowUnexported(Challenge{})); diff != "" {
			t.Fatalf("%q, written again as %q:\n%s", field, write(all), diff)
		}
	})
}

// A token is bound to a key if the server of MCP asks for it and the authorization server supports it.
func TestFlow_UseDPoP(t *testing.T) {
	es256, other := []string{"RS256", "ES256"}, []string{"RS256"}
	for name, tt := range map[string]struct {
		challenge bool
		resource  *resourceMetadata
		server    []string
		want      bool
	}{
		"the challenge asks":                  {true, nil, es256, true},
		"the metadata requires it":            {false, &resourceMetadata{BoundOnly: true}, es256, true},
		"the metadata offers it":              {false, &resourceMetadata{ProofAlgs: es256}, es256, true},
		"the metadata offers another":         {false, &resourceMetadata{ProofAlgs: other}, es256, false},
		"no metadata":                         {false, nil, es256, false},
		"metadata without it":                 {false, &resourceMetadata{}, es256, false},
		"not by the authorization server":     {true, &resourceMetadata{BoundOnly: true, ProofAlgs: es256}, nil, false},
		"with another algorithm":              {true, &resourceMetadata{BoundOnly: true, ProofAlgs: es256}, other, false},
		"the metadata offers what is unknown": {false, &resourceMetadata{ProofAlgs: es256}, other, false},
	} {
		f := &flow{challenge: challengeParams{dpop: tt.challenge}, server: serverMetadata{ProofAlgs: tt.server}}
		if got := f.useDPoP(tt.resource); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

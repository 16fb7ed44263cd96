package http

import (
	"testing"
)

func TestSameOrigin(t *testing.T) {
	a, err := Endpoint("https://Host.example/mcp#part")
	if err != nil || a.Fragment != "" {
		t.Fatalf("%v, %v", a, err)
	}
	for other, want := range map[string]bool{
		"https://host.EXAMPLE:443/x": true, "http://host.example/": false, "https://host.example:444/": false, "https://host.example.org/": false,
	} {
		if b, _ := Endpoint(other); SameOrigin(a, b) != want {
			t.Errorf("%s is the same origin: %v", other, !want)
		}
	}
}

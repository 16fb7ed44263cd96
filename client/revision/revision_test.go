package revision

import (
	"encoding/json"
	"testing"
)

func TestMethodsFollowTheRevision(t *testing.T) {
	tests := []struct {
		method string
		has    []Revision
	}{
		{"initialize", Legacy()},
		{"tools/call", All()},
		{"server/discover", []Revision{R20260728}},
		{"elicitation/create", []Revision{R20250618, R20251125}},
		{"tasks/result", []Revision{R20251125}},
	}
	for _, tt := range tests {
		m, ok := Lookup(tt.method)
		if !ok {
			t.Fatalf("no %s", tt.method)
		}
		want := map[Revision]bool{}
		for _, r := range tt.has {
			want[r] = true
		}
		for _, r := range All() {
			if m.In(r) != want[r] {
				t.Errorf("%s in %s: %v", tt.method, r, m.In(r))
			}
		}
		if !m.In("2099-01-01") {
			t.Errorf("%s is denied to an unknown revision", tt.method)
		}
	}
}

func TestParamTemplatesAreJSON(t *testing.T) {
	for _, m := range methods {
		if m.Params != "" && !json.Valid([]byte(m.Params)) {
			t.Errorf("%s: %s", m.Name, m.Params)
		}
	}
}

func TestNewestCommonLegacy(t *testing.T) {
	if r, ok := NewestCommonLegacy([]string{"2024-11-05", "2025-06-18", "2026-07-28"}); !ok || r != R20250618 {
		t.Errorf("got %q %v", r, ok)
	}
	if r, ok := NewestCommonLegacy([]string{"2026-07-28", "latest"}); ok {
		t.Errorf("got %q", r)
	}
}

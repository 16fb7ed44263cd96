package lint_test

import (
	"testing"

	"mcptea/lint"
)

func TestCountsUp(t *testing.T) {
	for _, tt := range []struct {
		before, id string
		want       bool
	}{
		{"task-000000000001", "task-000000000002", true},
		{"task-000000000009", "task-000000000010", true},
		{"mytask-1796090350197", "mytask-1796090350466", true},
		{"job_1796090350197_w", "job_1796090350466_w", true},
		{"task-000000000001", "task-000000000001", false},
		{"1d8f-4410", "1d8f-9871", true},
		{"9f86d081884c7d65", "9f36d081884c7d64", false},
		{"f25b", "f27", false},
		{"786a02f742015903c6c6fd852552d272", "3a6eb0790f39ac87c94f3856b2dd2c5d", false},
		{"", "", false},
		{"a", "a1", false},
		{"72847362514253647586", "72847362514253647587", false}, // more digits than a time has
	} {
		if got := lint.CountsUp(tt.before, tt.id); got != tt.want {
			t.Errorf("CountsUp(%q, %q) = %v", tt.before, tt.id, got)
		}
	}
}

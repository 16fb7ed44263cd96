package tools

import "testing"

// A tool can raise the limit of its results, up to a bound; it cannot lower it.
func TestToModel_Limits(t *testing.T) {
	for tool, want := range map[string]int{
		``:   50_000,
		`{}`: 50_000,
		`{"_meta":{"anthropic/maxResultSizeChars":60000}}`:   60_000,
		`{"_meta":{"anthropic/maxResultSizeChars":10}}`:      50_000,
		`{"_meta":{"anthropic/maxResultSizeChars":9000000}}`: 500_000,
		`{"_meta":{"anthropic/maxResultSizeChars":"60000"}}`: 50_000,
	} {
		if got := toModel([]byte(tool)); got != want {
			t.Errorf("%s: %d, want %d", tool, got, want)
		}
	}
}

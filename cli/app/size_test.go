package app

import (
	"testing"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "12": 12, "7B": 7, "2K": 2000, "2KB": 2000, "10M": 10e6, "500MB": 500e6, "3G": 3e9, "2GB": 2e9, "1.5 gb": 1.5e9,
		"64KiB": 64 << 10, "2MiB": 2 << 20, "3GiB": 3 << 30,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "many", "-1MB", "1TBB", "NaN", "1e30", "MB"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}

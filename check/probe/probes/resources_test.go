package probes

import "testing"

func TestURIPaths(t *testing.T) {
	for _, c := range []struct{ file, volume, absolute, rooted string }{
		{"/tmp/x", "", "/tmp/x", "/tmp/x"},
		{`/tmp/a\b`, "", `/tmp/a\b`, `/tmp/a\b`},
		{`C:\Temp\x`, "C:", "/C:/Temp/x", "/Temp/x"},
	} {
		if absolute, rooted := uriPaths(c.file, c.volume); absolute != c.absolute || rooted != c.rooted {
			t.Errorf("uriPaths(%q, %q) = %q, %q", c.file, c.volume, absolute, rooted)
		}
	}
}

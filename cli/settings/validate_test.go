package settings_test

import (
	"testing"

	"mcptea/cli/settings"
)

func TestNeedsASCII(t *testing.T) {
	for _, tc := range []struct {
		system string
		env    map[string]string
		want   bool
	}{
		{"linux", nil, false},
		{"linux", map[string]string{"LANG": "en_US.UTF-8"}, false},
		{"linux", map[string]string{"LANG": "C.utf8"}, false},
		{"linux", map[string]string{"LANG": "C"}, true},
		{"linux", map[string]string{"LC_ALL": "C", "LANG": "en_US.UTF-8"}, true},
		{"linux", map[string]string{"LC_ALL": "POSIX"}, true},
		{"linux", map[string]string{"LC_ALL": "", "LC_CTYPE": "de_DE.ISO-8859-15@euro", "LANG": "en_US.UTF-8"}, true},
		{"linux", map[string]string{"LC_CTYPE": "UTF-8"}, false}, // as macOS has it
		{"linux", map[string]string{"LANG": "de_DE"}, false},
		{"linux", map[string]string{"LANG": "sr_RS.UTF-8@latin"}, false},
		{"darwin", map[string]string{"TERM": "dumb", "LANG": "en_US.UTF-8"}, true},
		{"windows", map[string]string{"LANG": "C"}, false},
	} {
		if got := settings.NeedsASCII(tc.system, func(name string) string { return tc.env[name] }); got != tc.want {
			t.Errorf("%s %v: %v, want %v", tc.system, tc.env, got, tc.want)
		}
	}
}

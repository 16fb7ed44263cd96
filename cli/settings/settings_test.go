package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func names(t *testing.T, path string) string {
	t.Helper()
	s, err := Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range s.Mute {
		all = append(all, r.Name)
	}
	return strings.Join(all, " ")
}

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"# nothing yet\n":         "",
		"mute:\n":                 "",
		"mute: []\n":              "",
		"mute: [J030, not-json]":  "J030 not-json",
		"mute:\n- J030\n- T001\n": "J030 T001",
	} {
		if got := names(t, write(t, text)); got != want {
			t.Errorf("%q: mutes %q, want %q", text, got, want)
		}
	}
	if got := names(t, filepath.Join(t.TempDir(), "none.yaml")); got != "" {
		t.Errorf("a file that is not there mutes %q", got)
	}
}

func TestWhatIsWrongIsNamedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"\nmuted: [J030]":       `config.yaml:2: there is no setting "muted"; there is mute`,
		"mute: J030":            "config.yaml:1: mute is a list of rules",
		"- J030":                "config.yaml:1: settings are written as",
		"mute:\n  - J030\n  - ": "config.yaml:3: a rule is named by",
		"mute: [J030":           "config.yaml: yaml: line 1",
		"mute: [[J030]]":        "config.yaml:1: a rule is named by",
		"mute: []\n---\na: 1\n": "config.yaml: settings are one YAML document",
	} {
		path := write(t, text)
		_, err := Read(t.Context(), path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
		if err := Mute(t.Context(), path, "T001", "some-rule", true); err == nil {
			t.Errorf("%q was changed", text)
		}
		if now, _ := os.ReadFile(path); string(now) != text {
			t.Errorf("%q has become %q", text, now)
		}
	}
}

func TestMuteKeepsWhatSomebodyHasWritten(t *testing.T) {
	const before = "# mine\nmute:\n  # a server that I cannot change\n  - J030\n  - Not-JSON # loud\n"
	path := write(t, before)
	if err := Mute(t.Context(), path, "T001", "some-rule", true); err != nil {
		t.Fatal(err)
	}
	if now, _ := os.ReadFile(path); string(now) != before+"  - T001 # some-rule\n" {
		t.Errorf("the file is now\n%s", now)
	}
	if err := Mute(t.Context(), path, "J001", "not-json", false); err != nil { // by its other name
		t.Fatal(err)
	}
	if got := names(t, path); got != "J030 T001" {
		t.Errorf("mutes %q", got)
	}
	if err := Mute(t.Context(), path, "J030", "response-unknown-id", true); err != nil { // it is there
		t.Fatal(err)
	}
	if got := names(t, path); got != "J030 T001" {
		t.Errorf("mutes %q", got)
	}
}

func TestMuteMakesTheFile(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "mute:\n", "mute: []\n"} {
		path := write(t, text)
		if err := Mute(t.Context(), path, "J030", "response-unknown-id", true); err != nil {
			t.Fatal(err)
		}
		if got := names(t, path); got != "J030" {
			t.Errorf("%q: mutes %q", text, got)
		}
		if now, _ := os.ReadFile(path); strings.HasPrefix(text, "#") && !strings.HasPrefix(string(now), text) {
			t.Errorf("%q has become %q", text, now)
		}
	}
	path := filepath.Join(t.TempDir(), "a", "b", "config.yaml")
	if err := Mute(t.Context(), path, "J030", "response-unknown-id", true); err != nil {
		t.Fatal(err)
	}
	if now, _ := os.ReadFile(path); string(now) != "mute:\n  - J030 # response-unknown-id\n" {
		t.Errorf("the file is\n%s", now)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("the mode is %v", info.Mode())
	}
	if err := Mute(t.Context(), "", "J030", "response-unknown-id", true); err == nil {
		t.Error("without a file, nothing is said")
	}
}

func TestALinkStaysOne(t *testing.T) {
	target := write(t, "mute: [J030]\n")
	link := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.Symlink(target, link); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	if err := Mute(t.Context(), link, "T001", "some-rule", true); err != nil {
		t.Fatal(err)
	}
	if got := names(t, target); got != "J030 T001" {
		t.Errorf("the file behind the link mutes %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
}

func TestPath(t *testing.T) {
	t.Setenv("MCPTEA_CONFIG", "")
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "etc"))
	if got := Path(); got != filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "mcptea", "config.yaml") {
		t.Errorf("the file is %s", got)
	}
	t.Setenv("MCPTEA_CONFIG", "other.yaml")
	if got := Path(); got != "other.yaml" {
		t.Errorf("the file is %s", got)
	}
	t.Setenv("MCPTEA_CONFIG", "off")
	if got := Path(); got != "" {
		t.Errorf("the file is %s", got)
	}
}

func FuzzMute(f *testing.F) {
	for _, s := range []string{"", "mute: [J030]", "# a\nmute:\n  - J030 # b\n", "mute: &a [J030]", "mute: *a", "{mute: [x]}", "---\n...\n---\n"} {
		f.Add([]byte(s))
	}
	path := filepath.Join(f.TempDir(), "config.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		was, err := Read(t.Context(), path)
		if err != nil {
			return
		}
		if err := Mute(t.Context(), path, "T777", "some-rule", true); err != nil {
			return
		}
		now, err := Read(t.Context(), path)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if len(now.Mute) < len(was.Mute) {
			t.Fatal("a rule is lost")
		}
		for i, r := range was.Mute {
			if now.Mute[i].Name != r.Name {
				t.Fatalf("%q has become %q", r.Name, now.Mute[i].Name)
			}
		}
	})
}

package desktop

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestFind_ProgramsOfEachSystem(t *testing.T) {
	for _, tt := range []struct {
		system, there, variable string
		want                    string // the command line; empty for none
	}{
		{"linux", "wl-copy xclip", "WAYLAND_DISPLAY", "wl-copy"},
		{"linux", "wl-copy xclip xsel", "", "xclip -in -selection clipboard"},
		{"linux", "xsel clip.exe", "WAYLAND_DISPLAY", "xsel --input --clipboard"},
		{"android", "termux-clipboard-set", "", "termux-clipboard-set"},
		{"linux", "clip.exe", "", "clip.exe"},
		{"linux", "wl-copy pbcopy", "", ""},
		{"darwin", "pbcopy", "", "pbcopy"},
		{"windows", "clip.exe", "", "clip.exe"},
		{"windows", "xclip", "", ""},
	} {
		p, err := find(programs(tt.system), func(name string) string {
			if name == tt.variable {
				return "set"
			}
			return ""
		}, func(name string) (string, error) {
			if strings.Contains(" "+tt.there+" ", " "+name+" ") {
				return "/bin/" + name, nil
			}
			return "", exec.ErrNotFound
		})
		if got := strings.Join(p.argv, " "); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s with %s: %q, %v, want %q", tt.system, tt.there, got, err, tt.want)
		}
		if err != nil && !errors.Is(err, exec.ErrNotFound) {
			t.Error(err)
		}
	}
}

func TestProgram_GetsTheText(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	file := filepath.Join(t.TempDir(), "text")
	for _, tt := range []struct {
		wide bool
		want string
	}{
		{false, "a é 😀\n"},
		{true, "\xff\xfea\x00 \x00\xe9\x00 \x00=\xd8\x00\xde\n\x00"},
	} {
		p := program{argv: []string{"sh", "-c", `cat >"$0"`, file}, wide: tt.wide}
		if err := p.write("a é 😀\n"); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); string(got) != tt.want {
			t.Errorf("%q, %v, want %q", got, err, tt.want)
		}
	}
	if err := (program{argv: []string{"sh", "-c", "exit 3"}}).write("a"); err == nil || !strings.Contains(err.Error(), "sh: exit status 3") {
		t.Errorf("a program that fails: %v", err)
	}
}

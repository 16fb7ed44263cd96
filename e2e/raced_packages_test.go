package e2e_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// concurrent is what .ci/race looks for in a package.
func concurrent(t *testing.T) *regexp.Regexp {
	t.Helper()
	script, err := os.ReadFile("../.ci/race")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(script), "concurrent='")
	expression, _, ended := strings.Cut(rest, "'")
	if !found || !ended {
		t.Fatal(".ci/race does not say what it looks for")
	}
	return regexp.MustCompile("(?m)" + expression)
}

// Each package that .ci/unraced leaves out exists and has tests, and the reason is given.
func TestRaced_PackagesLeftOut(t *testing.T) {
	text, err := os.ReadFile("../.ci/unraced")
	if err != nil {
		t.Fatal(err)
	}
	starts := concurrent(t)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		part := strings.Split(line, "\t")
		if len(part) != 3 || part[0] != "never" && part[0] != "day" || len(strings.Fields(part[2])) < 2 {
			t.Errorf("%q is not never or day, packages and a reason, with a tab between them", line)
			continue
		}
		tests, goroutines := inPackages(t, part[1], starts)
		if tests == 0 {
			t.Errorf("%s has no tests", part[1])
		}
		if goroutines == "" {
			t.Errorf("%s starts no goroutine: .ci/race leaves it out without a row", part[1])
		}
	}
}

// inPackages returns how many files of tests a package has, or it and those below it, and a file with
// goroutines.
func inPackages(t *testing.T, packages string, starts *regexp.Regexp) (tests int, goroutines string) {
	t.Helper()
	folder, below := strings.CutSuffix(packages, "/...")
	top := filepath.Join("..", filepath.FromSlash(folder))
	_ = filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what does not exist has no tests
		case entry.IsDir() && path != top && !below:
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		case strings.HasSuffix(path, "_test.go"):
			tests++
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if starts.Match(text) {
			goroutines = path
		}
		return nil
	})
	return tests, goroutines
}

// Only tests that a crash of the detector has ended run again.
func TestRaced_CrashOfTheDetector(t *testing.T) {
	awk, err := exec.LookPath("awk")
	if err != nil {
		t.Skip("awk is not installed")
	}
	const crash = "ThreadSanitizer: CHECK failed: tsan_rtl.h:1\n"
	for name, tc := range map[string]struct {
		output, again string
		fails         bool
	}{
		"a crash":                 {"ok  \ta\t1s\n" + crash + "FAIL\tb\t1s\nFAIL\n", "b\n", false},
		"a fault of memory":       {"SIGSEGV: segmentation violation\nFAIL\tb\t1s\nok  \tc\t1s\n", "b\n", false},
		"two crashes":             {crash + "FAIL\ta\t1s\n" + crash + "FAIL\tb\t1s\n", "a\nb\n", false},
		"a failed test":           {"--- FAIL: TestX (0.00s)\nFAIL\nFAIL\ta\t1s\n", "", true},
		"a crash and a failure":   {crash + "FAIL\ta\t1s\n--- FAIL: TestX (0.00s)\nFAIL\tb\t1s\n", "a\n", true},
		"a race before a crash":   {"WARNING: DATA RACE\n" + crash + "FAIL\ta\t1s\n", "a\n", true},
		"a crash that was no end": {crash + "ok  \ta\t1s\n", "", true},
		"nothing":                 {"", "", true},
		"a failure to build":      {"FAIL\ta [build failed]\n", "", true},
	} {
		cmd := exec.Command(awk, "-f", "../.ci/crashed.awk")
		cmd.Stdin = strings.NewReader(tc.output)
		again, err := cmd.Output()
		if string(again) != tc.again || (err != nil) != tc.fails {
			t.Errorf("%s: %q, %v", name, again, err)
		}
	}
}

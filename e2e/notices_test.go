package e2e_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// packaging/NOTICES.txt has the licenses of the modules that are in the programs of a release.
func TestNotices_Current(t *testing.T) {
	const path = "../packaging/NOTICES.txt"
	var want bytes.Buffer
	if err := writeNotices(t.Context(), &want); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("packaging/NOTICES.txt is not current: go test ./e2e -run Notices -update")
	}
}

var update = flag.Bool("update", false, "write packaging/NOTICES.txt")

// systems are those of .goreleaser.yaml; what is linked does not depend on the architecture.
var systems = []string{"linux", "darwin", "windows"}

// legal matches the names of files that a distribution has to contain.
var legal = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\.txt|\.md)?$`)

// writeNotices writes each text once, under the modules that have it.
func writeNotices(ctx context.Context, w io.Writer) error {
	modules, err := linkedModules(ctx)
	if err != nil {
		return err
	}
	owners := make(map[string][]string) // of a text
	var texts []string                  // in the order of the modules
	for _, m := range modules {
		text, err := legalTextOf(m.dir)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if owners[text] == nil {
			texts = append(texts, text)
		}
		owners[text] = append(owners[text], m.name)
	}
	var out bytes.Buffer
	out.WriteString("The programs of mcptea contain the Go standard library and the modules below.\nThis file is generated: go test ./e2e -run Notices -update\n")
	for _, text := range texts {
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(owners[text], "\n"), text)
	}
	_, err = w.Write(out.Bytes())
	return err
}

// module is one that a program contains.
type module struct{ name, dir string }

// linkedModules returns the modules of the programs of all systems and the standard library.
func linkedModules(ctx context.Context) ([]module, error) {
	var modules []module
	for _, system := range systems {
		cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", "mcptea")
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for line := range strings.FieldsFuncSeq(string(out), func(r rune) bool { return r == '\n' || r == '\r' }) {
			name, dir, _ := strings.Cut(line, "\t")
			modules = append(modules, module{name, dir})
		}
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.name, b.name) })
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	std := module{"the Go standard library", strings.TrimSpace(string(out))}
	return append([]module{std}, slices.Compact(modules)...), nil
}

// legalTextOf returns the legal texts in a folder, one after the other.
func legalTextOf(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, e := range entries {
		if e.IsDir() || !legal.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
	}
	if len(texts) == 0 {
		return "", fmt.Errorf("%s has no license", dir)
	}
	return strings.Join(texts, "\n\n"), nil
}

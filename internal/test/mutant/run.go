package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// testTimeout ends the tests of a package that a mutant makes endless.
const testTimeout = "5m"

// A runner builds and tests mutants.
type runner struct {
	dir  string    // temporary, for overlays
	with []program // programs whose tests may run
}

// A program is the test program of a package.
type program struct {
	path    string
	imports map[string]bool // all packages that are linked into it
}

func newRunner(ctx context.Context, tests []string) (r runner, err error) {
	// A test program has the path of its package with the suffix .test; what is compiled again for
	// it has its name in brackets.
	listed, err := run(ctx, nil, append([]string{"list", "-test", "-f", "{{.ImportPath}}|{{join .Deps \"|\"}}"}, tests...))
	if err != nil {
		return r, err
	}
	for line := range strings.Lines(listed) {
		all := strings.Split(strings.TrimSpace(line), "|")
		path, isTest := strings.CutSuffix(all[0], ".test")
		if !isTest {
			continue
		}
		p := program{path, map[string]bool{}}
		for _, dep := range all[1:] {
			before, _, _ := strings.Cut(dep, " [")
			p.imports[before] = true
		}
		r.with = append(r.with, p)
	}
	r.dir, err = os.MkdirTemp("", "mutant")
	return r, err
}

// An outcome is the outcome of a mutant.
type outcome struct {
	compiles bool
	by       string // the package whose tests noticed it
}

func (r runner) run(ctx context.Context, m mutant) (o outcome, err error) {
	flags, err := r.overlay(m)
	if err != nil {
		return o, err
	}
	folder := "./" + filepath.ToSlash(filepath.Dir(m.file))
	path, err := run(ctx, nil, []string{"list", folder})
	if err != nil {
		return o, err
	}
	// Programs that tests build have the mutant too.
	env := append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" "+flags))
	if _, err := run(ctx, env, []string{"build", "-o", os.DevNull, folder}); err != nil {
		return o, ctx.Err()
	}
	o.compiles = true
	for _, p := range r.programs(strings.TrimSpace(path)) {
		if _, err := run(ctx, env, []string{"test", "-vet=off", "-failfast", "-timeout=" + testTimeout, p.path}); err != nil {
			o.by = p.path
			return o, ctx.Err()
		}
	}
	return o, nil
}

// overlay writes the source of a mutant, and returns the flag that builds it.
func (r runner) overlay(m mutant) (string, error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return "", err
	}
	file, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	mutated, list := filepath.Join(r.dir, "mutant.go"), filepath.Join(r.dir, "overlay.json")
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {file: mutated}})
	if err != nil {
		return "", err
	}
	return "-overlay=" + list, errors.Join(os.WriteFile(mutated, m.apply(source), 0o600), os.WriteFile(list, replaced, 0o600))
}

// programs returns the test programs that have a package: its own first, then the smaller ones.
func (r runner) programs(path string) []program {
	var all []program
	for _, p := range r.with {
		if p.path == path || p.imports[path] {
			all = append(all, p)
		}
	}
	rank := func(p program) int {
		if p.path == path {
			return 0
		}
		return len(p.imports)
	}
	slices.SortStableFunc(all, func(a, b program) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

// run runs the go command and returns what it prints.
func run(ctx context.Context, env, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, errs.Bytes())
	}
	return string(out), nil
}

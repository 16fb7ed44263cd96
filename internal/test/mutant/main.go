// Command mutant finds gaps in tests: it changes one place of the source at a time, runs the tests of the
// packages that import it, and prints the changes that no test notices.
//
//	go run ./internal/test/mutant [-n 30] [-seed 1] [-tests ./cli/...] FILE|FOLDER|FILE:LINE…
//
// The tree is never written: the changed file is an overlay of the build. A mutant that the tests notice is
// caught, even if they end by a time limit. A mutant that does not compile is replaced by another. A survivor
// needs a test, or does not change the behavior. The same seed selects the same mutants of the same files.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	n := flag.Int("n", 30, "how many mutants are tried")
	seed := flag.Uint64("seed", 1, "chooses the mutants")
	tests := flag.String("tests", "./...", "packages whose tests may run, separated by spaces")
	list := flag.Bool("list", false, "print all mutants and try none")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	mutants, err := mutantsIn(flag.Args())
	if err == nil && *list {
		for _, m := range mutants {
			fmt.Println(m)
		}
		return
	}
	survivors := 0
	if err == nil {
		survivors, err = try(ctx, os.Stdout, choose(mutants, *seed), *n, strings.Fields(*tests))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutant:", err)
		os.Exit(2)
	}
	if survivors > 0 {
		os.Exit(1)
	}
}

// choose returns the mutants in the order of a seed.
func choose(mutants []mutant, seed uint64) []mutant {
	order := make([]mutant, len(mutants))
	for i, j := range rand.New(rand.NewPCG(seed, 0)).Perm(len(mutants)) {
		order[i] = mutants[j]
	}
	return order
}

// mutantsIn returns the mutants of files, of the files of folders, and of single lines.
func mutantsIn(places []string) ([]mutant, error) {
	var all []mutant
	for _, place := range places {
		name, line := place, 0
		if before, after, ok := strings.Cut(place, ":"); ok {
			var err error
			if line, err = strconv.Atoi(after); err != nil {
				return nil, fmt.Errorf("%s: the line is not a number", place)
			}
			name = before
		}
		files := []string{name}
		if !strings.HasSuffix(name, ".go") {
			var err error
			if files, err = filepath.Glob(filepath.Join(name, "*.go")); err != nil {
				return nil, err
			}
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			source, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			found, err := mutantsOf(file, source)
			if err != nil {
				return nil, err
			}
			for _, m := range found {
				if line == 0 || m.line == line {
					all = append(all, m)
				}
			}
		}
	}
	return all, nil
}

// try runs the tests for the first n mutants that compile, and returns how many of them survive.
func try(ctx context.Context, out io.Writer, mutants []mutant, n int, tests []string) (survivors int, err error) {
	r, err := newRunner(ctx, tests)
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(r.dir) }()
	tried := 0
	for _, m := range mutants {
		if tried == n {
			break
		}
		o, err := r.run(ctx, m)
		switch {
		case err != nil:
			return survivors, err
		case !o.compiles:
			continue
		case o.by == "":
			survivors++
			_, _ = fmt.Fprintf(out, "SURVIVES  %v\n", m)
		default:
			_, _ = fmt.Fprintf(out, "caught    %v  (%s)\n", m, o.by)
		}
		tried++
	}
	_, _ = fmt.Fprintf(out, "%d of %d mutants survive.\n", survivors, tried)
	return survivors, nil
}

package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"mcptea/client/revision"
)

// timeout is shorter than the timeout of the suite, so that a hanging scenario ends with an error.
const timeout = 25 * time.Second

// task describes one run for the suite.
type task struct {
	url      string
	scenario string
	// revision is empty in older suites, which leave it to the client.
	revision revision.Revision
	// data is JSON that belongs to the scenario: credentials, calls to make.
	data []byte
}

// scenario carries out one task.
type scenario func(context.Context, task) error

// scenarios returns all that the suites have, by name.
func scenarios() map[string]scenario {
	all := map[string]scenario{}
	for _, family := range []map[string]scenario{plain, stateless, headers, schemas, skills, authorized} {
		maps.Copy(all, family)
	}
	return all
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: driver URL, with MCP_CONFORMANCE_SCENARIO set")
	}
	t := task{
		url:      args[0],
		scenario: os.Getenv("MCP_CONFORMANCE_SCENARIO"),
		revision: revision.Revision(os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION")),
		data:     []byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")),
	}
	do, ok := scenarios()[t.scenario]
	if !ok {
		return fmt.Errorf("MCP_CONFORMANCE_SCENARIO is %q; known are: %s",
			t.scenario, strings.Join(slices.Sorted(maps.Keys(scenarios())), ", "))
	}
	ctx, stop := context.WithTimeout(context.Background(), timeout)
	defer stop()
	if err := do(ctx, t); err != nil {
		return fmt.Errorf("%s: %w", t.scenario, err)
	}
	return nil
}

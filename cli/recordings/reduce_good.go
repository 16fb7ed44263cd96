package recordings

import (
	"context"
	"fmt"
	"slices"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/internal/shell"
	"mcptea/session/runs/reduce"
)

// findGood finds the server of --good.
func (r *reduceRun) findGood() error {
	if r.flags.good == "" {
		return nil
	}
	if r.flags.rule != "" || len(r.flags.assert) > 0 {
		return app.Usage("Omit one of the flags.", "--good excludes --rule and --assert: it keeps a difference")
	}
	argv, err := shell.Split(r.flags.good, r.p.Env.Lookup)
	if err != nil || len(argv) == 0 {
		return app.Usage("Write the command that starts the server, such as --good 'node fixed.js'.", "--good: %q is not a command", r.flags.good)
	}
	r.good = client.Target{Argv: argv}
	return r.p.Complete(&r.good)
}

// maxDifferenceRuns bounds the requests that are compared to find the last one that differs.
const maxDifferenceRuns = 50

// upToDifference returns the case up to the last request whose results differ between the servers.
func (r *reduceRun) upToDifference(c *reduce.Case) (*reduce.Case, error) {
	for n := len(c.Steps); n > max(0, len(c.Steps)-maxDifferenceRuns); n-- {
		r.p.Err.Status(fmt.Sprintf("comparing request %d of %d on both servers", n, len(c.Steps)))
		part := *c
		part.Steps = slices.Clone(c.Steps[:n])
		got, err := r.compare(r.p.Ctx, &part)
		if err != nil {
			return nil, err
		}
		if got.Way > reduce.NotRun {
			part.Assert = nil
			return &part, nil
		}
	}
	return c, nil
}

// compare runs a candidate on both servers. The candidate fails if the last results differ: the script expects
// the result of the good server.
func (r *reduceRun) compare(ctx context.Context, c *reduce.Case) (reduce.Outcome, error) {
	bare := *c
	bare.Assert = nil
	bad, now, err := r.runOn(ctx, r.target, &bare)
	if err != nil {
		return bad, err
	}
	good, want, err := r.runOn(ctx, r.good, &bare)
	switch {
	case err != nil:
		return good, err
	case bad.Way == reduce.NotRun || good.Way == reduce.NotRun:
		return reduce.Outcome{Way: reduce.NotRun}, nil
	case good.Way != reduce.Passed:
		return reduce.Outcome{}, nil // without a good server, the correct outcome is unknown
	case bad.Way != reduce.Passed:
		c.Assert = nil
		return bad, nil
	}
	expected, place := reduce.Differing(want, now)
	if place == "" {
		return reduce.Outcome{Responses: bad.Responses}, nil
	}
	c.Assert = []string{"expect " + expected}
	return reduce.Outcome{Way: reduce.Difference, Detail: place, Failed: bad.Failed, Responses: bad.Responses}, nil
}

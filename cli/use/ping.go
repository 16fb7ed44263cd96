package use

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/session"
	"mcptea/ui/paint"
)

func (p *commands) pingCommand() *cobra.Command {
	var count int
	var interval time.Duration
	cmd := &cobra.Command{
		Use:   "ping TARGET",
		Short: "Measure the time to a response",
		Long: `Connect, send ping, and print the time until the response. In 2026-07-28, which has no ping, the request is server/discover.

The exit code is 1 if a response was missing or an error.`,
		Example: `  mcptea ping -- ./my-server
  mcptea ping --count 100 --interval 0s --url http://127.0.0.1:3000/mcp
  mcptea ping --count 10 --json -- ./my-server`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.ping(cmd, args, count, interval) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.IntVarP(&count, "count", "n", 1, "number of `requests`  N")
		fs.DurationVar(&interval, "interval", time.Second, "`TIME` between two requests")
	})
	p.AddRequest(cmd)
	return cmd
}

// pings are the times of a series.
type pings struct {
	times []time.Duration
	lost  int
}

func (p *commands) ping(cmd *cobra.Command, args []string, count int, interval time.Duration) error {
	switch {
	case count < 1:
		return app.Usage("Write --count 10.", "--count must be greater than 0")
	case interval < 0:
		return app.Usage("Write it as 500ms or 2s.", "--interval %s is negative", interval)
	}
	t, rest, err := p.NeedTarget(cmd, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return app.Usage("Type mcptea ping --help for its usage.", "ping takes no arguments beside the target, found %q", rest[0])
	}
	s, err := p.Connect(t)
	if err != nil {
		return err
	}
	defer p.CloseSession(s)
	method := "ping"
	if s.State().Handshake.Revision.IsStateless() {
		method = "server/discover"
	}
	var all pings
	for i := range count {
		if i > 0 && p.pause(interval) != nil {
			break
		}
		if err := p.pingOnce(s, method, i+1, &all); err != nil {
			if len(all.times) == 0 || context.Cause(p.Ctx) == nil {
				return err
			}
			break
		}
	}
	return p.pingSummary(&all, count)
}

// pingOnce sends one request. The error is one after which no further request makes
// sense.
func (p *commands) pingOnce(s *session.Session, method string, n int, all *pings) error {
	from := time.Now()
	response, err := p.Do(s, method, nil, target.Nothing)
	took := time.Since(from)
	if err == nil {
		if response.Took > 0 {
			took = response.Took
		}
		err = response.Err()
	}
	if err != nil {
		all.lost++
		var late *client.TimeoutError
		var rpc *client.RPCError
		if context.Cause(p.Ctx) != nil || !errors.As(err, &late) && !errors.As(err, &rpc) {
			return p.Outcome(s, err)
		}
		fmt.Fprintf(p.Err, "%s %s\n", p.Err.Bad("mcptea:"), p.Err.Safe(target.SentenceOf(err)))
		return nil
	}
	all.times = append(all.times, took)
	if p.JSON {
		return nil
	}
	return p.Out.Line(fmt.Sprintf("%s %d: response after %s", method, n, paint.HumanDuration(took)))
}

// pause waits; the error is the reason of an interrupt.
func (p *commands) pause(d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-p.Ctx.Done():
		return context.Cause(p.Ctx)
	}
}

// pingDocument is what ping --json prints. Times are milliseconds.
type pingDocument struct {
	Requests  int       `json:"requests"`
	Responses int       `json:"responses"`
	Min       float64   `json:"min_ms"`
	Median    float64   `json:"median_ms"`
	Max       float64   `json:"max_ms"`
	Times     []float64 `json:"times_ms"`
}

func (p *commands) pingSummary(all *pings, count int) error {
	sorted := slices.Sorted(slices.Values(all.times))
	n := len(sorted)
	switch {
	case p.JSON:
		d := pingDocument{Requests: n + all.lost, Responses: n, Times: []float64{}}
		for _, t := range all.times {
			d.Times = append(d.Times, app.Milliseconds(t))
		}
		if n > 0 {
			d.Min, d.Median, d.Max = app.Milliseconds(sorted[0]), app.Milliseconds(sorted[n/2]), app.Milliseconds(sorted[n-1])
		}
		if err := p.PrintDocument(d); err != nil {
			return err
		}
	case count > 1 && n > 0:
		err := p.Out.Line(fmt.Sprintf("%d of %d responses; minimum %s, median %s, maximum %s", n, n+all.lost,
			paint.HumanDuration(sorted[0]), paint.HumanDuration(sorted[n/2]), paint.HumanDuration(sorted[n-1])))
		if err != nil {
			return err
		}
	}
	p.WarnOfStrayText()
	if all.lost > 0 {
		return app.Silent(app.ExitError)
	}
	if cause := context.Cause(p.Ctx); cause != nil {
		return cause
	}
	return nil
}

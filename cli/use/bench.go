package use

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/invoke"
	"mcptea/session/runs/bench"
	"mcptea/session/session"
)

// benchFlags holds the flags of mcptea bench.
type benchFlags struct {
	tool           nameFlag
	method, params string
	load           bench.Load
}

func (p *commands) benchCommand() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench [TOOL [ARG…] | --method METHOD [--params JSON]] TARGET",
		Short: "Measure a server under load (experimental)",
		Long: `Send one request repeatedly over one connection, and print the response times. The ARGs are the same as in mcptea call. Without a tool or a method, ping is sent ten times; in 2026-07-28, which has no ping, server/discover.

Without --rate, --concurrency requests are pending all the time (closed loop). With --rate, requests are due at that rate whether or not the server keeps up, and the time counts from when a request was due (open loop); --concurrency is then the limit of pending requests.

If the server limits the rate of requests (HTTP status 429, or 503 with Retry-After), bench waits as long as the server requires, within --max-time; the rejected requests are counted separately and sent again.

The load ends after --max-time or --requests, whichever comes first, or with an interrupt. The exit code is 1 if a request failed.`,
		Example: `  mcptea bench echo message=hi -- ./my-server
  mcptea bench --requests 100 -- ./my-server
  mcptea bench search query=tea -c 20 --max-time 30s --url http://127.0.0.1:3000/mcp
  mcptea bench --method tools/list --rate 200 -c 50 --json -- ./my-server`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.bench(cmd, args, f) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		f.tool.declare(fs, "tool")
		fs.StringVar(&f.method, "method", "", "send this `METHOD` instead of tools/call")
		fs.StringVar(&f.params, "params", "", "params of --method: `JSON`, @file, or - for stdin")
		p.Flags.DeclareNoValidate(fs)
		fs.IntVarP(&f.load.Workers, "concurrency", "c", 1, "`number` of concurrent requests  N")
		fs.Float64Var(&f.load.Rate, "rate", 0, "requests that are due per second; 0 is a closed loop  `N`")
		fs.IntVarP(&f.load.Requests, "requests", "n", 0, "end after this `number` of requests  N")
		fs.DurationVar(&f.load.Duration, "max-time", 10*time.Second, "end after this `TIME`; 0 is no limit")
		fs.DurationVar(&f.load.Warmup, "warmup", 0, "`TIME` before the measurement whose requests do not count")
	})
	p.target.AddRequest(cmd)
	return cmd
}

// isPing reports whether neither a tool nor a method is named.
func (f *benchFlags) isPing(words []string) bool {
	return f.method == "" && len(words) == 0 && !f.tool.flag.Changed
}

// check reports values that make no load. Without a duration of the user, --requests
// is the only end.
func (f *benchFlags) check(cmd *cobra.Command, words []string) error {
	l := &f.load
	bounded := cmd.Flags().Changed("max-time")
	if l.Requests == 0 && !bounded && f.isPing(words) {
		l.Requests = 10
	}
	if l.Requests > 0 && !bounded {
		l.Duration = 0
	}
	switch {
	case l.Workers < 1:
		return app.Usage("Write -c 10.", "--concurrency must be greater than 0")
	case l.Workers > 10_000:
		return app.Usage("Start several at once for more.", "--concurrency must not be greater than 10000")
	case l.Rate != 0 && !(l.Rate >= minRate && l.Rate <= maxRate): // also NaN
		return app.Usage("Write --rate 200.", "--rate must be a number from %g to %g", minRate, float64(maxRate))
	case l.Requests == 0 && l.Duration == 0:
		return app.Usage("Write --requests 1000 or --max-time 10s.", "the benchmark has no end")
	case f.method == "" && len(words) == 1 && !f.tool.flag.Changed && isNumber(words[0]):
		return app.Usage("For a number of requests write: mcptea bench -n "+words[0]+" TARGET", "%q is a number, not the name of a tool", words[0])
	case f.method != "" && (len(words) > 0 || f.tool.flag.Changed):
		return app.Usage("Omit the tool, or the flag.", "--method and a tool exclude each other")
	case f.method == "" && f.params != "":
		return app.Usage("Write the arguments as words, or add --method.", "--params requires --method")
	}
	return nil
}

// Limits of --rate, in requests per second.
const (
	minRate = 0.001
	maxRate = 1_000_000
)

func isNumber(word string) bool {
	_, err := strconv.Atoi(word)
	return err == nil
}

func (p *commands) bench(cmd *cobra.Command, args []string, f benchFlags) error {
	var name string
	var given invoke.Arguments
	var params []byte
	ping := false
	return p.withSession(cmd, args, func(words []string) (lists []client.ListKind, err error) {
		ping = f.isPing(words)
		if err = f.check(cmd, words); err != nil {
			return nil, err
		}
		switch {
		case ping:
		case f.method == "":
			lists = append(lists, client.Tools) // call uses the input schema
			name, given, err = f.tool.read(p, cmd, words)
		case f.params != "":
			params, err = p.sendParams(f.params)
		}
		return lists, err
	}, func(s *session.Session) error {
		method := f.method
		switch {
		case ping && s.State().Handshake.Revision.IsStateless():
			method = "server/discover"
		case ping:
			method = "ping"
		case method == "":
			method = "tools/call"
			lists, err := p.LoadLists(s, link.Nothing, client.Tools)
			if err != nil {
				return err
			}
			tools := lists[client.Tools.Name]
			object, err := p.encode(s, given, client.Tools, name, tools)
			if err != nil {
				return err
			}
			params = invoke.Params(name, object)
		}
		return p.measure(s, f.load, method, name, params)
	})
}

// measure runs the load and prints the result, even after an interrupt.
func (p *commands) measure(s *session.Session, load bench.Load, method, name string, params []byte) error {
	shown := func(n int64) { p.Err.Status(phrase.Digits(int(n)) + " responses") }
	result := bench.Run(p.Ctx, load, func(ctx context.Context) bench.Outcome { return sendOnce(ctx, s, method, params) }, shown)
	p.Err.Status("")
	if result.Requests == 0 {
		if cause := context.Cause(p.Ctx); cause != nil {
			return cause
		}
		return app.Failed("no request had a response")
	}
	if err := p.printBench(&result, load, strings.TrimSpace(method+" "+name)); err != nil {
		return err
	}
	switch cause := context.Cause(p.Ctx); {
	case cause != nil:
		return cause
	case result.Failed > 0:
		return app.Silent(app.ExitError)
	}
	return nil
}

// sendOnce sends a request and returns its outcome.
func sendOnce(ctx context.Context, s *session.Session, method string, params []byte) bench.Outcome {
	s.AwaitRenewal(ctx)
	call := s.Start(method, params)
	select {
	case <-call.Done():
	case <-ctx.Done():
		call.Cancel()
		<-call.Done()
		return bench.Outcome{Problem: "interrupted"}
	}
	response, err := call.Outcome()
	var status *transport.StatusError
	if errors.As(err, &status) && mcphttp.IsLimit(status.Status, status.Header) {
		pause, _ := mcphttp.PauseOf(status.Header, time.Now())
		return bench.Outcome{Problem: fmt.Sprintf("the server limits the rate of requests (HTTP status %d)", status.Status), Limited: true, Pause: pause}
	}
	return bench.Outcome{Problem: problemOf(response, err)}
}

// problemOf returns the class of the error of a call.
func problemOf(response client.Response, err error) string {
	var late *client.TimeoutError
	switch {
	case errors.As(err, &late):
		return "timeout"
	case err != nil:
		return link.SentenceOf(err)
	}
	var rpc *client.RPCError
	if errors.As(response.Err(), &rpc) {
		return rpc.Code.Phrase()
	}
	if isError, _ := jsonrpc.Member(response.Result(), "isError"); string(isError) == "true" {
		return "tool error"
	}
	return ""
}

func (p *commands) printBench(r *bench.Result, load bench.Load, request string) error {
	r.Request = request
	if p.JSON {
		return p.PrintDocument(r)
	}
	out := p.Out
	how := fmt.Sprintf("closed loop, %d concurrent", load.Workers)
	if load.Rate > 0 {
		how = fmt.Sprintf("open loop, %g per second, at most %d concurrent", load.Rate, load.Workers)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", out.Strong(display.Sanitize(request)), out.Faint(how))
	fmt.Fprintf(&b, "%s  %s in %s, %s per second\n", out.Faint("requests"), phrase.Digits(int(r.Requests)), phrase.Took(time.Duration(r.Took)), perSecond(r.PerSecond))
	if n := r.Failed; n > 0 {
		fmt.Fprintf(&b, "%s  %s\n", out.Faint("failed  "), out.Bad(fmt.Sprintf("%s (%.1f%%)", phrase.Digits(int(n)), 100*float64(n)/float64(r.Requests))))
		for _, class := range slices.Sorted(maps.Keys(r.Errors)) {
			fmt.Fprintf(&b, "          %s  %s\n", phrase.Digits(int(r.Errors[class])), display.Sanitize(class))
		}
	}
	if r.Limited > 0 {
		fmt.Fprintf(&b, "%s  %s not taken at first (HTTP status 429 or 503); waited %s for the server's limit\n", out.Faint("limited "), phrase.Digits(int(r.Limited)), phrase.Took(time.Duration(r.Waited)))
	}
	if r.Late > 0 {
		fmt.Fprintf(&b, "%s  %s requests waited for a free one of %d\n", out.Faint("late    "), phrase.Digits(int(r.Late)), load.Workers)
	}
	fmt.Fprintf(&b, "%s  minimum %s, mean %s, maximum %s\n", out.Faint("latency "), phrase.Took(time.Duration(r.Min)), phrase.Took(time.Duration(r.Mean)), phrase.Took(time.Duration(r.Max)))
	for _, q := range bench.Percentages {
		fmt.Fprintf(&b, "%10s  %s\n", fmt.Sprintf("p%g", q), phrase.Took(r.Quantile(q)))
	}
	if out.Terminal {
		b.WriteString("\n" + p.benchChart(r))
	}
	_, err := out.Write([]byte(b.String()))
	return err
}

// perSecond writes a rate with the digits that it has.
func perSecond(rate float64) string {
	if rate < 10 {
		return fmt.Sprintf("%.1f", rate)
	}
	return phrase.Digits(int(rate + 0.5))
}

// benchChart draws how many responses took how long.
func (p *commands) benchChart(r *bench.Result) string {
	bars := r.Bars(12)
	var most int64
	for _, bar := range bars {
		most = max(most, bar.Count)
	}
	sign := "█"
	if p.ASCII {
		sign = "#"
	}
	room := max(10, min(p.Out.Width-32, 60))
	var b strings.Builder
	for _, bar := range bars {
		n := int(bar.Count * int64(room) / max(1, most))
		if n == 0 && bar.Count > 0 {
			n = 1
		}
		fmt.Fprintf(&b, "%10s  %s %s\n", phrase.Took(bar.From), p.Out.Good(strings.Repeat(sign, n)), p.Out.Faint(phrase.Digits(int(bar.Count))))
	}
	return b.String()
}

package checks

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/lint"
	"mcptea/lint/baseline"
	"mcptea/lint/contract"
)

// failing is the value of --fail-on of lint: a severity, rules, or both.
type failing struct {
	text     string
	severity failOn
	rules    []string // ids of the rules
}

// parse reads the text: words with commas between them.
func (f *failing) parse() error {
	f.severity, f.rules = "none", nil
	for word := range strings.SplitSeq(f.text, ",") {
		word = app.SeverityWord(strings.TrimSpace(word))
		if slices.Contains(severities, word) {
			f.severity = failOn(word)
			continue
		}
		id, err := settings.RuleNamed("--fail-on takes error, warning, info, none and rules:", word)
		if err != nil {
			return err
		}
		f.rules = append(f.rules, id)
	}
	return nil
}

func (f *failing) fails(found *lint.Finding) bool {
	return f.severity.fails(found.Severity) || slices.Contains(f.rules, found.Rule.ID)
}

// expects holds the flags about the expectations of a session.
type expects struct {
	contract.Terms
	calls    []string // values of --max-calls as given
	baseline string   // a file
}

func (e *expects) declare(fs *pflag.FlagSet) {
	fs.StringArrayVar(&e.Expected, "expect-tool", nil, "a tool that matches this `PATTERN` must have been called, such as weather or get-*; repeatable")
	fs.StringArrayVar(&e.Forbidden, "forbid-tool", nil, "no tool that matches this `PATTERN` may have been called; repeatable")
	fs.DurationVar(&e.MaxDuration, "max-duration", 0, "maximum `TIME` of a call, such as 5s, not counting the time spent waiting for a user")
	fs.StringArrayVar(&e.calls, "max-calls", nil, "how often tools may be called: `[PATTERN=]N`; repeatable")
	fs.BoolVar(&e.NoPending, "no-pending", false, "each request must have its response, unless it was cancelled")
	fs.StringVar(&e.baseline, "baseline", "", "the last complete lists must match this `FILE`, which this command or mcptea check has written")
	fs.BoolVar(&e.Accepts, "update-baseline", false, "write what the recordings have to the file of --baseline, and print what differs")
}

// terms returns the expectations of the flags.
func (e *expects) terms(ctx context.Context) (contract.Terms, error) {
	for _, patterns := range [][]string{e.Expected, e.Forbidden} {
		for _, pattern := range patterns {
			if err := contract.ParsePattern(pattern); err != nil {
				return contract.Terms{}, app.Usage(patternHelp, "%v", err)
			}
		}
	}
	terms := e.Terms
	for _, text := range e.calls {
		limit, err := contract.ParseLimit(text)
		if err != nil {
			return contract.Terms{}, app.Usage(patternHelp, "--max-calls %s: %v", text, err)
		}
		terms.MaxCalls = append(terms.MaxCalls, limit)
	}
	return terms, e.readBaseline(ctx, &terms)
}

// readBaseline reads the file of --baseline into the terms.
func (e *expects) readBaseline(ctx context.Context, terms *contract.Terms) (err error) {
	if e.Accepts && e.baseline == "" {
		return app.Usage("Name the file with --baseline FILE.", "--update-baseline requires --baseline")
	}
	if terms.Baseline, err = readBaseline(ctx, e.baseline, e.Accepts); terms.Baseline == nil && e.Accepts {
		terms.Baseline = baseline.New()
	}
	return err
}

const patternHelp = "In a pattern * stands for any characters and ? for one character; \\* is a literal *."

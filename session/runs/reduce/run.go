package reduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Options holds the settings of a reduction.
type Options struct {
	// Try runs a candidate on a fresh server.
	Try func(ctx context.Context, c *Case) (Outcome, error)
	// Runs is the maximum number of candidates that are tried.
	Runs int
	// Schemas are the input schemas of the tools, as trees.
	Schemas map[string]map[string]any
	// Progress is called before each run, with the number of steps that are left.
	Progress func(steps, runs int)
	// Recorded is the outcome of the last step in the recording, or Passed if it is not known.
	Recorded Outcome
}

// Result is a reduced case.
type Result struct {
	Case          *Case
	Outcome       Outcome
	Runs          int
	Failed, Tried int // number of failed runs of the reduced case, and of all runs
	Before, After int // steps
	// Needed are texts of the recording without which the case does not fail.
	Needed []string
	// Limited reports that the reduction ended before nothing more could go.
	Limited bool
}

// The errors of [Run].
var (
	ErrNoFailure = errors.New("the failure of the recording did not occur again")
	ErrState     = errors.New("the server keeps data from run to run")
)

// runner reduces a case.
type runner struct {
	Options
	ctx    context.Context
	runs   int
	votes  int // runs of a candidate until it counts as one that passes
	want   Outcome
	known  map[string]bool // failures by script
	err    error
	values map[string]int // numbers of original values, from 1
	needed map[string]bool
}

const (
	minTries = 3  // runs of the whole case
	maxTries = 12 // runs of the whole case if some of them pass
	// maxMiss is the probability, at most, that a case that fails sometimes passes all its votes.
	maxMiss  = 0.02
	maxVotes = 10
)

// Run reduces a case on a server. The error wraps [ErrNoFailure] if the case passes, and [ErrState] if its outcome depends
// on what ran before. If ctx ends, the result is the smallest case so far.
func Run(ctx context.Context, c *Case, o Options) (*Result, error) {
	r := &runner{Options: o, ctx: ctx, votes: 1, known: map[string]bool{}, values: map[string]int{}, needed: map[string]bool{}}
	result := &Result{Before: len(c.Steps)}
	if err := r.reproduce(c); err != nil {
		return nil, err
	}
	for whole := c; ; {
		for _, step := range []func(*Case) *Case{r.invent, r.steps, r.members, r.names, r.simplify, r.members, r.unlink, r.steps} {
			c = step(c)
		}
		if r.err != nil && ctx.Err() == nil {
			return nil, r.err
		}
		result.Limited = r.runs >= r.Runs || ctx.Err() != nil
		r.ctx = context.WithoutCancel(ctx)
		if err := r.confirm(c, result); err != nil {
			return nil, err
		}
		if result.Failed == 0 && (r.votes > 1 || result.Limited) {
			return nil, fmt.Errorf("%w: the reduced case failed, but no longer fails", ErrState)
		}
		if result.Failed == result.Tried || r.votes > 1 || result.Limited {
			break
		}
		// It seemed to fail each time, and fails now and then: candidates passed, or failed, by chance.
		r.ctx, r.known = ctx, map[string]bool{}
		if result.Failed == 0 {
			c = whole
		}
		r.setVotes(max(result.Failed, 1), result.Tried)
	}
	result.Case, result.Runs, result.After = c, r.runs, len(c.Steps)
	for text := range r.needed {
		result.Needed = append(result.Needed, text)
	}
	slices.Sort(result.Needed)
	return result, nil
}

// reproduce runs the whole case until it has failed, and learns how, how often, and whether the server keeps state: the
// last step alone must go before the whole case as it goes after it, and the other steps as in the recording.
func (r *runner) reproduce(c *Case) error {
	before, err := r.once(c.alone())
	if err != nil {
		return err
	}
	failed, tries := 0, 0
	var first, second Outcome
	for tries < minTries || failed < tries && tries < maxTries {
		got, err := r.once(c)
		if err != nil {
			return err
		}
		if tries++; tries == 1 {
			first = got
		}
		isNew := failed == 0 && got.Way > NotRun && r.isRecorded(&got)
		if isNew || failed > 0 && sameFailure(&got, &r.want) {
			r.want = got
			failed++
		}
		if tries == 2 {
			second = got
		}
	}
	if failed == 0 || failed == tries {
		if err := r.keepsState(c, &before, &first, &second); err != nil {
			return err
		}
	}
	if failed == 0 {
		return fmt.Errorf("%w in %d runs", ErrNoFailure, tries)
	}
	r.setVotes(failed, tries)
	return nil
}

// setVotes sets the number of runs of a candidate.
func (r *runner) setVotes(failed, tries int) {
	if failed < tries {
		r.votes = votesOf(failed, tries)
	}
}

// votesOf returns the number of runs that is needed to see a failure. With this number, a case that
// fails at the given rate fails at least once with a probability of at least 1 - maxMiss.
func votesOf(failed, tries int) int {
	if failed >= tries {
		return 1
	}
	rate := float64(failed) / float64(tries)
	return min(maxVotes, int(math.Ceil(math.Log(maxMiss)/math.Log(1-rate))))
}

// Repeats returns the number of times that a script sends the case, for its failure to show.
func (r *Result) Repeats() int { return votesOf(r.Failed, r.Tried) }

// keepsState compares two runs of the whole case with each other and with the recording, and the runs of its last step
// alone before and after them. A request that fails now and then is not a sign of state.
func (r *runner) keepsState(c *Case, before, first, second *Outcome) error {
	for i := range len(c.Steps) - 1 {
		s := &c.Steps[i]
		if failed := isFailure(s.Response); s.Response != nil && first.Way != NotRun && failed != first.Failed[i] && failed != second.Failed[i] {
			return fmt.Errorf("%w: request %d of the case (%s) %s in the recording and %s now, before anything was left out", ErrState, i+1, s.Method, passedOrFailed(failed), passedOrFailed(!failed))
		}
	}
	isSame := false // one of the runs had the same outcome
	var after Outcome
	for n := 0; n < 5 && !isSame; n++ {
		var err error
		if after, err = r.once(c.alone()); err != nil {
			return err
		}
		isSame = before.goesAs(&after)
	}
	if !isSame {
		return fmt.Errorf("%w: the last request alone %s before the other requests had run, and %s after them", ErrState, before.words(), after.words())
	}
	for i := range min(len(first.Responses), len(second.Responses)) {
		if !alikeResponses(first.Responses[i], second.Responses[i]) {
			return fmt.Errorf("%w: response %d differs between the first run and the second", ErrState, i+1)
		}
	}
	return nil
}

func passedOrFailed(failed bool) string {
	if failed {
		return "failed"
	}
	return "passed"
}

// alikeResponses compares two responses without what differs from run to run: digits, and words with digits. One that
// fails now and then is like one that does not.
func alikeResponses(a, b string) bool {
	if isFailure([]byte(a)) != isFailure([]byte(b)) {
		return true
	}
	plain := func(text string) string {
		return strings.Join(slices.DeleteFunc(strings.FieldsFunc(text, isBetweenWords), func(word string) bool {
			return strings.ContainsAny(word, "0123456789")
		}), " ")
	}
	return plain(a) == plain(b)
}

func isBetweenWords(r rune) bool { return strings.ContainsRune(" \n\t\r,;:(){}[]\"'\\", r) }

// isRecorded reports whether a run failed in the same way as the recording.
func (r *runner) isRecorded(got *Outcome) bool {
	switch {
	case r.Recorded.Way == NoResponse:
		return got.Way == Crash || got.Way == Timeout
	case r.Recorded.Way == Passed, got.Way >= Assertion:
		return true
	}
	return sameFailure(got, &r.Recorded)
}

func (r *runner) once(c *Case) (Outcome, error) {
	if err := context.Cause(r.ctx); err != nil {
		return Outcome{}, err
	}
	r.runs++
	if r.Progress != nil {
		r.Progress(len(c.Steps), r.runs)
	}
	return r.Try(r.ctx, c)
}

// fails reports whether a candidate fails like the case. If the case fails only sometimes, the
// candidate gets as many runs as votes.
func (r *runner) fails(c *Case) bool {
	key := c.Script("", 1)
	if known, ok := r.known[key]; ok {
		return known
	}
	for range r.votes {
		if r.err != nil || r.runs >= r.Runs {
			return false
		}
		got, err := r.once(c)
		if err != nil {
			r.err = err
			return false
		}
		if sameFailure(&got, &r.want) {
			r.known[key] = true
			return true
		}
	}
	r.known[key] = false
	return false
}

// steps leaves steps out.
func (r *runner) steps(c *Case) *Case {
	last := len(c.Steps) - 1
	keep := minimize(last, func(keep []int) bool { return r.fails(c.with(append(slices.Clone(keep), last))) })
	return c.with(append(keep, last))
}

// confirm runs the reduced case again, and learns how often it fails and which steps before the last one do.
func (r *runner) confirm(c *Case, result *Result) error {
	result.Failed, result.Tried = 0, 0
	n := minTries
	if r.votes > 1 {
		n = maxVotes
	}
	for range n {
		got, err := r.once(c)
		if err != nil {
			return err
		}
		result.Tried++
		if !sameFailure(&got, &r.want) {
			continue
		}
		result.Failed++
		result.Outcome = got
		for i := range c.Steps {
			c.Steps[i].Fails = got.Failed[i]
		}
	}
	return nil
}

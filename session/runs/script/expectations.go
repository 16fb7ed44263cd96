package script

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/offer/content"
	"mcptea/offer/diff"
	"mcptea/offer/jq"
	"mcptea/record"
	"mcptea/record/store"
)

var errNoResult = errors.New("there is no result yet; a request makes one")

// runExpect compares the last result with JSON.
func runExpect(_ context.Context, r *run, st *step, words []string) error {
	if !r.last.known {
		return errNoResult
	}
	word := words[len(words)-1]
	exact, ignored, err := expectFlags(words)
	if err != nil {
		return err
	}
	want, err := r.json(word)
	if err != nil {
		return err
	}
	if exact {
		return r.expectExact(st, word, want, ignored)
	}
	m := match(want, r.last.value)
	switch {
	case st.negated && m == nil:
		return errors.New("the result matches, although ! requires a difference")
	case st.negated || m == nil:
		return nil
	}
	rows, err := diff.Rows(merged(want, r.last.value, true), r.last.value, diff.Options{})
	if err != nil {
		rows = nil // the result is not valid JSON
	}
	return &difference{reason: m.String(), rows: rows}
}

// expectExact compares the whole result, except for what differs from run to run.
func (r *run) expectExact(st *step, word string, want []byte, ignored []string) error {
	o := diff.Options{IgnoreVolatile: true}
	for _, text := range ignored {
		rule, err := diff.ParseIgnore(text)
		if err != nil {
			return err
		}
		o.Ignore = append(o.Ignore, rule)
	}
	differences, more, err := diff.Compare(want, r.last.value, o)
	if err != nil {
		return err
	}
	switch equal := len(differences) == 0; {
	case st.negated && equal:
		return errors.New("the result matches, although ! requires a difference")
	case st.negated || equal:
		return nil
	case r.options.Update && r.update(word):
		return nil
	}
	rows, err := diff.Rows(want, r.last.value, o)
	if err != nil {
		return err
	}
	n := len(differences) + more
	return &difference{reason: fmt.Sprintf("the result differs in %s, first at %s", phrase.Count(n, "place"), differences[0].Name), rows: rows}
}

// update writes the last result into the file of the script that a word names. It
// reports false if the script has no such file.
func (r *run) update(word string) bool {
	name, _ := strings.CutPrefix(word, "@")
	i := r.script.member(name)
	if i < 0 {
		return false
	}
	text, ok := jsonrpc.Indent(r.last.value)
	if !ok {
		return false
	}
	r.script.archive.Files[i].Data, r.script.updated = []byte(text+"\n"), true
	return true
}

// evaluate runs an expression of jq on the last result.
func (r *run) evaluate(ctx context.Context, expression string) ([][]byte, error) {
	if !r.last.known {
		return nil, errNoResult
	}
	query, err := jq.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("jq: %w", err)
	}
	if err := r.filters.Load(ctx, r.last.value); err != nil {
		return nil, fmt.Errorf("jq: %w", err)
	}
	var values [][]byte
	for v, err := range r.filters.Values(ctx, query) {
		if err != nil {
			return values, fmt.Errorf("jq: %w", err)
		}
		values = append(values, v)
	}
	return values, nil
}

func runJQ(ctx context.Context, r *run, st *step, words []string) error {
	values, err := r.evaluate(ctx, words[0])
	if err != nil {
		return err
	}
	holds := len(values) > 0
	for _, v := range values {
		holds = holds && string(v) != "null" && string(v) != "false"
	}
	if holds != st.negated {
		return nil
	}
	return fmt.Errorf("%s is %s", words[0], jqText(values))
}

func jqText(values [][]byte) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, short(v))
	}
	if len(texts) == 0 {
		return "empty"
	}
	return strings.Join(texts, ", ")
}

func runCapture(ctx context.Context, r *run, _ *step, words []string) error {
	values, err := r.evaluate(ctx, words[1])
	if err != nil {
		return err
	}
	if len(values) != 1 {
		return fmt.Errorf("%s has %d values, expected one", words[1], len(values))
	}
	r.vars[words[0]] = values[0]
	return nil
}

// runText matches the text of the last result, or of the error.
func runText(_ context.Context, r *run, st *step, words []string) error {
	if !r.last.known {
		return errNoResult
	}
	re, err := regexp.Compile("(?m)" + words[0])
	if err != nil {
		return err
	}
	text := textOf(r.last)
	switch found := re.MatchString(text); {
	case found && st.negated:
		return fmt.Errorf("the text matches %s: %s", words[0], short([]byte(text)))
	case !found && !st.negated:
		return fmt.Errorf("the text does not match %s: %s", words[0], short([]byte(text)))
	}
	return nil
}

// textOf returns the text of a result as a user sees it; of other results the JSON.
func textOf(o outcome) string {
	if o.isError {
		return string(o.value)
	}
	var texts []string
	for _, part := range content.Parse(o.method, o.value) {
		switch p := part.(type) {
		case content.Text:
			texts = append(texts, p.String())
		case content.JSON:
			texts = append(texts, string(p.Raw))
		}
	}
	return strings.Join(texts, "\n")
}

func runStderr(ctx context.Context, r *run, st *step, words []string) error {
	if r.s == nil {
		return errNotConnected
	}
	re, err := regexp.Compile(words[0])
	if err != nil {
		return err
	}
	found := func() bool {
		total, _ := r.s.Store().Logs()
		for i := range total {
			l, ok := r.s.Store().LogAt(i)
			if ok && l.Source == store.LogStderr && re.MatchString(l.Text) {
				return true
			}
		}
		return false
	}
	if st.negated {
		if r.untilStderrIsQuiet(ctx, found) {
			return fmt.Errorf("a line of stderr matches %s", words[0])
		}
		return context.Cause(ctx)
	}
	if err := r.until(ctx, found); err != nil {
		return fmt.Errorf("no line of stderr matches %s: %w", words[0], err)
	}
	return nil
}

// Text that a server writes to stderr before a response may be read after the response, because it arrives
// through another pipe.
const (
	stderrQuiet = 300 * time.Millisecond // after this time without a line, all lines of earlier requests have arrived
	maxStderr   = 3 * time.Second        // bounds the wait for a server that writes without a pause
)

// untilStderrIsQuiet waits until the server has stopped writing to stderr, and reports whether a line was found until
// then.
func (r *run) untilStderrIsQuiet(ctx context.Context, found func() bool) bool {
	ctx, stop := context.WithTimeout(ctx, maxStderr)
	defer stop()
	for {
		lines, _ := r.s.Store().Logs()
		quiet, end := context.WithTimeout(ctx, stderrQuiet)
		err := r.until(quiet, func() bool {
			now, _ := r.s.Store().Logs()
			return now > lines || found()
		})
		end()
		if found() || err != nil {
			return found()
		}
	}
}

// runLint waits until everything is checked, and fails if there are findings.
func runLint(ctx context.Context, r *run, _ *step, words []string) error {
	if r.s == nil {
		return errNotConnected
	}
	if r.pending != nil && r.pending.Running() && !revision.Lasts(r.method) {
		return errors.New("the request in the background has no response to check yet; put wait before lint")
	}
	worst, rule := record.SeverityError, ""
	if len(words) == 1 && isRule(words[0]) {
		worst, rule = record.SeverityInfo, words[0]
	} else if len(words) == 1 {
		if err := worst.UnmarshalText([]byte(words[0])); err != nil {
			return err
		}
	}
	if err := r.s.AwaitLint(ctx); err != nil {
		return fmt.Errorf("lint: not all frames were checked: %w", err)
	}
	var texts []string
	for _, g := range r.s.Findings().Groups {
		if g.Muted || g.Newest.Self || g.Severity > worst || rule != "" && g.Rule.ID != rule {
			continue
		}
		texts = append(texts, fmt.Sprintf("%s %s (%s)", g.Rule.ID, g.Newest.Message, g.Severity))
	}
	if len(texts) > 0 {
		return errors.New(strings.Join(texts, "; "))
	}
	return nil
}

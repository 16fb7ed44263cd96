package recordings

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/shell"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/question"
	"mcptea/session/requests"
	"mcptea/session/runs/pins"
	"mcptea/session/runs/reduce"
	"mcptea/session/runs/replay"
	"mcptea/session/runs/script"
	"mcptea/session/session"
)

// maxReduceWait bounds how long a candidate waits for a response: a missing response costs this time for each
// candidate.
const maxReduceWait = 2 * time.Second

// reduceRun reduces a recording on a server.
type reduceRun struct {
	p        *reduceCommand
	flags    reduceFlags
	target   client.Target
	good     client.Target // target of a server that responds correctly, or the zero Target
	turns    *replay.Transcript
	readOnly map[string]bool
	schemas  map[string]map[string]any
	// named are the names of tools, members and fixed values of the server, which a script must have.
	named map[string]bool
}

func (r *reduceRun) reduce(name string) error {
	c, recorded, err := r.aim(name)
	if err != nil {
		return err
	}
	if err := r.findGood(); err != nil {
		return err
	}
	if err := r.offer(); err != nil {
		return err
	}
	if err := r.agree(c); err != nil {
		return err
	}
	if r.flags.good != "" && r.flags.frame == 0 {
		if c, err = r.upToDifference(c); err != nil {
			return app.Failed("%s: %v", name, err)
		}
	}
	result, err := reduce.Run(r.p.Ctx, c, reduce.Options{
		Try: r.try, Runs: r.flags.runs, Schemas: r.schemas, Recorded: recorded,
		Progress: func(steps, runs int) {
			r.p.Err.Status(fmt.Sprintf("%s left, run %d of at most %d; ctrl+c ends it with the smallest case so far", phrase.Count(steps, "request"), runs, r.flags.runs))
		},
	})
	r.p.Err.Status("")
	switch {
	case errors.Is(err, reduce.ErrState):
		return app.Failed("%s: nothing is written: %v. Give the command that clears it with --reset COMMAND, or use a server that keeps nothing", name, err)
	case errors.Is(err, reduce.ErrNoFailure):
		return app.Failed("%s: %v", name, err)
	case err != nil:
		return err
	}
	return r.write(name, result)
}

// aim returns the case of the recording up to the request that fails, and how it failed.
func (r *reduceRun) aim(name string) (c *reduce.Case, recorded reduce.Outcome, err error) {
	row, recorded, assert := int32(-1), reduce.Outcome{}, r.flags.assert
	for i := range r.turns.Turns {
		turn := &r.turns.Turns[i]
		if !turn.IsRequest || revision.IsHandshake(turn.Method) {
			continue
		}
		o := reduce.Outcome{Way: reduce.NoResponse}
		if turn.Response >= 0 {
			frame, err := r.turns.Frame(turn.Response)
			if err != nil {
				return nil, o, app.Failed("%s: %v", name, err)
			}
			o = reduce.OutcomeOf(frame)
		}
		switch {
		case r.flags.frame > 0:
			if int(turn.Row)+1 == r.flags.frame {
				row, recorded = turn.Row, o
			}
		case o.Way != reduce.Passed && r.flags.rule == "" && r.flags.good == "", len(assert) > 0, r.flags.good != "":
			row, recorded = turn.Row, o
		}
	}
	if r.flags.frame > 0 && row < 0 {
		return nil, recorded, app.Usage("The inspector shows the numbers of frames.", "frame %d of %s is not a request", r.flags.frame, name)
	}
	if len(assert) > 0 || r.flags.good != "" {
		recorded = reduce.Outcome{}
	} else if row < 0 {
		d, want, err := r.p.aim(r.turns.Store(), name, r.flags.rule)
		if err != nil {
			return nil, recorded, err
		}
		if row = d.RequestOf(&want); row < 0 {
			return nil, recorded, app.Failed("%s: no request leads to the finding of %s; without a server, mcptea reduce keeps its frames", name, want.Rule.ID)
		}
		assert = []string{"lint " + want.Rule.ID}
		recorded = reduce.Outcome{Way: reduce.LintFinding, Detail: want.Rule.ID}
	}
	c, notes, err := reduce.Read(r.turns, row)
	if err != nil {
		return nil, recorded, app.Failed("%s: %v", name, err)
	}
	for _, note := range notes {
		r.p.Note(name + ": " + note)
	}
	if len(c.Steps) == 0 {
		return nil, recorded, app.Failed("%s: the recording has no request that a script can send", name)
	}
	c.Assert = assert
	return c, recorded, nil
}

// open opens a session with a fresh server.
func (r *reduceRun) open(ctx context.Context, t client.Target, protocol string) (*session.Session, error) {
	flags := r.p.Flags
	defer func() { r.p.Flags = flags }()
	if protocol != "" {
		r.p.Flags.Protocol = protocol
	}
	cfg, err := r.p.Config(t, "off")
	if err != nil {
		return nil, err
	}
	byScript := requests.Policy{Mode: requests.PolicyUser}
	cfg.Policies, cfg.Lint = requests.Policies{Sampling: byScript, Elicitation: byScript}, true
	s, err := session.Open(cfg)
	if err != nil {
		return nil, err
	}
	r.p.Track(s)
	return s, s.Connect(ctx)
}

// offer reads the tools of the server, which of them are read-only, and their schemas.
func (r *reduceRun) offer() error {
	s, err := r.open(r.p.Ctx, r.target, "")
	if s != nil {
		defer r.p.CloseSession(s)
	}
	if err != nil {
		return r.p.Failure(s, err, app.ExitConnect)
	}
	r.readOnly, r.schemas, r.named = map[string]bool{}, map[string]map[string]any{}, map[string]bool{}
	list, _ := s.List(r.p.Ctx, client.Tools) // a server without tools has no list
	for _, item := range list.Items {
		name := jsonrpc.Text(item.Raw, "name")
		r.named[name], r.readOnly[name] = true, list.IsReadOnly(name)
		for _, which := range []string{"inputSchema", "outputSchema"} {
			schema, names := reduce.Schema(item.Member(which))
			maps.Copy(r.named, names)
			if which == "inputSchema" {
				r.schemas[name] = schema
			}
		}
	}
	return nil
}

// ofSession are methods that only change the session, which ends with the candidate.
var ofSession = []string{"logging/setLevel", "resources/subscribe", "resources/unsubscribe"}

// agree leaves out requests that may change something, and asks the user to consent to the rest.
func (r *reduceRun) agree(c *reduce.Case) error {
	kinds, left := map[string]int{}, map[string]int{}
	var kept []reduce.Step
	for i := range c.Steps {
		s := &c.Steps[i]
		what, reads := s.Method, pins.Reads(s.Method) || slices.Contains(ofSession, s.Method) || s.IsNotice && strings.HasPrefix(s.Method, "notifications/")
		if s.Method == "tools/call" {
			what = s.Subject()
			reads = r.readOnly[what] || slices.Contains(r.flags.allow, what)
		}
		switch {
		case reads:
			kept = append(kept, *s)
			kinds[what]++
		case i == len(c.Steps)-1:
			return app.Usage("Allow it with --allow "+display.Sanitize(what)+", if it may be called many times, with invented values.", "the request that fails is not read-only: %s", what)
		default:
			left[what]++
		}
	}
	for _, what := range slices.Sorted(maps.Keys(left)) {
		r.p.Note(fmt.Sprintf("%s of %s left out, since it is not read-only; --allow %s sends it", phrase.Count(left[what], "request"), what, what))
	}
	c.Steps = kept
	if r.p.Flags.Yes {
		return nil
	}
	if !r.p.Interactive() {
		return app.Usage("Add --yes once you know that the server may be called so.", "reduce starts the server up to %d times, and calls it with invented values: %s", r.flags.runs, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	agreed, err := r.p.Confirm("Send requests with invented values to a server?", question.Text{
		Facts: []question.Fact{
			{Label: "server", Text: r.target.String(), Strong: true},
			{Label: "starts", Text: fmt.Sprintf("at most %d", r.flags.runs)},
		},
		Name: "requests", Lines: slices.Sorted(maps.Keys(kinds)),
		Short: "Send invented values to", Subject: r.target.String(),
	})
	if err == nil && !agreed {
		err = app.Failed("nothing was sent")
	}
	return err
}

// try runs a candidate on a fresh server, and on a good one if there is one.
func (r *reduceRun) try(ctx context.Context, c *reduce.Case) (reduce.Outcome, error) {
	if r.flags.good != "" {
		return r.compare(ctx, c)
	}
	o, _, err := r.runOn(ctx, r.target, c)
	return o, err
}

// runOn runs a candidate on a new server, and returns its last response.
func (r *reduceRun) runOn(ctx context.Context, t client.Target, c *reduce.Case) (o reduce.Outcome, last []byte, err error) {
	if r.flags.reset != "" {
		out, err := shell.Run(ctx, shell.Command{Line: r.flags.reset, MaxStdout: 1 << 10, MaxStderr: 1 << 10, Timeout: r.p.Flags.Timeout})
		if err != nil {
			return o, nil, app.Failed("--reset: %s", shell.Reason(err, out))
		}
	}
	parsed, err := script.Parse("case.txtar", []byte(c.Script("", 1)))
	if err != nil {
		return reduce.Outcome{Way: reduce.NotRun, Text: err.Error()}, nil, nil
	}
	responses := map[int32][]byte{}
	ran := script.Run(ctx, parsed, script.Options{
		Connect: func(ctx context.Context, at script.Connection) (*session.Session, error) {
			return r.open(ctx, t, at.Protocol)
		},
		Close: func(s *session.Session) {
			st := s.Store()
			for i := range int32(st.Snapshot().Rows) {
				if row, ok := st.Row(i); ok && row.Dir == transport.In && row.Kind.IsResponse() {
					responses[i], _ = st.Body(i)
				}
			}
			r.p.CloseSession(s)
		},
		Explain: link.SentenceOf, Timeout: r.wait(), KeepGoing: true,
	})
	if err := context.Cause(ctx); err != nil {
		return o, nil, err
	}
	if rows := slices.Sorted(maps.Keys(responses)); len(rows) > 0 {
		last = responses[rows[len(rows)-1]]
	}
	return r.outcome(c, &ran, responses), last, nil
}

func (r *reduceRun) wait() time.Duration { return min(r.p.Flags.Timeout, maxReduceWait) }

// outcome returns the outcome of a candidate. responses maps rows to the responses of the session.
func (r *reduceRun) outcome(c *reduce.Case, ran *script.Result, responses map[int32][]byte) (o reduce.Outcome) {
	o.Failed = map[int]bool{}
	for i := range c.Steps {
		k := slices.IndexFunc(ran.Sections, func(s script.SectionResult) bool { return s.Section.Name == c.SectionName(i) })
		if k < 0 || ran.Sections[k].Skipped {
			return reduce.Outcome{Way: reduce.NotRun}
		}
		section, isLast := &ran.Sections[k], i == len(c.Steps)-1
		fail := section.Failure
		if fail == nil {
			continue
		}
		word, _, _ := strings.Cut(fail.Command, " ")
		switch {
		case fail.Connect != nil, word == "capture", c.NeedsFailed(i, o.Failed):
			return reduce.Outcome{Way: reduce.NotRun, Text: fail.Reason}
		case !isLast && fail.Response == 0:
			return reduce.Outcome{Way: reduce.NotRun, Text: "an earlier request has no response"}
		case !isLast:
			o.Failed[i] = true
		case word == "lint":
			_, rule, _ := strings.Cut(fail.Command, " ")
			o.Way, o.Detail = reduce.LintFinding, rule
		case slices.Contains([]string{"jq", "text", "expect", "!"}, word):
			o.Way, o.Text = reduce.Assertion, fail.Reason
		case fail.Response == 0 && section.Took >= r.wait()*9/10:
			o.Way = reduce.Timeout
		case fail.Response == 0:
			o.Way = reduce.Crash
		default:
			got := reduce.OutcomeOf(responses[fail.Response-1])
			o.Way, o.Detail, o.Text = got.Way, got.Detail, c.WithoutValues(got.Text)
		}
	}
	for _, row := range slices.Sorted(maps.Keys(responses)) {
		o.Responses = append(o.Responses, string(responses[row]))
	}
	return o
}

// ownWords returns the words of a script that come from mcptea: the words of its comment and of the script
// language.
func ownWords(comment string) []string {
	words := strings.FieldsFunc(comment+" --protocol step again", func(r rune) bool { return !unicode.IsLetter(r) })
	for _, c := range script.Commands() {
		words = append(words, c.Name)
	}
	return words
}

// write writes the reduced case.
func (r *reduceRun) write(name string, result *reduce.Result) error {
	if result.Outcome.Way == reduce.Timeout {
		result.Case.Timeout = app.DurationText(r.wait())
	}
	comment := fmt.Sprintf("# The last request fails: %s, in %d of %d runs. All values are invented.\n", result.Outcome.Failure(), result.Failed, result.Tried)
	text := result.Case.Script(comment, result.Repeats())
	maps.Copy(r.named, result.Case.Asked)
	for _, word := range ownWords(comment) {
		r.named[word] = true
	}
	left, err := reduce.Left(r.turns.Store(), text, r.named)
	if err != nil {
		return app.Failed("%s: %v", name, err)
	}
	if len(left) > 0 && !r.flags.needed {
		return app.Usage("Read them, and write the script with --needed if they may be shown.", "%s: nothing is written, since the failure needs texts of the recording: %s", name, reduce.Quoted(left))
	}
	reduced := Reduced{Failure: result.Outcome.Failure(), Before: result.Before, After: result.After, Checks: result.Runs, Limited: result.Limited, Left: left, Script: text}
	return r.p.write(&reduced, scriptIssue(&reduced), r.flags)
}

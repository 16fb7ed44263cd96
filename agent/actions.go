package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/check/report"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/record"
	"mcptea/session/requests"
)

// waiting returns the requests of the server that wait for a response.
func (c *connection) waiting() []requests.Request {
	return slices.DeleteFunc(slices.Clone(c.s.Inbox().Requests()), func(q requests.Request) bool { return q.State != requests.Waiting })
}

type answerInput struct {
	Which
	ID     string `json:"id,omitempty" jsonschema:"id of the request as status and call name it; without it, the waiting requests are listed"`
	Result object `json:"result,omitempty" jsonschema:"the result, such as {\"action\":\"accept\",\"content\":{…}} for an elicitation"`
	How    string `json:"how,omitempty" jsonschema:"decline, cancel or error, instead of a result"`
}

type answerOutput struct {
	Responded string          `json:"responded,omitempty"`
	Waiting   []waitingOutput `json:"waiting"`
}

type waitingOutput struct {
	ID     string `json:"id"`
	Method string `json:"method"`
	About  string `json:"server_about,omitempty" jsonschema:"the tool, prompt or resource that it belongs to"`
	Params string `json:"server_params"`
	Until  string `json:"deadline,omitempty"`
}

func (t turn) answer(in answerInput) (answerOutput, error) {
	out := answerOutput{Waiting: []waitingOutput{}}
	if in.ID != "" {
		if err := t.confirm("answer", string(client.Params(in))); err != nil {
			return out, err
		}
		if err := t.respond(in); err != nil {
			return out, err
		}
		out.Responded = in.ID
	}
	for _, q := range t.waiting() {
		w := waitingOutput{ID: q.ID.String(), Method: q.Method, About: clip(q.About, 200), Params: clip(string(q.Params), defaultText)}
		if !q.Deadline.IsZero() {
			w.Until = "in " + time.Until(q.Deadline).Round(time.Second).String()
		}
		out.Waiting = append(out.Waiting, w)
	}
	return out, nil
}

func (c *connection) respond(in answerInput) error {
	waits := func(id jsonrpc.ID) bool {
		return slices.ContainsFunc(c.waiting(), func(q requests.Request) bool { return q.ID.Same(id) })
	}
	id, ok := jsonrpc.ParseID(in.ID)
	if !ok || !waits(id) {
		if id = jsonrpc.StringID(in.ID); !waits(id) {
			return fmt.Errorf("no request of the server with the id %s waits", in.ID)
		}
	}
	box := c.s.Inbox()
	switch {
	case in.How == "decline":
		return box.Decline(id)
	case in.How == "cancel":
		return box.Cancel(id)
	case in.How == "error":
		return box.Refuse(id, -1, "refused by the user")
	case in.How != "":
		return fmt.Errorf("unknown response %q: use decline, cancel or error, or give a result", in.How)
	case in.Result == nil:
		return errors.New("give a result, or how to refuse: decline, cancel or error")
	}
	return box.Respond(id, in.Result)
}

type checkInput struct {
	Which
	Only      []string `json:"only,omitempty" jsonschema:"ids, names or groups of probes, with *"`
	Allow     []string `json:"allow,omitempty" jsonschema:"tools that may be called although they are not annotated read-only"`
	Passive   bool     `json:"passive,omitempty" jsonschema:"only connect, read the lists and check them"`
	Severity  string   `json:"severity,omitempty" jsonschema:"lowest severity of findings: error, warn or info; warn if empty"`
	MaxTimeMS int      `json:"max_time_ms,omitempty" jsonschema:"maximum time of all probes, 120000 if 0"`
}

type checkOutput struct {
	Probes   map[string]int `json:"probes" jsonschema:"number of probes by verdict"`
	Findings []checkFinding `json:"findings"`
	More     int            `json:"more,omitempty"`
	Stopped  string         `json:"stopped,omitempty" jsonschema:"why the check ended early"`
	TookMS   int64          `json:"took_ms"`
	Seed     uint64         `json:"seed"`
}

type checkFinding struct {
	Probe    string `json:"probe"`
	Verdict  string `json:"verdict"`
	Severity string `json:"severity"`
	Revision string `json:"protocol_version"`
	Case     string `json:"server_case,omitempty"`
	Message  string `json:"server_message" jsonschema:"it may quote the server"`
	Hint     string `json:"fix,omitempty"`
	Spec     string `json:"specification,omitempty"`

	Facts []string `json:"server_facts,omitempty" jsonschema:"the evidence, such as what was sent and received"`
}

// checkLimit bounds the findings in a result of check.
const checkLimit = 50

func (a *agent) check(t turn, in checkInput) (checkOutput, error) {
	out := checkOutput{Probes: map[string]int{}, Findings: []checkFinding{}}
	least, err := leastOf(in.Severity)
	if err != nil {
		return out, err
	}
	if err := t.confirm("check", string(client.Params(in))); err != nil {
		return out, err
	}
	cfg, err := a.options.Probe(t.target)
	if err != nil {
		return out, err
	}
	cfg.Only, cfg.Passive, cfg.MaxTime = in.Only, in.Passive, wait(in.MaxTimeMS, 2*time.Minute)
	cfg.Allow = map[string]string{}
	for _, tool := range in.Allow {
		cfg.Allow[tool] = ""
	}
	ended := 0 // probes that ended, in all revisions
	summary, err := probes.Run(t, cfg, func(e probe.Event) {
		if e.Finished != nil {
			ended++
			t.client.Progress(float64(ended), float64(max(ended, e.Total)), e.Finished.Entry.Slug)
		}
	})
	if err != nil {
		return out, err
	}
	out.TookMS, out.Seed = summary.Took.Milliseconds(), summary.Seed
	if summary.Stopped != nil {
		out.Stopped = clip(summary.Stopped.Error(), 400)
	}
	for i := range summary.Reports {
		out.add(&summary.Reports[i], least)
	}
	return out, nil
}

// add counts a probe and adds its findings.
func (out *checkOutput) add(r *probe.Report, least record.Severity) {
	out.Probes[string(r.Verdict)]++
	for _, f := range r.Findings {
		switch {
		case f.Severity > least:
			continue
		case len(out.Findings) == checkLimit:
			out.More++
			continue
		}
		facts := factsOf(report.Facts(r, &f))
		out.Findings = append(out.Findings, checkFinding{
			Probe: r.Entry.ID + " " + r.Entry.Slug, Verdict: string(r.Verdict), Severity: f.Severity.String(), Revision: r.Revision,
			Case: clip(strings.TrimSpace(f.Case+" "+f.Subject), 300), Message: clip(f.Message, 400), Hint: clip(f.Hint, 400), Spec: r.Entry.Spec, Facts: facts,
		})
	}
}

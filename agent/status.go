package agent

import (
	"cmp"
	"fmt"

	"mcptea/client"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

type statusOutput struct {
	Connections []connectionStatus `json:"connections"`
}

// connectionStatus is the state of a connection. Members that begin with server_ hold
// text of the server.
type connectionStatus struct {
	Name      string   `json:"name"`
	State     string   `json:"state" jsonschema:"connecting, ready, failed, ended or recording"`
	Target    string   `json:"target"`
	Entry     string   `json:"configured_in,omitempty"`
	Transport string   `json:"transport,omitempty"`
	Revision  string   `json:"protocol_version,omitempty"`
	Server    string   `json:"server_name,omitempty"`
	Offers    []string `json:"server_capabilities,omitempty"`
	TookMS    int64    `json:"took_ms,omitempty"`

	Failure  string   `json:"failure,omitempty" jsonschema:"why it does not connect"`
	Recorded string   `json:"server_failure,omitempty" jsonschema:"the same, as a recording has it"`
	Cause    string   `json:"cause,omitempty"`
	Strength string   `json:"cause_strength,omitempty" jsonschema:"how the cause is known: proves, reports or hints"`
	Try      string   `json:"try,omitempty"`
	Evidence []string `json:"server_evidence,omitempty"`
	Process  string   `json:"process,omitempty"`
	Stderr   []string `json:"server_stderr,omitempty" jsonschema:"the last lines"`

	Frames   int    `json:"frames"`
	Errors   int    `json:"errors"`
	Findings string `json:"findings,omitempty" jsonschema:"number by severity; the tool findings has them"`
	Pending  int    `json:"pending" jsonschema:"requests without a response"`
	Waiting  int    `json:"waiting" jsonschema:"requests of the server that wait for the tool answer"`
}

func statusOf(all ...*connection) statusOutput {
	out := statusOutput{Connections: []connectionStatus{}}
	for _, c := range all {
		out.Connections = append(out.Connections, c.status())
	}
	return out
}

func (a *agent) status(t turn, in Which) (statusOutput, error) {
	a.connectGiven(t, in.Connection)
	if in.Connection != "" {
		c, err := a.find(in.Connection)
		if err != nil {
			return statusOutput{}, err
		}
		return statusOf(c), nil
	}
	a.mu.Lock()
	var all []*connection
	for _, name := range a.names() {
		all = append(all, a.connections[name])
	}
	a.mu.Unlock()
	return statusOf(all...), nil
}

// stderrLines bounds the lines of stderr in a status; it has the last ones.
const stderrLines = 10

func (c *connection) status() connectionStatus {
	st := c.s.State()
	counts := c.s.Store().Snapshot()
	out := connectionStatus{
		Name: c.name, State: cmp.Or(phases[st.Phase], "connecting"), Target: c.target.String(), Transport: st.Transport,
		Revision: string(st.Handshake.Revision), Server: clip(st.Handshake.Server.String(), 200), TookMS: st.Took.Milliseconds(),
		Frames: counts.Frames(), Errors: counts.Errors, Pending: counts.Pending, Findings: c.severities(),
	}
	if c.recording != "" {
		out.Target, out.State = c.recording, "recording"
	}
	if e := c.s.Target().Entry; e != nil {
		out.Entry = clip(failure.EntryText(*e, ""), 400)
	}
	for _, kind := range client.ListKinds {
		if l := st.Lists[kind.Name]; l.Offered {
			text := kind.Name
			if !l.Loaded.IsZero() {
				text = fmt.Sprintf("%d %s", len(l.Items), kind.Name)
			}
			out.Offers = append(out.Offers, text)
		}
	}
	for _, n := range c.s.Inbox().Waiting() {
		out.Waiting += n
	}
	out.Waiting = max(out.Waiting, len(c.waiting()))
	if p := st.Process; p.PID != 0 {
		out.Process = fmt.Sprintf("pid %d, running", p.PID)
		if !p.Exited.IsZero() {
			out.Process = fmt.Sprintf("exited with code %d", p.ExitCode)
			switch {
			case p.Signal != "" && c.recording != "":
				out.Process = "ended by a signal" // a process name from a recording is not used
			case p.Signal != "":
				out.Process = "ended by " + p.Signal
			}
		}
	}
	if why := c.s.BuildFailure(); why != "" {
		out.Failure = clip("the build has failed: "+why, 400)
	} else if st.Err != nil && (st.Phase == session.Failed || st.Phase == session.Ended) {
		e := failure.Explain(st.Err, failure.FactsOf(c.s))
		out.Failure, out.Cause, out.Strength, out.Try = e.Sentence, e.Cause(), e.Strength(), e.Try()
		if c.recording != "" {
			out.Failure, out.Recorded = "", clip(e.Sentence, 400)
		}
		for _, l := range e.Evidence {
			out.Evidence = append(out.Evidence, clip(string(l.Kind)+": "+l.Text, 400))
		}
	}
	out.Stderr = c.stderr(stderrLines)
	return out
}

// phases are the states of a connection to a server; others are connecting.
var phases = map[session.Phase]string{session.Ready: "ready", session.Failed: "failed", session.Ended: "ended"}

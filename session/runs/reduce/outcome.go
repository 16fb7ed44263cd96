package reduce

import "mcptea/client/jsonrpc"

// Way says how the last step of a case failed.
type Way uint8

// The ways.
const (
	Passed        Way = iota
	NotRun            // the candidate could not be run to its end
	ToolError         // a result of a tool with isError
	ErrorResponse     // the detail is the code
	NoResponse        // no response in a recording, which does not show the reason
	Crash
	Timeout
	Assertion   // a line below the last step
	LintFinding // the detail is the rule
	Difference  // difference from a correct server; the detail is the place
)

// An Outcome is the outcome of a candidate on a server.
type Outcome struct {
	Way    Way
	Detail string
	Text   string       // text of the error, or the reason of an assertion
	Failed map[int]bool // the steps before the last one that failed
	// Responses contains the responses in the order of the steps, to compare them for the same case; "" for
	// none.
	Responses []string
}

// Failure describes how the last step failed, such as "error -32603".
func (o *Outcome) Failure() string {
	switch o.Way {
	case Passed:
		return "none"
	case NotRun:
		return "could not be sent"
	case ToolError:
		return "tool error"
	case ErrorResponse:
		return "error " + o.Detail
	case NoResponse:
		return "no response"
	case Crash:
		return "crash"
	case Timeout:
		return "timeout"
	case LintFinding:
		return "lint " + o.Detail
	case Difference:
		return "differs at " + o.Detail
	}
	return "assertion"
}

// goesAs reports whether two cases went in the same way, whatever their errors quote.
func (o *Outcome) goesAs(other *Outcome) bool { return o.Way == other.Way && o.Detail == other.Detail }

// OutcomeOf returns the outcome of a request, by its response.
func OutcomeOf(response []byte) (o Outcome) {
	e := jsonrpc.Scan(response)
	if e.Kind == jsonrpc.ErrorResponse {
		object := e.Error.Of(response)
		return Outcome{Way: ErrorResponse, Detail: string(jsonrpc.Get(object, "code")), Text: jsonrpc.Text(object, "message")}
	}
	result := e.Result.Of(response)
	if string(jsonrpc.Get(result, "isError")) != "true" {
		return o
	}
	o.Way = ToolError
	for part := range jsonrpc.Elements(jsonrpc.Get(result, "content")) {
		o.Text += jsonrpc.Text(part, "text") + "\n"
	}
	return o
}

// isFailure reports whether the outcome of a response is a failure.
func isFailure(response []byte) bool {
	o := OutcomeOf(response)
	return o.Way != Passed
}

// words describes the outcome of a run.
func (o *Outcome) words() string {
	if o.Way <= NotRun {
		return map[Way]string{Passed: "passed", NotRun: "could not be sent"}[o.Way]
	}
	return "failed (" + o.Failure() + ")"
}

// sameFailure reports whether two runs failed in the same way, whatever values their errors quote.
func sameFailure(a, b *Outcome) bool {
	hasText := a.Way == ToolError || a.Way == ErrorResponse
	return a.Way > NotRun && a.goesAs(b) && (!hasText || alike(a.Text, b.Text))
}

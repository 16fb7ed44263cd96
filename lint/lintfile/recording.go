package lintfile

import (
	"fmt"

	"mcptea/lint"
	"mcptea/lint/contract"
	"mcptea/lint/rules"
	"mcptea/record"
	"mcptea/record/flow"
)

// lintRecording checks the events of a recording. The row of a finding is the
// number of the line.
func lintRecording(in *record.Reader, found func(lint.Finding), terms *contract.Terms, options []lint.Option) (Report, error) {
	report := Report{Format: "recording", lines: 1, IsPart: in.Header.Part}
	feed := rules.New(lint.OfSelf(found), options...)
	feed.Open(in.Header)
	in.Lines.Ahead, in.Lines.Parts = flow.LookAhead, lint.LookAhead
	judge := contract.New(terms, found)
	events, apps := 0, map[uint16]bool{}
	var counter record.FrameCounter
	for e, err := range in.Events() {
		if err != nil {
			return report, err
		}
		report.lines = in.Line()
		if e.Kind != record.KindProblem {
			events++
		}
		switch {
		case e.Kind == record.KindProblem:
			report.problem(e.Text)
			continue
		case e.Kind == record.KindChange && e.Change.What != record.Forwarded && e.Change.What != record.Delayed:
			if report.Changed++; report.Changed == 1 {
				report.firstChanged = fmt.Sprintf("frame %d %s (line %d)", e.Change.Row+1, e.Change.Text(), in.Line())
			}
		case e.Kind == record.KindFrame && e.Beside && !apps[e.Conn]:
			report.Beside++
		case e.Kind == record.KindFrame || e.Kind == record.KindHTTP:
			counter.Event(e)
		case e.Kind == record.KindDrift && !terms.ComparesLists(): // otherwise the lists are compared with another baseline
			found(contract.Drifted(e, int32(in.Line())))
		case e.Kind == record.KindConnection && e.Connection.Transport == record.App:
			apps[e.Conn] = true
		}
		if !terms.IsEmpty() {
			judge.Event(e, int32(in.Line()))
		}
		feed.Event(e, int32(in.Line()))
	}
	if events == 0 {
		return report, ErrNoEvents
	}
	feed.Last()
	report.Frames = counter.Frames()
	report.Unjudged, report.Offers = judge.End(len(report.Problems) == 0), judge.Offers()
	return report, nil
}

package lintfile

import (
	"mcptea/session/lint"
	"mcptea/session/record"
)

// lintRecording checks the events of a recording. The row of a finding is the
// number of the line.
func lintRecording(in *record.Reader, found func(lint.Finding), options []lint.Option) (Report, error) {
	report := Report{Format: "recording", lines: 1}
	feed := lint.NewFeed(lint.OfSelf(found), options...)
	feed.Begin(in.Header.Transport)
	for e, err := range in.Events() {
		if err != nil {
			return report, err
		}
		report.lines = in.Line()
		switch {
		case e.Kind == record.KindProblem:
			report.problem(e.Text)
			continue
		case e.Kind == record.KindFrame:
			report.Frames++
		case e.Kind == record.KindHTTP && in.Header.Version == 1:
			// Version 1 reports an exchange only at its end, behind the frames that it
			// carried: the rules about HTTP cannot be applied.
			continue
		}
		feed.Event(&e, int32(in.Line()))
	}
	return report, nil
}

package recordings

import (
	"fmt"
	"io"
	"strings"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/checks"
	"mcptea/session/atomicfile"
	"mcptea/session/replay"
	"mcptea/session/report"
	"mcptea/ui/paint"
)

// writeJUnit writes a case for each request that was compared.
func (r *replayRun) writeJUnit() error {
	suite := report.Suite{Name: r.name}
	var took time.Duration
	for _, one := range r.results {
		name := fmt.Sprintf("frame %d %s %s", one.Turn.Row+1, one.Turn.Method, one.Subject)
		c := report.Case{Name: strings.TrimSpace(name), Class: r.name, Took: one.Took}
		switch one.State {
		case replay.Different:
			message := one.Note
			if message == "" {
				message = paint.Plural(len(one.Differences)+one.More, "difference") + ", the first at " + one.Differences[0].Path
			}
			c.Failure = &report.Problem{Type: "different", Message: message, Text: strings.Join(checks.DiffLines(one.Rows), "\n")}
		case replay.Failed:
			c.Error = &report.Problem{Type: "failed", Message: one.Note}
		case replay.NotCompared:
			c.Skipped = &report.Problem{Message: one.Note}
		case replay.Equal:
		}
		took += one.Took
		suite.Cases = append(suite.Cases, c)
	}
	suite.Took = took
	if err := atomicfile.Write(r.flags.junit, func(w io.Writer) error { return report.WriteJUnit(w, []report.Suite{suite}) }); err != nil {
		return app.Failed("--junit: %v", err)
	}
	return nil
}

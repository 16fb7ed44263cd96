package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcptea/session/diff"
	"mcptea/session/junit"
	"mcptea/session/replay"
)

// writeJUnit writes a case for each request that was compared.
func (r *replayRun) writeJUnit() error {
	suite := junit.Suite{Name: r.name}
	var took time.Duration
	for _, one := range r.results {
		name := fmt.Sprintf("frame %d %s %s", one.Turn.Row+1, one.Turn.Method, one.Subject)
		c := junit.Case{Name: strings.TrimSpace(name), Class: r.name, Took: one.Took}
		switch one.State {
		case replay.Different:
			message := one.Note
			if message == "" {
				message = count(len(one.Differences)+one.More, "difference") + ", the first at " + one.Differences[0].Path
			}
			c.Failure = &junit.Problem{Type: "different", Message: message, Text: unifiedText(one.Rows)}
		case replay.Failed:
			c.Error = &junit.Problem{Type: "failed", Message: one.Note}
		case replay.NotCompared:
			c.Skipped = one.Note
		case replay.Equal:
		}
		took += one.Took
		suite.Cases = append(suite.Cases, c)
	}
	suite.Took = took
	tmp, err := os.CreateTemp(filepath.Dir(r.flags.junit), ".mcptea-junit-*") // mode 0600
	if err != nil {
		return failed("cannot write the JUnit report: %v", err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // fails once it has its name
	err = junit.Write(tmp, []junit.Suite{suite})
	if closed := tmp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(tmp.Name(), r.flags.junit)
	}
	if err != nil {
		return failed("cannot write the JUnit report: %v", err)
	}
	return nil
}

// unifiedText is a unified view in one text.
func unifiedText(rows []diff.Row) string {
	var b strings.Builder
	d := &diffPrinter{out: &screen{Writer: &b}}
	d.rows(rows)
	return b.String()
}

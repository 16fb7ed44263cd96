package statistics

import (
	"time"

	"mcptea/internal/words/phrase"
)

// A column is a column of the table of statistics, in all places that show it.
type column struct {
	Name string
	// Exactly one of these is set.
	number  func(*Counts) int
	took    func(*Counts) phrase.Millis
	IsError bool // the number is of failures
}

// Columns lists the columns after the names of the server and the tool.
var Columns = []column{
	{Name: "calls", number: func(c *Counts) int { return c.Calls }},
	{Name: "tool errors", number: func(c *Counts) int { return c.ToolErrors }, IsError: true},
	{Name: "error responses", number: func(c *Counts) int { return c.ProtocolErrors }, IsError: true},
	{Name: "unanswered", number: func(c *Counts) int { return c.Unanswered }, IsError: true},
	{Name: "by mcptea", number: func(c *Counts) int { return c.Own }},
	{Name: FailedIn, number: func(c *Counts) int { return c.FailedSessions }, IsError: true},
	{Name: "p50", took: func(c *Counts) phrase.Millis { return c.P50 }},
	{Name: "p95", took: func(c *Counts) phrase.Millis { return c.P95 }},
	{Name: "p99", took: func(c *Counts) phrase.Millis { return c.P99 }},
}

// FailedIn is the name of the column with the recordings in which a call failed.
const FailedIn = "failed in"

// Cell returns the text of a cell and the lighter text after it. isAbsent reports whether the cell is a number
// that is 0, or a duration without a response.
func (c *column) Cell(counts *Counts) (text, more string, isAbsent bool) {
	if c.took != nil {
		if counts.Answered() == 0 {
			return "", "", true
		}
		return phrase.Took(time.Duration(c.took(counts))), "", false
	}
	n := c.number(counts)
	if c.Name == FailedIn {
		more = " of " + phrase.Digits(counts.Sessions)
	}
	return phrase.Digits(n), more, n == 0
}

package statistics

import (
	"context"
	"time"

	"mcptea/session/record/recordings"
)

// Total is what is in the recordings of a directory.
type Total struct {
	Recordings int          // that were read
	Servers    []Server     // the ones that failed most often first
	Unreadable []Unreadable // recordings that could not be read
}

// Unreadable is a recording that could not be read.
type Unreadable struct {
	Path  string `json:"path"`  // file
	Error string `json:"error"` // why
}

// Read reads the recordings of a directory one after the other, and counts the calls from a time on;
// the zero time counts all. After each one, progress is told how many of how many are done. The error is
// that of the directory or of the context.
func Read(ctx context.Context, dir string, since time.Time, progress func(done, of int)) (Total, error) {
	var total Total
	list, err := recordings.List(dir)
	if err != nil {
		return total, err
	}
	c := newCollector(since)
	for i, r := range list {
		if !r.Modified.Before(since) {
			if err := c.add(ctx, r.Path); ctx.Err() != nil {
				return total, context.Cause(ctx)
			} else if err != nil {
				total.Unreadable = append(total.Unreadable, Unreadable{r.Path, err.Error()})
			} else {
				total.Recordings++
			}
		}
		progress(i+1, len(list))
	}
	total.Servers = c.all()
	return total, nil
}

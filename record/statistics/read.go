package statistics

import (
	"context"
	"time"

	"mcptea/record/recordings"
)

// Total summarizes the recordings of a directory.
type Total struct {
	Recordings int          // number of recordings read
	Servers    []Server     // most failures first
	Unreadable []Unreadable // recordings that could not be read
}

// Unreadable is a recording that could not be read.
type Unreadable struct {
	Path  string `json:"path"`  // file
	Error string `json:"error"` // why
}

// Read reads the recordings of a directory one by one, and counts the calls since a time; the zero time counts
// all. It calls progress after each recording. The error is from the directory or the context.
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

package state

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// The bounds of kept tasks.
const (
	maxTasks     = 500
	maxTaskID    = 4 << 10 // bytes
	maxTasksFile = 8 << 20
)

// Task is a task of a server that was not over when its id was kept.
type Task struct {
	Server  string    `json:"server"`
	ID      string    `json:"id"`
	Tool    string    `json:"tool"` // tool that is called; may be empty
	Created time.Time `json:"created"`
	TTL     int64     `json:"ttl"` // milliseconds from Created; 0 is not known, negative without end
}

// expired reports whether the server may have forgotten the task.
func (t *Task) expired(now time.Time) bool {
	return t.TTL > 0 && now.Sub(t.Created).Milliseconds() > t.TTL
}

// Tasks is a file of the ids of tasks, so that a task can be followed after the command that
// began it has ended (2026-07-28, extensions / tasks).
type Tasks struct{ file }

// NewTasks returns the file with a path.
func NewTasks(path string) *Tasks {
	return &Tasks{file{path, maxTasksFile, "cannot read the ids of tasks", "cannot keep the id of the task"}}
}

func isTask(t *Task) bool { return t.Server != "" && t.ID != "" && len(t.ID) <= maxTaskID }

// Of returns the tasks of a server that have not expired, in the order in which they were added.
func (f *Tasks) Of(server string, now time.Time) ([]Task, error) {
	text, err := f.read()
	return entries(text, func(t *Task) bool { return isTask(t) && t.Server == server && !t.expired(now) }), err
}

// Keep adds a task, and replaces one with the same id. The oldest tasks above a limit and expired tasks are
// left out.
func (f *Tasks) Keep(t Task) error {
	if !isTask(&t) {
		return fmt.Errorf("%s: it has more than %d kB", f.keeps, maxTaskID>>10)
	}
	return f.replace(t.Server, t.ID, t.Created, t)
}

// Forget removes a task. Without a file there is nothing to do.
func (f *Tasks) Forget(server, id string) error {
	if text, err := f.read(); err != nil || len(text) == 0 {
		return err
	}
	return f.replace(server, id, time.Time{})
}

// replace puts tasks at the end, and removes a task with the same server and id.
func (f *Tasks) replace(server, id string, now time.Time, by ...Task) error {
	return f.update(func(text []byte) ([]byte, error) {
		all := entries(text, func(t *Task) bool { return isTask(t) && !t.expired(now) && (t.Server != server || t.ID != id) })
		all = append(all, by...)
		all = slices.Delete(all, 0, max(0, len(all)-maxTasks))
		text = []byte{}
		for _, t := range all {
			line, err := json.Marshal(t)
			if err != nil {
				return nil, err
			}
			text = append(append(text, line...), '\n')
		}
		return text, nil
	})
}

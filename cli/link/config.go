package link

import (
	"path/filepath"
	"time"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/internal/system"
	"mcptea/session/session"
	"mcptea/session/state"
)

// tasksFile returns the file with the ids of tasks, in the state directory.
const tasksFile = "tasks.jsonl"

// Config returns the configuration of a session. record is the value of --record if
// the flag is not set.
func (p *Link) Config(t client.Target, record string, lists ...client.ListKind) (session.Config, error) {
	f := &p.Flags
	// Many servers do not exit when their stdin is closed, and the result has been
	// printed already.
	if t.Grace == 0 {
		t.Grace, t.Idle = 500*time.Millisecond, 50*time.Millisecond
	}
	c := session.Config{Target: t, Tool: "mcptea " + p.Version.Version, Record: record, Lists: lists, Renew: p.Note}
	if f.Record != "" {
		c.Record = f.Record
	}
	var err error
	if c.RecordLimit, err = app.ParseSize(f.RecordLimit); err != nil {
		return c, err // Validate has accepted it
	}
	if c.Client, err = p.Client(); err != nil {
		return c, err
	}
	if f.Trace != "" {
		c.Follow = p.traced()
	}
	c.FaultSeed = f.FaultSeed
	if c.Faults, err = f.ParseFaults(t); err != nil {
		return c, err
	}
	if !t.IsStdio() && t.Shared == nil { // the tasks of a process end with it
		if dir, err := system.StateDir(); err == nil {
			c.Tasks = state.NewTasks(filepath.Join(dir, tasksFile))
		}
	}
	c.Authorization, err = p.authorization(t)
	return c, err
}

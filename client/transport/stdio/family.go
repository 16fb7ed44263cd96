package stdio

import (
	"os"
	"slices"
	"sync"
	"time"

	"mcptea/client/transport"
)

// maxFamily bounds the descendants that are remembered; more are not.
const maxFamily = 1000

// family holds the known descendants of a server: its process group, its session, and their children. A process
// whose parents had all ended before the first look is not found, unless the environment is marked. A process
// is identified by its id and its start time, because ids are used again.
type family struct {
	mark string // "NAME=value" of the environment of the server, or empty

	mu    sync.Mutex
	root  ticks         // the start of the server
	seen  map[int]ticks // the start by process id; see maxFamily
	until time.Time     // end of the members' time after the server's exit
}

// extend lets the members run for d from now.
func (f *family) extend(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.until = time.Now().Add(d)
}

func (f *family) hasTime() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Now().Before(f.until)
}

// ticks is the time of the start of a process, in a unit of the system.
type ticks uint64

// entry is a process of the system.
type entry struct {
	pid, parent, group, session int
	start                       ticks
	ended                       bool     // zombie: the process has ended, and its parent has not waited for it yet
	argv                        []string // command line of a process that has outlived the server
}

// listLiving records the living descendants, and returns them in the order of the system, or none if processes cannot
// be listed.
func (f *family) listLiving(g *group, pid int) (living []entry) {
	all := g.processes()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen == nil {
		f.seen = map[int]ticks{}
	}
	children := map[int][]entry{}
	for _, e := range all {
		if e.pid == pid && f.root == 0 {
			f.root = e.start
		}
		children[e.parent] = append(children[e.parent], e)
	}
	found := map[int]bool{pid: true}
	for _, e := range all {
		f.find(e, pid, children, found)
	}
	for _, e := range all {
		if start, known := f.seen[e.pid]; known && start == e.start && !e.ended {
			living = append(living, e)
		}
	}
	return living
}

// find notes a process if it is a descendant of the server with an id, and those below it. The
// lock is held.
func (f *family) find(e entry, pid int, children map[int][]entry, found map[int]bool) {
	if found[e.pid] && e.pid != pid {
		return
	}
	switch start, known := f.seen[e.pid]; {
	case e.pid == pid:
		if e.start != f.root {
			return // another process has the id now
		}
	case known && start == e.start:
	case e.start >= f.root && (e.session == pid || e.group == pid || e.parent == pid || found[e.parent] || hasMark(e.pid, f.mark)):
		if len(f.seen) >= maxFamily {
			return
		}
		f.seen[e.pid] = e.start
	default:
		return
	}
	found[e.pid] = true
	for _, child := range children[e.pid] {
		if child.pid != e.pid {
			f.find(child, pid, children, found)
		}
	}
}

const (
	// killTimeout bounds the wait for the end of killed processes. Processes end within a part of a
	// second, even on a busy machine. Only a process that the system cannot end immediately takes
	// this long.
	killTimeout = 2 * time.Second
	// lookInterval is the time between two searches.
	lookInterval = 10 * time.Millisecond
	// maxLeftShown bounds the processes that an event names.
	maxLeftShown = 20
)

// outlive gives the descendants of a server that has exited time to end, and then ends its process
// group. It returns the processes that were still running.
func (t *Transport) outlive() (living []entry) {
	_ = t.stdin.Close() // a descendant may read it
	if !t.family.isEmpty() || t.group.exists() {
		for living = t.listLiving(); len(living) > 0 && t.family.hasTime(); living = t.listLiving() {
			time.Sleep(lookInterval)
		}
	}
	living = named(living) // while they can be read
	t.group.kill()
	return living
}

func (t *Transport) listLiving() []entry { return t.family.listLiving(&t.group, t.cmd.Process.Pid) }

// lookUntil checks the living processes until done accepts them, or killTimeout is over. A kill takes effect a
// little later if the processors are busy.
func (t *Transport) lookUntil(done func(living []entry) bool) (living []entry) {
	within := time.Now().Add(killTimeout)
	for living = t.listLiving(); !done(living) && time.Now().Before(within); living = t.listLiving() {
		time.Sleep(lookInterval)
	}
	return living
}

// outlived reports the descendants that still ran after the server, and the processes that still
// ran after its process group was ended.
func (t *Transport) outlived(living []entry) {
	if len(living) == 0 {
		return
	}
	t.reportLeft(transport.LeftAtExit, living)
	living = t.lookUntil(func(living []entry) bool { return !hasGroup(living, t.cmd.Process.Pid) })
	if t.cfg.KillLeft {
		for _, e := range living {
			t.group.end(e)
		}
		living = t.lookUntil(func(living []entry) bool { return len(living) == 0 })
	}
	t.reportLeft(transport.LeftAfterKill, named(living))
}

// isEmpty reports whether no look has found a descendant, and another look could only find members of the
// process group.
func (f *family) isEmpty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.seen) == 0 && f.mark == ""
}

func hasGroup(of []entry, group int) bool {
	return slices.ContainsFunc(of, func(e entry) bool { return e.group == group })
}

func (t *Transport) reportLeft(after string, living []entry) {
	if len(living) == 0 {
		return
	}
	pid := t.cmd.Process.Pid
	t.receiver.Process(transport.ProcessEvent{
		Time: time.Now(), What: transport.ProcessLeft, PID: pid, After: after, Left: described(living, pid),
	})
}

func described(living []entry, group int) []transport.Descendant {
	var all []transport.Descendant
	for _, e := range living {
		all = append(all, transport.Descendant{PID: e.pid, Argv: e.argv, Apart: e.group != group})
	}
	return all
}

// named returns the first processes, with their command lines.
func named(living []entry) []entry {
	living = living[:min(len(living), maxLeftShown)]
	for i := range living {
		living[i].argv = arguments(living[i].pid)
	}
	return living
}

// end ends a process if it is still the same process, and briefly waits for its end.
func (g *group) end(e entry) {
	p, err := os.FindProcess(e.pid) // on systems with handles, the id is not used again
	if err != nil {
		return
	}
	defer func() { _ = p.Release() }()
	same := func(now entry) bool { return now.pid == e.pid && now.start == e.start && !now.ended }
	within := time.Now().Add(killTimeout)
	for {
		if !slices.ContainsFunc(g.processes(), same) || time.Now().After(within) {
			return
		}
		_ = p.Kill()
		time.Sleep(lookInterval)
	}
}

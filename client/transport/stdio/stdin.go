package stdio

import "time"

// A Stdin is the state of the stdin of a server at one moment, as the system shows it.
type Stdin struct {
	// Unread is the number of bytes that were written to it and that no process has read, or -1 if the system
	// does not tell.
	Unread int
	// Shared holds the descendants of the server that share its stdin, oldest first. Each of them
	// can read frames for the server.
	Shared []Reader
	// Other lists processes whose stdin is a different one: the server, and descendants. The oldest
	// is first.
	Other []Reader
	// Connecting are addresses that the server or a descendant is connecting to, and that have not responded.
	Connecting []string
}

// Reader is a process, with its stdin.
type Reader struct {
	PID     int
	Name    string    // name of its program, without directories; text of the server
	Stdin   string    // name in the form of the system, such as "/dev/null" or "pipe:[123]"
	Started time.Time // within a few hundredths of a second
	New     bool      // the process did not run when [Transport.NoteDescendants] was called; false if that was not called
}

// maxReaders bounds the processes of a [Stdin].
const maxReaders = 20

// NoteDescendants records the current processes of the server: later ones are new, see [Reader].
func (t *Transport) NoteDescendants() {
	pid := t.PID()
	if pid == 0 || t.hasEnded() {
		return
	}
	known := map[int]ticks{}
	for _, e := range t.family.listLiving(&t.group, pid) {
		known[e.pid] = e.start
	}
	t.noted.Store(&known)
}

// isNew reports whether a process was not there when they were noted.
func (t *Transport) isNew(e entry) bool {
	known := t.noted.Load()
	if known == nil {
		return false
	}
	start, there := (*known)[e.pid]
	return !there || start != e.start
}

// Stdin returns the state of the stdin of the server. ok is false if the system does not show it (Linux does),
// or if the process has ended.
func (t *Transport) Stdin() (s Stdin, ok bool) {
	pid := t.PID()
	if pid == 0 || t.hasEnded() {
		return Stdin{}, false
	}
	return t.lookAtStdin(pid)
}

package lint

import (
	"time"
)

// ResponseTimeout is the longest time that a response normally takes.
const ResponseTimeout = 60 * time.Second

// A Limit bounds how often a rule reports the same cause. The zero Limit has only the bound
// [MaxPerFrame].
type Limit struct {
	perMessage int // maximum number of findings in one message, or 0 for no limit
	perSubject int // maximum number of findings about one subject on a connection, or 0 for no limit
}

// PerMessage limits the findings per message. A mistake is usually repeated in every entry of a list.
func PerMessage(n int) Limit { return Limit{perMessage: n} }

// OncePerConnection is for a mistake that each message repeats.
var OncePerConnection = Limit{perSubject: 1}

// OncePerSubject permits one finding for each subject on a connection. The rule names the subject
// with [Context.About].
var OncePerSubject = Limit{perSubject: 1}

const (
	// MaxPerFrame bounds the findings of one rule in one frame.
	MaxPerFrame = 100
	// SomeEntries is the number of list entries that a rule reports.
	SomeEntries = 3
	// SomeMembers is the number of object members that a rule reports.
	SomeMembers = 5
	// MaxSubjects bounds the subjects that are kept for one connection.
	MaxSubjects = 1000
)

// subject is a key under which a limit counts the findings of a rule.
type subject struct{ rule, name string }

// About names the subject of the next finding, for the limit of the rule.
func (c *Context) About(subject string) *Context {
	c.engine.subject, c.engine.named = subject, c.engine.calls
	return c
}

// limitReached reports whether the rule has reached its limit. If not, it counts one more finding.
func (c *Context) limitReached() bool {
	e := c.engine
	if n := len(e.batch); n == 0 || e.batch[n-1].Rule != c.hook.entry {
		e.inFrame = 0
	}
	if e.inFrame++; e.inFrame > MaxPerFrame {
		return true
	}
	if e.counted != e.calls {
		e.counted, e.inMessage = e.calls, 0
	}
	limit := &c.hook.limit
	if e.inMessage++; limit.perMessage > 0 && e.inMessage > limit.perMessage {
		return true
	}
	if limit.perSubject == 0 {
		return false
	}
	name := ""
	if e.named == e.calls {
		name = e.subject
	}
	key := subject{c.hook.entry.ID, ShortKey(name)}
	n, known := e.subjects[key]
	if n >= limit.perSubject || !known && len(e.subjects) >= MaxSubjects {
		return true
	}
	e.subjects[key] = n + 1
	return false
}

// MaxTasks is the maximum number of tasks remembered.
const MaxTasks = 4096

// MaxNesting bounds the depth of checked members. Each level is scanned again, so the bound keeps the time
// linear.
const MaxNesting = 32

// Keep puts a value into a map that a rule keeps. If the map is full, Keep empties it first.
func Keep[M ~map[K]V, K comparable, V any](m *M, most int, key K, value V) {
	if _, known := (*m)[key]; *m == nil || !known && len(*m) >= most {
		*m = M{}
	}
	(*m)[key] = value
}

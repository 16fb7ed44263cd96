package lint

// limit bounds how often a rule reports what has one cause. The zero limit is
// [maxPerFrame] alone.
type limit struct {
	message int // findings in one message; 0 means no limit of its own
	subject int // findings about one subject on a connection; 0 means no limit
}

// perMessage is for rules about the entries of a list: what is wrong in the first
// ones is wrong in all.
func perMessage(n int) limit { return limit{message: n} }

// oncePerConnection is for what each further message would repeat.
var oncePerConnection = limit{subject: 1}

// oncePerSubject is the same for each subject, which the rule names with
// [Context.About].
var oncePerSubject = limit{subject: 1}

const (
	// maxPerFrame bounds the findings of one rule in one frame, which may consist
	// of nothing else.
	maxPerFrame = 100
	// someEntries is how many entries of a list a rule reports.
	someEntries = 3
	// someMembers is how many members of an object a rule reports.
	someMembers = 5
	// maxSubjects bounds the subjects that are remembered on one connection.
	maxSubjects = 1000
)

// subject is what a finding of a rule with a limit is about.
type subject struct{ rule, about string }

// About names the subject of the next finding, for the limit of the rule.
func (c *Context) About(subject string) *Context {
	c.engine.about = subject
	return c
}

// isFull reports whether the limit of the rule is reached, and counts one more
// finding if it is not.
func (c *Context) isFull() bool {
	e := c.engine
	if n := len(e.batch); n == 0 || e.batch[n-1].Rule != c.entry {
		e.inFrame = 0
	}
	if e.inFrame++; e.inFrame > maxPerFrame {
		return true
	}
	if e.inMessage++; e.limit.message > 0 && e.inMessage > e.limit.message {
		return true
	}
	if e.limit.subject == 0 {
		return false
	}
	key := subject{c.entry.ID, shortKey(e.about)}
	n, known := e.subjects[key]
	if n >= e.limit.subject || !known && len(e.subjects) >= maxSubjects {
		return true
	}
	e.subjects[key] = n + 1
	return false
}

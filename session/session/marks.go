package session

import (
	"slices"
	"strings"
	"time"

	"mcptea/client/revision"
	"mcptea/session/checks/lint"
	"mcptea/session/record"
	"mcptea/session/record/store"
)

const (
	// maxMarks bounds the findings that are remembered by their row, about 80 bytes each.
	maxMarks = 200_000
	// maxAtRow bounds the findings that are remembered of one row.
	maxAtRow = 50
	// maxKinds bounds the kinds that are looked up.
	maxKinds = 1024
	// chunkOfMarks is how many marks are allocated at once.
	chunkOfMarks = 512
)

// marks are findings by their row: the newest max ones. They are a ring, in which those of a row
// are linked.
type marks struct {
	max    int
	chunks []*[chunkOfMarks]mark
	count  int               // of all, those included that have given way
	newest map[int32]int32   // by row the place of its newest mark in the ring
	inner  map[int32][]int32 // by the root of an exchange the rows in between that have marks, oldest first
	kinds  map[key]*kind
}

// mark is a finding in short.
type mark struct {
	of      *kind
	differs string   // what the message has between the beginning and the end of that of the kind
	time    int64    // in nanoseconds
	related *[]int32 // mostly nil
	row     int32
	times   int32
	before  int32 // the mark before it of the same row is so many places before it; 0 without one
	root    int32 // of a frame in between; see marks.inner

	begin, end uint16 // the bytes of the message of the kind around differs
}

// key is what many findings have in common.
type key struct {
	rule       *lint.Entry
	severity   lint.Severity
	fault      lint.Side
	by         record.Caller
	revision   revision.Revision
	path, hint string
	offset     int
}

// kind is a key with the message of the first finding that has it: those of others mostly
// differ in a number.
type kind struct {
	key
	message string
}

func newMarks(most int) marks {
	return marks{max: most, newest: map[int32]int32{}, inner: map[int32][]int32{}, kinds: map[key]*kind{}}
}

// add remembers a finding about a row. The oldest gives way to it, but for a row with
// [maxAtRow] already. root is that of the exchange for a frame between its request and its response, else
// [store.None].
func (m *marks) add(f *lint.Finding, root int32) {
	at := 0
	for range m.each(f.Row) {
		at++
	}
	if at == maxAtRow {
		return
	}
	next := int32(m.count % m.max)
	if m.count >= m.max {
		if old := m.at(next); m.newest[old.row] == next {
			m.forget(old)
		}
	} else if m.count%chunkOfMarks == 0 {
		m.chunks = append(m.chunks, new([chunkOfMarks]mark))
	}
	before := int32(0)
	if newest, ok := m.newest[f.Row]; ok {
		before = m.distance(newest, next)
	}
	if at == 0 && root != store.None {
		m.inner[root] = append(m.inner[root], f.Row)
	}
	*m.at(next) = m.markOf(f, before)
	m.at(next).root = root
	m.newest[f.Row] = next
	m.count++
}

// forget removes the row of a mark that has no newer one.
func (m *marks) forget(last *mark) {
	delete(m.newest, last.row)
	rows := m.inner[last.root]
	switch i := slices.Index(rows, last.row); {
	case i < 0:
	case len(rows) == 1:
		delete(m.inner, last.root)
	case i == 0: // mostly
		m.inner[last.root] = rows[1:]
	default:
		m.inner[last.root] = slices.Delete(rows, i, i+1)
	}
}

// maxInner is how many of the newest frames in between are looked at for the gravest finding.
const maxInner = 1000

// worst is the gravest of the findings that count about the frames of an exchange: its request, its response,
// and those in between; nil without one.
func (m *marks) worst(counts func(*lint.Entry) bool, root, response int32) (worst *mark) {
	look := func(row int32) (isError bool) {
		var at *mark
		for one := range m.each(row) { // the newest first
			if counts(one.of.rule) && (at == nil || one.of.severity <= at.of.severity) {
				at = one
			}
		}
		if at != nil && (worst == nil || at.of.severity < worst.of.severity) {
			worst = at
		}
		return worst != nil && worst.of.severity == lint.Error
	}
	if look(root) || look(response) {
		return worst
	}
	for _, row := range m.newestIn(root) {
		if look(row) {
			break
		}
	}
	return worst
}

// in counts the findings about an exchange whose rules count, each once for each frame; in a long one those
// of its newest frames.
func (m *marks) in(counts func(*lint.Entry) bool, root, response int32) (n int) {
	look := func(row int32) {
		for one := range m.each(row) {
			if counts(one.of.rule) {
				n++
			}
		}
	}
	look(root)
	if response != root {
		look(response)
	}
	for _, row := range m.newestIn(root) {
		if row != root && row != response {
			look(row)
		}
	}
	return n
}

// newestIn are the newest rows with findings between the request and the response of an exchange.
func (m *marks) newestIn(root int32) []int32 {
	inner := m.inner[root]
	return inner[max(0, len(inner)-maxInner):]
}

func (m *marks) markOf(f *lint.Finding, before int32) mark {
	of := m.kindOf(f)
	short := mark{of: of, time: f.Time.UnixNano(), row: f.Row, times: int32(f.Times), before: before}
	short.begin, short.end, short.differs = differs(of.message, f.Message)
	if len(f.Related) > 0 {
		related := f.Related
		short.related = &related
	}
	return short
}

func (m *marks) kindOf(f *lint.Finding) *kind {
	k := key{f.Rule, f.Severity, f.Fault, f.By, f.Revision, f.Path, f.Hint, f.Offset}
	of := m.kinds[k]
	if of == nil {
		if len(m.kinds) >= maxKinds {
			clear(m.kinds) // those in use remain with their marks
		}
		of = &kind{k, f.Message}
		m.kinds[k] = of
	}
	return of
}

// differs returns how many bytes of a message are also at the beginning and at the end of
// another one, and what is between them.
func differs(message, other string) (begin, end uint16, between string) {
	shorter := min(len(message), len(other), 1<<16-1)
	for int(begin) < shorter && message[begin] == other[begin] {
		begin++
	}
	for int(begin)+int(end) < shorter && message[len(message)-1-int(end)] == other[len(other)-1-int(end)] {
		end++
	}
	return begin, end, strings.Clone(other[begin : len(other)-int(end)])
}

// all returns the findings about a row, oldest first.
func (m *marks) all(row int32) []lint.Finding {
	n := 0
	for range m.each(row) {
		n++
	}
	if n == 0 {
		return nil
	}
	found := make([]lint.Finding, n)
	for one := range m.each(row) {
		n--
		found[n] = one.finding()
	}
	return found
}

// each returns the marks of a row, newest first.
func (m *marks) each(row int32) func(yield func(*mark) bool) {
	return func(yield func(*mark) bool) {
		place, ok := m.newest[row]
		if !ok {
			return
		}
		kept := int32(min(m.count, m.max))
		age := m.distance(place, int32((m.count-1)%m.max))
		for {
			one := m.at(place)
			if !yield(one) || one.before == 0 || age+one.before >= kept {
				return
			}
			age += one.before
			place = m.distance(one.before, place)
		}
	}
}

func (m *marks) at(place int32) *mark { return &m.chunks[place/chunkOfMarks][place%chunkOfMarks] }

// distance is how many places of the ring are from one to another.
func (m *marks) distance(from, to int32) int32 {
	if from > to {
		to += int32(m.max)
	}
	return to - from
}

func (m *mark) finding() lint.Finding {
	of := m.of
	f := lint.Finding{
		Rule: of.rule, Severity: of.severity, Fault: of.fault, By: of.by, Revision: of.revision, Path: of.path, Hint: of.hint, Offset: of.offset,
		Row: m.row, Time: time.Unix(0, m.time), Times: int(m.times), Message: of.message,
	}
	if begin, end := of.message[:m.begin], of.message[len(of.message)-int(m.end):]; m.differs != "" || len(begin)+len(end) != len(of.message) {
		f.Message = begin + m.differs + end
	}
	if m.related != nil {
		f.Related = *m.related
	}
	return f
}

package session

import (
	"slices"
	"strings"
	"time"

	"mcptea/client/revision"
	"mcptea/lint"
	"mcptea/record"
	"mcptea/record/store"
)

const (
	// maxMarks bounds the findings that are remembered by their row, about 80 bytes each.
	maxMarks = 200_000
	// maxAtRow bounds the findings that are remembered of one row.
	maxAtRow = 50
	// maxKinds bounds the kinds that are searched.
	maxKinds = 1024
	// chunkOfMarks is the number of marks allocated together.
	chunkOfMarks = 512
)

// marks holds the newest max findings by row. It is a ring in which the marks of a row are linked.
type marks struct {
	max    int
	chunks []*[chunkOfMarks]mark
	count  int               // number of marks, including replaced ones
	newest map[int32]int32   // position in the ring of the newest mark of each row
	inner  map[int32][]int32 // rows in between that have marks, oldest first, by the root of the exchange
	kinds  map[key]*kind
}

// mark is a finding in short.
type mark struct {
	of      *kind
	differs string   // part of the message that differs from the message of the kind
	time    int64    // Unix nanoseconds
	related *[]int32 // mostly nil
	row     int32
	times   int32
	before  int32 // distance to the previous mark of the same row in the ring, or 0
	root    int32 // root of the exchange, for a frame in between; see marks.inner

	begin, end uint16 // the bytes of the message of the kind around differs
}

// A key holds the properties that many findings share.
type key struct {
	rule       *lint.Entry
	severity   lint.Severity
	fault      lint.Side
	by         record.Caller
	revision   revision.Revision
	path, hint string
	offset     int
}

// A kind is a key with the message of its first finding. The messages of the others mostly differ in a number.
type kind struct {
	key
	message string
}

func newMarks(most int) marks {
	return marks{max: most, newest: map[int32]int32{}, inner: map[int32][]int32{}, kinds: map[key]*kind{}}
}

// add stores a finding about a row. It replaces the oldest mark, unless the row already has [maxAtRow]. root is
// the root of the exchange for a frame between its request and its response, else [store.None].
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

// maxInner is the number of newest frames in between that are searched for the most severe finding.
const maxInner = 1000

// worst returns the most severe finding that counts for the frames of an exchange, or nil. These
// are the request, the response, and the frames in between.
func (m *marks) worst(counts func(*lint.Entry) bool, root, response int32) (worst *mark) {
	look := func(row int32) (isError bool) {
		var at *mark
		for one := range m.each(row) { // newest first
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

// in returns the number of findings about an exchange whose rules count. A finding counts once per
// frame. In a long exchange, only the newest frames count.
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

// newestIn returns the newest rows with findings between the request and the response of an exchange.
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
			clear(m.kinds) // existing marks still use the old kinds
		}
		of = &kind{k, f.Message}
		m.kinds[k] = of
	}
	return of
}

// differs returns the lengths of the common prefix and suffix of two messages, and the part of message in
// between.
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

// distance returns the number of places from one position in the ring to another.
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

package export

import (
	"fmt"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/filter"
	"mcptea/record/store"
)

// Filtered returns a selection of the rows that pass a filter. The store must be
// loaded.
func Filtered(s *store.Store, f *filter.Filter) func(row int32) bool {
	selected := map[int32]bool{}
	for _, row := range f.Rows(s) {
		selected[row] = true
	}
	return func(row int32) bool { return selected[row] }
}

// Marked returns a selection of the rows that have a mark or a note.
func Marked(marks []record.Mark) func(row int32) bool {
	selected := map[int32]bool{}
	for _, m := range marks {
		selected[m.Row] = true
	}
	return func(row int32) bool { return selected[row] }
}

// Extend extends a selection, which may be nil. For formats with [Format.Requests], it adds the
// requests of selected responses, and also the responses if the format writes them. For formats
// whose entries are exchanges, it adds the response of each selected request, and the request of
// each selected response. The store must be loaded.
func (f Format) Extend(s *store.Store, rows func(row int32) bool) func(row int32) bool {
	if !f.Requests && !f.exchanges || rows == nil {
		return rows
	}
	return func(row int32) bool {
		if rows(row) {
			return true
		}
		r, ok := s.Row(row)
		if !ok || r.Pair == store.None {
			return false
		}
		if f.exchanges {
			return rows(r.Pair)
		}
		isRequest := r.Kind == jsonrpc.Request && r.Dir == transport.Out
		isResponse := r.Kind.IsResponse() && r.Dir == transport.In
		return (isRequest || isResponse && f.responses) && rows(r.Pair)
	}
}

// Ranges parses row numbers, such as "3", "3-10", "3-", or "3,7-9", and returns a selection.
// Numbers start at 1.
func Ranges(text string) (func(row int32) bool, error) {
	type span struct{ from, to int32 }
	var spans []span
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		s := span{1, 1<<31 - 1}
		var err error
		if from != "" || !isRange {
			s.from, err = number(from)
		}
		switch {
		case err == nil && !isRange:
			s.to = s.from
		case err == nil && to != "":
			s.to, err = number(to)
		}
		if err != nil || s.to < s.from || from == "" && to == "" {
			return nil, fmt.Errorf("%q is not a number or a range of frames, such as 3, 3-10 or 3-", part)
		}
		spans = append(spans, s)
	}
	return func(row int32) bool {
		for _, s := range spans {
			if row+1 >= s.from && row+1 <= s.to {
				return true
			}
		}
		return false
	}, nil
}

func number(text string) (int32, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(text), "#"), 10, 32)
	if err == nil && n < 1 {
		err = strconv.ErrRange
	}
	return int32(n), err
}

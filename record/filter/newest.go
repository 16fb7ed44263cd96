package filter

import "mcptea/record/store"

// bounds on the newest frames that [Filter.Newest] examines
const (
	maxMatchedRows  = 1000
	maxMatchedBytes = 4 << 20
)

// Newest returns how many of the newest frames pass, and how many were examined.
func (f *Filter) Newest(s *store.Store) (passed, of int) {
	rows, scanner := s.Snapshot().Rows, s.NewScanner()
	var fr Frame
	fr.OfRow(s, scanner)
	size := 0
	from := int32(max(0, rows-maxMatchedRows))
	scanner.Rows(from, rows-int(from), func(_ int32, r *store.Row) bool {
		if size += int(r.Size); size > maxMatchedBytes {
			return false
		}
		if fr.Row, fr.Method = r, s.Method(r.Method); r.IsFrame() {
			of++
			if f.Match(&fr) {
				passed++
			}
		}
		return true
	})
	return passed, of
}

package client

import (
	"errors"
	"fmt"
	"testing"
)

// A list stops at a page that repeats an earlier one, whatever its cursor is, and not at entries
// that occur again among others.
func TestList_PagesThatDoNotAdvance(t *testing.T) {
	const a, b = `{"name":"a"},{"name":"b","title":"%d"}`, `{"name":"c"},{"name":"d"}`
	for name, tt := range map[string]struct {
		page func(n int) string // the entries of page n, from 1
		last int                // the page without a cursor; 0 for none
		want PagesError         // the zero value for none
		len  int
	}{
		"the same page":            {func(int) string { return fmt.Sprintf(a, 1) }, 0, PagesError{"tools/list", 2, 1}, 2},
		"with other descriptions":  {func(n int) string { return fmt.Sprintf(a, n) }, 0, PagesError{"tools/list", 2, 1}, 2},
		"two pages in turn":        {func(n int) string { return []string{b, fmt.Sprintf(a, 1)}[n%2] }, 0, PagesError{"tools/list", 3, 1}, 4},
		"one entry":                {func(int) string { return `{"name":"a"}` }, 0, PagesError{"tools/list", 2, 1}, 1},
		"pages without entries":    {func(int) string { return "" }, 0, PagesError{"tools/list", maxEmptyPages, 0}, 0},
		"some pages without":       {func(n int) string { return map[int]string{1: b, 4: fmt.Sprintf(a, 1)}[n] }, 4, PagesError{}, 4},
		"a name that occurs twice": {func(n int) string { return fmt.Sprintf(`{"name":"a","title":"%d"}`, n) }, 3, PagesError{}, 3},
		"an entry again":           {func(n int) string { return []string{"", b, `{"name":"c"},{"name":"e"}`}[n] }, 2, PagesError{}, 4},
	} {
		n := 0
		s := script(friendly(func(f string) []string {
			n++
			cursor := fmt.Sprintf(`,"nextCursor":"%d"`, n)
			if n == tt.last {
				cursor = ""
			}
			return result(f, `{"tools":[`+tt.page(n)+`]`+cursor+`}`)
		}))
		items, err := dial(t, s).List(t.Context(), Tools)
		failed, _ := errors.AsType[*PagesError](err)
		if failed == nil {
			failed = &PagesError{}
		}
		if *failed != tt.want || (err == nil) != (tt.want == PagesError{}) || len(items) != tt.len {
			t.Errorf("%s: %d entries, %v", name, len(items), err)
		}
	}
}

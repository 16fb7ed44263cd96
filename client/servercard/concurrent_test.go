package servercard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// No card waits for another one: each responds only when all of them were requested.
func TestDiscover_CardsConcurrently(t *testing.T) {
	var all sync.WaitGroup
	all.Add(maxCards)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == wellKnown[0]:
			var entries []string
			for i := range maxCards {
				entries = append(entries, fmt.Sprintf(`{"identifier":"i%d","type":%q,"url":"http://%s/card%d"}`, i, cardType, r.Host, i))
			}
			_, _ = fmt.Fprintf(w, `{"specVersion":"1.0","entries":[%s]}`, strings.Join(entries, ","))
		case strings.HasPrefix(r.URL.Path, "/card"):
			all.Done()
			all.Wait()
			_, _ = fmt.Fprintf(w, `{"name":"a%s"}`, r.URL.Path)
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	announced := 0
	d, err := Discover(t.Context(), Where{URL: s.URL + "/mcp", Fetching: func(cards int, timeout time.Duration) {
		if announced += cards; timeout != fetchTimeout {
			t.Errorf("for at most %s", timeout)
		}
	}})
	if err != nil || announced != maxCards || len(d.Cards) != maxCards+1 {
		t.Fatalf("%d cards, %d were announced: %v", len(d.Cards), announced, err)
	}
	for i, c := range d.Cards[1:] {
		if !c.Found() || c.Card.Name != fmt.Sprintf("a/card%d", i) {
			t.Errorf("card %d: %s, %q", i, c.Absent, c.URL)
		}
	}
}

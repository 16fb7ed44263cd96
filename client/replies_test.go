package client

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/revision"
	"mcptea/internal/test/raced"
)

// stuck is a client whose notes are counted, and whose server reads nothing more
// until the channel is closed.
func stuck(t *testing.T, notes *atomic.Int32) (c *Client, s *scripted, release chan struct{}) {
	t.Helper()
	release = make(chan struct{})
	s = script(friendly(func(frame string) []string {
		if strings.Contains(frame, `"result"`) || strings.Contains(frame, `"error"`) {
			<-release
		}
		return nil
	}))
	c = NewOver(s, &checks{}, Config{Name: "test", Version: "0", Era: revision.EraHandshake, Note: func(string) { notes.Add(1) }})
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c, s, release
}

func TestReplies_QueueIsBoundedInBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var notes atomic.Int32
		c, s, release := stuck(t, &notes)
		id := strings.Repeat("x", 60_000)
		begin := time.Now()
		for i := range 1000 {
			s.push(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s%d","method":"ping"}`, id, i))
		}
		q := read(c, func(s *state) replyQueue { return s.replies })
		size, queued := q.size, len(q.list)-q.next
		if size > maxQueued || queued < maxQueued/2/60_000 {
			t.Errorf("%d responses of %d bytes wait", queued, size)
		}
		if waited := time.Since(begin); waited != queueGrace {
			t.Errorf("reading paused for %v, want %v in all", waited, queueGrace)
		}
		if n := notes.Load(); n != 1 {
			t.Errorf("%d notes, want 1", n)
		}
		close(release)
		synctest.Wait()
		if got := strings.Count(s.log(), `"result"`); got < queued {
			t.Errorf("%d responses were sent of %d", got, queued)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A server that reads gets all its responses, however fast it asks.
func TestReplies_AllForAServerThatReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(friendly(func(frame string) []string {
			if strings.Contains(frame, `"result"`) {
				time.Sleep(time.Microsecond)
			}
			return nil
		}))
		c := dial(t, s)
		const n = 100_000
		for i := range n {
			s.push(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
		}
		time.Sleep(time.Second)
		if got := strings.Count(s.log(), `"result":{}`); got != n {
			t.Errorf("%d responses, want %d", got, n)
		}
		_ = c.Close(t.Context())
	})
}

func TestReplies_NoneForALongID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var notes atomic.Int32
		c, s, release := stuck(t, &notes)
		close(release)
		s.push(`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", MaxID) + `","method":"ping"}`)
		s.push(`{"jsonrpc":"2.0","id":"short","method":"` + strings.Repeat("m", 1<<20) + `"}`)
		synctest.Wait()
		sent := s.log()
		if strings.Contains(sent, "xxxx") || notes.Load() != 1 {
			t.Errorf("%d notes, sent %.300s", notes.Load(), sent)
		}
		if !strings.Contains(sent, `"id":"short"`) || strings.Contains(sent, strings.Repeat("m", maxMethod+1)) {
			t.Errorf("the unknown method got %.300s", sent)
		}
		_ = c.Close(t.Context())
	})
}

func TestList_GivenUpWhenTooLarge(t *testing.T) {
	raced.Never(t, "megabytes through what other tests race too")
	page, n := strings.Repeat("x", 3<<20), 0
	c := dial(t, script(friendly(func(f string) []string {
		n++
		return result(f, fmt.Sprintf(`{"tools":[{"description":"%02d%s"}],"nextCursor":"%d"}`, n%100, page[2:], n))
	})))
	items, err := c.List(t.Context(), Tools)
	if !errors.Is(err, ErrListTooLarge) || len(items) != revision.MaxListBytes/len(page) {
		t.Errorf("%d items, %v", len(items), err)
	}
	if items, err := c.List(t.Context(), Tools); len(items) != revision.MaxListBytes/len(page) {
		t.Errorf("once more: %d items, %v", len(items), err)
	}
}

// The lists of all kinds have one bound, and an entry takes room beside its text.
func TestList_KindsShareOneBound(t *testing.T) {
	raced.ByNight(t, "megabytes through what other tests race too")
	page := strings.Repeat("x", revision.MaxListBytes/2)
	c := dial(t, script(friendly(func(f string) []string {
		switch {
		case strings.Contains(f, `"tools/list"`):
			return result(f, `{"tools":[{"description":"`+page+`"}]}`)
		case strings.Contains(f, `"prompts/list"`):
			return result(f, `{"prompts":[{"description":"`+page+`"}]}`)
		}
		return result(f, `{"resources":[`+strings.Repeat("{},", revision.MaxListBytes/revision.EntryBytes)+`{}]}`)
	})))
	if items, err := c.List(t.Context(), Tools); err != nil || len(items) != 1 {
		t.Errorf("%d tools, %v", len(items), err)
	}
	if items, err := c.List(t.Context(), Prompts); !errors.Is(err, ErrListTooLarge) || len(items) != 0 {
		t.Errorf("%d prompts, %v", len(items), err)
	}
	if items, err := c.List(t.Context(), Resources); !errors.Is(err, ErrListTooLarge) || len(items) != 0 {
		t.Errorf("%d resources, %v", len(items), err)
	}
	if items, err := c.List(t.Context(), Tools); err != nil || len(items) != 1 {
		t.Errorf("again %d tools, %v", len(items), err)
	}
}

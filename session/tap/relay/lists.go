package relay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/offer/changes"
)

const (
	listTimeout = 10 * time.Second
	maxPages    = 1000 // bound for the pages of a list that are fetched
)

// compare fetches the lists that the host has read, and notifies it of the lists that have changed.
func (r *Relay) compare(s *server) {
	if s.number == 1 {
		return
	}
	r.mu.Lock()
	seen := maps.Clone(r.known.lists)
	r.mu.Unlock()
	reported := map[string]bool{}
	for _, list := range revision.Lists {
		before := seen[list.Method]
		if before == nil || list.Changed == "" || reported[list.Changed] {
			continue
		}
		now, err := r.fetch(s, list, before.frame)
		if errors.Is(err, errReplaced) || s.hasEnded() || r.ctx.Err() != nil {
			return // the next server is compared
		}
		what := r.differing(list, before, now, s.restart, err)
		if what == "" {
			continue
		}
		reported[list.Changed] = true
		r.announce(list, before, what)
	}
}

// differing describes how a list differs from the list that the host has seen, or returns "".
func (r *Relay) differing(list revision.List, before *seenList, now []changes.Entry, restart int, err error) string {
	if err != nil || before.partial {
		return fmt.Sprintf("the %s may have changed", list.Name)
	}
	var t changes.Tracker
	t.SetList(list.Name, before.entries, 0)
	c := t.SetList(list.Name, now, restart)
	if !c.Any() {
		return ""
	}
	text := fmt.Sprintf("the %s have changed (+%d −%d ~%d", list.Name, c.Added, c.Removed, c.Changed)
	for n, it := range t.Snapshot().In(list.Name) {
		if it.Renamed != "" && n < maxRenames {
			text += fmt.Sprintf(", ~ %s → %s", phrase.Clip(it.Renamed, maxName), phrase.Clip(it.Key, maxName))
		}
	}
	return text + ")"
}

// maxRenames bounds the entries that a sentence names as renamed, and maxName their names in bytes.
const (
	maxRenames = 5
	maxName    = 60
)

// announce notifies the host that a list has changed, and reports that.
func (r *Relay) announce(list revision.List, before *seenList, what string) {
	if !r.notify(list) {
		r.tell(what + fmt.Sprintf(", and the host does not notice: it does not expect %s", list.Changed))
		return
	}
	r.mu.Lock()
	wasNotified := before.notified
	before.notified = true
	host := jsonrpc.Text(r.known.initialize, "params", "clientInfo", "name")
	r.mu.Unlock()
	if wasNotified {
		host = strings.TrimSpace("host " + phrase.Clip(host, maxName))
		what += fmt.Sprintf("; the %s was notified before, but has not listed them since", host)
	}
	r.tell(what + "; told the host: " + list.Changed)
}

// notify sends the host the notification of a list. It is false if the host does not expect that.
func (r *Relay) notify(list revision.List) bool {
	const hostNotified = "told the host"
	r.mu.Lock()
	declared := r.known.declared
	var ids []jsonrpc.ID
	for _, c := range r.known.calls.inOrder() {
		if c.lasts() && declared == nil { // the stateless era: each stream with a filter for it
			e := jsonrpc.Scan(c.frame)
			if bytes.Equal(jsonrpc.Get(e.Params.Of(c.frame), "notifications", list.Filter()), []byte("true")) {
				ids = append(ids, c.id)
			}
		}
	}
	r.mu.Unlock()
	if declared != nil {
		path := append([]string{"capabilities"}, list.Capability("listChanged")...)
		if !bytes.Equal(jsonrpc.Get(declared, path[0], path[1:]...), []byte("true")) {
			return false
		}
		r.inject(jsonrpc.EncodeNotification(list.Changed, nil), hostNotified)
		return true
	}
	for _, id := range ids {
		params := fmt.Sprintf(`{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}`, id)
		r.inject(jsonrpc.EncodeNotification(list.Changed, []byte(params)), hostNotified)
	}
	return len(ids) > 0
}

// fetch fetches a list as the host does, whose first request is repeated.
func (r *Relay) fetch(s *server, list revision.List, first []byte) (entries []changes.Entry, err error) {
	ctx, stop := context.WithTimeout(r.ctx, listTimeout)
	defer stop()
	e := jsonrpc.Scan(first)
	params := jsonrpc.Without(bytes.Clone(e.Params.Of(first)), "cursor")
	for frame, n := first, 0; n < maxPages; n++ {
		response, err := s.request(ctx, frame)
		if err != nil {
			return nil, err
		}
		e := jsonrpc.Scan(response)
		result := e.Result.Of(response)
		entries = appendEntries(entries, list, result)
		cursor := jsonrpc.Get(result, "nextCursor")
		if len(cursor) == 0 || cursor[0] != '"' {
			return entries, nil
		}
		if len(params) == 0 {
			params = []byte("{}")
		}
		next := jsonrpc.AppendMember(bytes.TrimSuffix(bytes.TrimSpace(bytes.Clone(params)), []byte("}")), "cursor", cursor)
		frame = jsonrpc.EncodeRequest(jsonrpc.StringID(ownPrefix), list.Method, append(next, '}'))
	}
	return entries, nil
}

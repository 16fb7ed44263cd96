package declare

import (
	"context"
	"encoding/json"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/schema"
	"mcptea/internal/schema/check"
)

// event reads an event type: its entry in the list, and the event that happens repeatedly.
func (f *File) event(s *source, at string, list revision.List, item []byte) (*entry, error) {
	e := &entry{list: list, key: jsonrpc.Text(item, list.Key), wire: item}
	for _, name := range []string{"data", "every"} {
		e.wire = jsonrpc.Without(e.wire, name)
	}
	for name, value := range map[string]string{"delivery": `["poll","push"]`, "inputSchema": `{"type":"object"}`, "payloadSchema": `{"type":"object"}`} {
		if jsonrpc.Get(e.wire, name) == nil {
			e.wire = withMember(e.wire, name, value)
		}
	}
	payload := jsonrpc.Get(e.wire, "payloadSchema")
	if p := check.Compile(payload, check.Options{Dialectless: true}).Problem(); p != nil && p.Fault == check.Invalid {
		return nil, s.wrong(at+"/payloadSchema", "", "payloadSchema of the event type %q is not a JSON Schema: %s", e.key, p.Reason)
	}
	if e.example = jsonrpc.Get(item, "data"); e.example == nil {
		form := schema.Parse(payload)
		e.example = form.Fill([]byte("{}"))
	}
	if text := jsonrpc.Text(item, "every"); text != "" {
		every, err := time.ParseDuration(text)
		if err != nil || every < minEvery {
			return nil, s.wrong(at+"/every", "Write it as 500ms or 2s.", "%q is not a time of at least %s", text, minEvery)
		}
		e.every = every
	}
	return e, nil
}

// minEvery is the least time between two events of a type.
const minEvery = 10 * time.Millisecond

// emit emits the events of a file until ctx ends, instead of the events of the previous file.
func (m *Mock) emit(f *File) {
	ctx, stop := context.WithCancel(m.ctx)
	m.mu.Lock()
	if m.stopEvents != nil {
		m.stopEvents()
	}
	m.stopEvents = stop
	m.mu.Unlock()
	for _, e := range f.entries {
		if e.every <= 0 {
			continue
		}
		go func() { // ends with ctx
			ticker := time.NewTicker(e.every)
			defer ticker.Stop()
			for {
				select {
				case <-ticker.C:
					m.server.Emit(e.key, json.RawMessage(e.example))
				case <-ctx.Done():
					return
				}
			}
		}()
	}
}

package agent

import (
	"encoding/json"
	"fmt"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/session/events"
)

type waitEventInput struct {
	Which
	Event     string `json:"event" jsonschema:"name of the event type"`
	Arguments object `json:"arguments,omitempty"`
	Mode      string `json:"mode,omitempty" jsonschema:"push or poll; what the type offers if empty"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"server_cursor of an earlier wait; from now on if empty"`
	Count     int    `json:"count,omitempty" jsonschema:"number of events, 1 if 0"`
	WaitMS    int    `json:"wait_ms,omitempty" jsonschema:"30000 if 0"`
	MaxChars  int    `json:"max_chars,omitempty" jsonschema:"maximum size of data, 4000 if 0"`
}

type waitEventOutput struct {
	Outcome string        `json:"outcome" jsonschema:"events, time is over, or ended"`
	Events  []eventOutput `json:"events,omitempty"`
	Gaps    int           `json:"gaps,omitempty" jsonschema:"how often events are missing"`
	Cursor  string        `json:"server_cursor,omitempty"`
	Problem string        `json:"server_problem,omitempty"`
}

type eventOutput struct {
	ID     string   `json:"server_id"`
	Time   string   `json:"server_time,omitempty"`
	Data   string   `json:"server_data" jsonschema:"JSON"`
	Frame  int32    `json:"frame,omitempty"`
	Faults []string `json:"faults,omitempty" jsonschema:"such as data that does not conform to payloadSchema"`
}

// maxWaited bounds the events that one wait returns.
const maxWaited = 100

// defaultEventWait is the default timeout of a wait for events.
const defaultEventWait = 30 * time.Second

// waitEvent waits for the next events of a type.
func (t turn) waitEvent(in waitEventInput) (out waitEventOutput, err error) {
	list, err := t.connection.list(t, client.Events)
	if err != nil {
		return out, err
	}
	mode := in.Mode
	if mode == "" {
		item, listed := list.Find(in.Event)
		if !listed {
			return out, fmt.Errorf("the server has no event type %q among %d", in.Event, len(list.Items))
		}
		if mode = events.ReadType(item.Raw).Mode(); mode == "" {
			return out, fmt.Errorf("the event type %q is delivered only by webhooks: mcptea listen event:%s --webhook receives them", in.Event, in.Event)
		}
	}
	if mode != revision.DeliveryPush && mode != revision.DeliveryPoll {
		return out, fmt.Errorf("unknown mode %q: use push or poll", mode)
	}
	f := t.s.Events().Follow(events.Options{
		Params: events.Params{Name: in.Event, Arguments: json.RawMessage(in.Arguments), Cursor: events.Cursor{Text: in.Cursor, Set: in.Cursor != ""}}, Mode: mode,
	})
	defer func() {
		f.Stop()
		select {
		case <-f.Done():
		case <-t.Done():
		}
	}()
	want := min(max(in.Count, 1), maxWaited)
	ended := false
	t.until(t, wait(in.WaitMS, defaultEventWait), func() bool {
		st := f.State()
		ended = st.Phase == events.Ended
		return ended || st.Events >= want
	})
	return t.waited(f, want, ended, size(in.MaxChars)), nil
}

// waited returns the events that have arrived.
func (t turn) waited(f *events.Follower, want int, ended bool, most int) waitEventOutput {
	st := f.State()
	out := waitEventOutput{Outcome: "time is over"}
	for _, e := range t.s.Events().Entries(f.Number(), 0, 0) {
		if len(out.Events) == want {
			break
		}
		out.Cursor = e.Cursor.Text
		if e.Kind == events.Gap {
			out.Gaps++
		}
		if e.Kind != events.Occurred {
			continue
		}
		one := eventOutput{
			ID: clip(e.Event.ID, 200), Time: clip(e.Event.Timestamp, 100), Data: clip(string(e.Event.Data), most), Frame: e.Row + 1,
		}
		faults, _ := t.s.Events().Check(st.Name, &e)
		for _, fault := range faults {
			one.Faults = append(one.Faults, clip(fault.String(), 400))
		}
		out.Events = append(out.Events, one)
	}
	switch {
	case len(out.Events) == want:
		out.Outcome = "events"
	case ended:
		out.Outcome = "ended"
		if st.Err != nil {
			out.Problem = clip(st.Err.Error(), 400)
		}
	}
	return out
}

package revision

import (
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
)

// TaskStatus is the status of a task (2025-11-25, basic / utilities / tasks;
// 2026-07-28, extensions / tasks).
type TaskStatus string

// The statuses. The last three are final.
const (
	TaskWorking       TaskStatus = "working"
	TaskInputRequired TaskStatus = "input_required"
	TaskCompleted     TaskStatus = "completed"
	TaskFailed        TaskStatus = "failed"
	TaskCancelled     TaskStatus = "cancelled"
)

// Final reports whether the status never changes again.
func (s TaskStatus) Final() bool {
	return s == TaskCompleted || s == TaskFailed || s == TaskCancelled
}

// Known reports whether the specification defines the status.
func (s TaskStatus) Known() bool { return s == TaskWorking || s == TaskInputRequired || s.Final() }

// Forever is the TTL of a task that the server keeps without limit.
const Forever time.Duration = -1

// Task is a request that the server processes after its response. It represents both designs: the tasks of
// 2025-11-25 and of the extension of 2026-07-28.
type Task struct {
	ID      string // empty if missing
	Status  TaskStatus
	Message string
	Updated time.Time     // time of the server's clock; zero if unknown
	TTL     time.Duration // time to live since its creation; Forever, or 0 if unknown
	Poll    time.Duration // interval between polls; 0 if unknown
	Raw     []byte        // the whole object; not to be changed
}

// DecodeTask decodes a task object of either design. Missing and invalid members are
// zero. The result aliases raw.
func DecodeTask(raw []byte) Task {
	t := Task{
		ID: jsonrpc.Text(raw, "taskId"), Status: TaskStatus(jsonrpc.Text(raw, "status")), Message: jsonrpc.Text(raw, "statusMessage"),
		Updated: timestamp(raw, "lastUpdatedAt"), Raw: raw,
	}
	for _, name := range []string{"ttlMs", "ttl"} {
		if v, ok := jsonrpc.Member(raw, name); ok && t.TTL == 0 {
			t.TTL = milliseconds(v)
			if string(v) == "null" {
				t.TTL = Forever
			}
		}
	}
	for _, name := range []string{"pollIntervalMs", "pollInterval"} {
		if v, ok := jsonrpc.Member(raw, name); ok && t.Poll == 0 {
			t.Poll = milliseconds(v)
		}
	}
	return t
}

// Requests returns the entries of inputRequests except those with the given keys, as a raw object, or nil if
// there are none. A task never uses a key twice (2026-07-28, extensions / tasks).
func (t Task) Requests(but map[string]bool) (requests []byte, keys []string) {
	all, _ := jsonrpc.Member(t.Raw, "inputRequests")
	for name, value := range jsonrpc.Members(all) {
		if but[string(name)] {
			continue
		}
		keys = append(keys, string(name))
		requests = append(requests, ',')
		requests = append(append(requests, jsonrpc.Quote(string(name))...), ':')
		requests = append(requests, value...)
	}
	if keys == nil {
		return nil, nil
	}
	requests[0] = '{'
	return append(requests, '}'), keys
}

// CreatedTask returns the raw task object of a result of tools/call that has created a
// task, nil for other results. Servers that nest the task of 2026-07-28 do not
// conform, but are common.
func CreatedTask(r Revision, result []byte) []byte {
	nested, _ := jsonrpc.Member(result, "task")
	isObject := len(nested) > 0 && nested[0] == '{'
	switch {
	case r.IsStateless() && jsonrpc.Text(result, "resultType") == "task":
		if jsonrpc.Text(result, "taskId") == "" && isObject {
			return nested
		}
		return result
	case r == R20251125 && isObject:
		if _, complete := jsonrpc.Member(result, "content"); !complete {
			return nested
		}
	}
	return nil
}

func timestamp(raw []byte, name string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, jsonrpc.Text(raw, name))
	if err != nil {
		return time.Time{}
	}
	return at
}

// milliseconds decodes a number of milliseconds. It returns 0 for anything but a
// positive number, and at most 100 years.
func milliseconds(token []byte) time.Duration {
	ms, err := strconv.ParseFloat(string(token), 64)
	if err != nil || !(ms > 0) {
		return 0
	}
	const maximum = 100 * 365 * 24 * time.Hour // limited, so that time.Time.Add does not overflow
	return time.Duration(min(ms*float64(time.Millisecond), float64(maximum)))
}

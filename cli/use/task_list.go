package use

import (
	"fmt"
	"time"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/session/session"
)

// TaskList is the output of mcptea task list --json.
type TaskList struct {
	Tasks []TaskEntry `json:"tasks"` // tasks of the server; in 2026-07-28 the tasks whose ids mcptea has kept; with --attach the tasks of the session
}

// TaskEntry is a task of a list.
type TaskEntry struct {
	ID      string `json:"id"`                // the taskId
	Status  string `json:"status"`            // status as listed by the server or known to the session; empty for a task that mcptea has kept
	Tool    string `json:"tool"`              // name of the called tool, if mcptea has kept the task or the session knows it
	Created string `json:"created"`           // time (RFC 3339); may be empty
	TTL     int64  `json:"ttlMs,omitempty"`   // milliseconds; -1 is without limit
	Message string `json:"message,omitempty"` // message of the server
}

// maxTaskPages bounds the pages of tasks/list.
const maxTaskPages = 1000

func (p *commands) taskList(s *session.Session, _ string, _ []string) error {
	list, none := TaskList{Tasks: []TaskEntry{}}, "The server has no tasks."
	if shared := s.Target().Shared; shared != nil && s.State().Handshake.Revision.IsStateless() {
		none = "The session of the process has no tasks."
		for _, t := range shared.Tasks {
			list.Tasks = append(list.Tasks, TaskEntry{ID: t.ID, Status: t.Status, Tool: t.Tool, Created: t.Created.Format(time.RFC3339)})
		}
	} else if s.State().Handshake.Revision.IsStateless() {
		kept, err := s.KeptTasks()
		if err != nil {
			return app.Failed("%v", err)
		}
		none = "No task of this server is kept. In 2026-07-28 a server has no list of tasks: mcptea keeps the id of a task only for a call over HTTP, until the task is over. The tab Tasks of an inspector shows the tasks of its session."
		for _, t := range kept {
			list.Tasks = append(list.Tasks, TaskEntry{ID: t.ID, Tool: t.Tool, Created: t.Created.Format(time.RFC3339), TTL: t.TTL})
		}
	} else if err := p.listTasks(s, &list); err != nil {
		return err
	}
	if p.JSON {
		return p.PrintDocument(list)
	}
	if len(list.Tasks) == 0 {
		fmt.Fprintln(p.Err, none)
	}
	for _, t := range list.Tasks {
		text := display.Sanitize(t.ID)
		for _, more := range []string{t.Status, t.Tool, t.Created, t.Message} {
			if more != "" {
				text += "  " + display.Sanitize(more)
			}
		}
		p.Out.Line(p.Out.Safe(text))
	}
	return p.Out.Failure
}

// listTasks asks a server of 2025-11-25.
func (p *commands) listTasks(s *session.Session, list *TaskList) error {
	params := client.Params(map[string]string{})
	for range maxTaskPages {
		response, err := p.Await(s, func() *session.Call { return s.Start("tasks/list", params) })
		if err == nil {
			err = response.Err()
		}
		if err != nil {
			return p.Outcome(s, err)
		}
		tasks, _ := jsonrpc.Member(response.Result(), "tasks")
		for raw := range jsonrpc.Elements(tasks) {
			if t, err := client.ReadTask(raw); err == nil {
				ttl := t.TTL.Milliseconds()
				if t.TTL == client.Forever {
					ttl = -1
				}
				list.Tasks = append(list.Tasks, TaskEntry{ID: t.ID, Status: string(t.Status), Created: jsonrpc.Text(raw, "createdAt"), TTL: ttl, Message: t.Message})
			}
		}
		cursor := jsonrpc.Text(response.Result(), "nextCursor")
		if cursor == "" {
			return nil
		}
		params = client.Params(map[string]string{"cursor": cursor})
	}
	return nil
}

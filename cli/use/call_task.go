package use

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/offer"
	"mcptea/session/session"
)

// taskFlags are the flags with which a tool is called as a task.
type taskFlags struct {
	task bool
	ttl  time.Duration // 0: the server decides
}

func (f *taskFlags) declare(fs *pflag.FlagSet) {
	fs.BoolVar(&f.task, "task", false, "call the tool as a task")
	fs.DurationVar(&f.ttl, "ttl", 0, "call the tool as a task and request this `TIME` to live (0: the server decides)")
}

// asTask reports whether to call a tool as a task. It fetches tools/list if it needs
// to.
func (p *commands) asTask(s *session.Session, f taskFlags, name string, tools map[string]offer.List) (bool, error) {
	h := s.State().Handshake
	requested := f.task || f.ttl > 0
	switch {
	case h.Revision.IsStateless():
		if requested && !h.HasTasks() {
			return false, noTasks("the server does not support tasks (it does not declare the extension %s)", revision.TasksExtension)
		}
		if f.ttl > 0 {
			p.Warning(fmt.Sprintf("--ttl has no effect in %s, where the server decides", h.Revision))
		}
		return false, nil // the server decides which calls become tasks
	case h.Revision != revision.R20251125 || !h.HasCapability("tasks", "requests", "tools", "call"):
		if requested {
			return false, noTasks("the server does not support calls as tasks (it does not declare tasks.requests.tools.call, see %s)", revision.R20251125)
		}
		return false, nil
	}
	list, there := tools[client.Tools.Name]
	if !there || list.Loaded.IsZero() {
		var err error
		if list, err = s.List(p.Ctx, client.Tools); err != nil && list.Loading {
			return false, err
		}
	}
	tool, known := list.Find(name)
	use := h.TaskUse(tool.Raw)
	if requested && known && use == client.TaskNever {
		return false, noTasks("the tool %s cannot be called as a task: it does not declare execution.taskSupport", name)
	}
	return requested || use == client.TaskRequired, nil
}

// noTasks returns the error for --task and --ttl if the server does not support tasks.
func noTasks(format string, args ...any) error {
	return app.Usage("Omit --task and --ttl to call the tool without a task.", format, args...)
}

//go:build unix

package stdio

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"mcptea/internal/system"
)

// group is the process group of the server. npx and uvx run the real server as a child, and a
// signal must reach it, too. The server is the leader of its own session (setsid), so it has no
// controlling terminal: it cannot write to the screen of mcptea, and SIGTTIN cannot stop it.
type group struct {
	pgid  int
	guard *system.Guard // guard, or nil if there is no shell to run one
}

func (g *group) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	system.EndWithParent(cmd.SysProcAttr)
}

func (g *group) started(p *os.Process) {
	g.pgid = p.Pid
	g.guard = system.StartGuard(g.pgid)
	groups.add(g)
}

// ended records that the process was reaped and the rest of its group was killed.
func (g *group) ended() {
	groups.remove(g)
	g.guard.Release()
}

// The names of the signals that terminate and kill send.
const (
	terminateSignal = "SIGTERM"
	killSignal      = "SIGKILL"
)

// terminate asks the group to end. ESRCH means that it has ended already.
func (g *group) terminate() { _ = syscall.Kill(-g.pgid, syscall.SIGTERM) }

// signal sends a signal to the process, or to its group if a terminal would.
func (g *group) signal(p *os.Process, sig os.Signal) (name string) {
	s, ok := sig.(syscall.Signal)
	if ok && (s == syscall.SIGINT || s == syscall.SIGQUIT) {
		_ = syscall.Kill(-g.pgid, s)
	} else {
		_ = p.Signal(sig) // the process may have exited
	}
	return unix.SignalName(s)
}

func (g *group) kill() { _ = syscall.Kill(-g.pgid, syscall.SIGKILL) }

// exists reports whether the group has a process.
func (g *group) exists() bool { return !errors.Is(syscall.Kill(-g.pgid, 0), syscall.ESRCH) }

// processes lists the processes of the system, including the server and its descendants.
func (g *group) processes() []entry { return processes() }

// groups holds the process groups of all running servers of this program.
var groups running

type running struct {
	mu  sync.Mutex
	all map[*group]struct{}
}

func (r *running) add(g *group) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = make(map[*group]struct{})
	}
	r.all[g] = struct{}{}
}

func (r *running) remove(g *group) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, g)
}

// KillAll sends SIGKILL to the process group of every running server. It is for a program that must exit
// immediately, and does not wait.
func KillAll() {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	for g := range groups.all {
		g.kill()
	}
}

// signalName returns the name of the signal that ended a process, or "" if it
// exited.
func signalName(state *os.ProcessState) string {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return unix.SignalName(ws.Signal())
	}
	return ""
}

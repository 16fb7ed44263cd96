//go:build windows

package stdio

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object that holds the server and its descendants. Windows has no SIGTERM: after the end of
// stdin and a grace period, the job is terminated. The system terminates it, too, if mcptea ends without
// closing the handle (JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE).
type group struct {
	pid int // process id of the server
	job windows.Handle
}

func (g *group) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

func (g *group) started(p *os.Process) {
	g.pid = p.Pid
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return // without a job only the process itself can be terminated
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, _ = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE
	handle, err := windows.OpenProcess(access, false, uint32(p.Pid))
	if err != nil {
		_ = windows.CloseHandle(job)
		return
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	if windows.AssignProcessToJobObject(job, handle) != nil {
		_ = windows.CloseHandle(job)
		return
	}
	g.job = job
}

// The names of the signals that terminate and kill send.
const (
	terminateSignal = "terminate"
	killSignal      = "terminate"
)

func (g *group) terminate() { g.kill() }

func (g *group) signal(*os.Process, os.Signal) (name string) {
	g.kill()
	return killSignal
}

func (g *group) kill() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
	}
}

// ended does nothing: the handle is closed with the program.
func (g *group) ended() {}

// KillAll does nothing: the system terminates the jobs when the program exits.
func KillAll() {}

func signalName(*os.ProcessState) string { return "" }

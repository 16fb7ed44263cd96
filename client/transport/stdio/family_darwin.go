package stdio

import (
	"bytes"

	"golang.org/x/sys/unix"
)

const zombie = 5 // SZOMB of <sys/proc.h>

// processes returns the processes of the system, or nil if they cannot be listed. Their sessions are unknown,
// but not their process groups.
func processes() (all []entry) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	for i := range list {
		p := &list[i]
		start := p.Proc.P_starttime
		all = append(all, entry{
			pid: int(p.Proc.P_pid), parent: int(p.Eproc.Ppid), group: int(p.Eproc.Pgid), ended: p.Proc.P_stat == zombie,
			start: ticks(start.Sec)*1_000_000 + ticks(start.Usec),
		})
	}
	return all
}

// arguments returns the name of a process, which the system cuts.
func arguments(pid int) []string {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return nil
	}
	name, _, _ := bytes.Cut(p.Proc.P_comm[:], []byte{0})
	return []string{string(name)}
}

// hasMark reports nothing: environments of other processes are not read here.
func hasMark(int, string) bool { return false }

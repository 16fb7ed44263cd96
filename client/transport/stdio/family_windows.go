package stdio

import (
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// maxJob bounds the processes of a job that are listed.
const maxJob = 1000

// jobList is JOBOBJECT_BASIC_PROCESS_ID_LIST.
type jobList struct {
	assigned, listed uint32
	ids              [maxJob]uintptr
}

const jobObjectBasicProcessIDList = 3 // JobObjectBasicProcessIdList

// processes returns the processes of the job, which are the server and its descendants, or nil without a job.
func (g *group) processes() (all []entry) {
	if g.job == 0 {
		return nil
	}
	var list jobList
	var n uint32
	err := windows.QueryInformationJobObject(g.job, jobObjectBasicProcessIDList, uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), &n)
	if err != nil {
		return nil
	}
	for _, id := range list.ids[:min(list.listed, maxJob)] {
		all = append(all, entry{pid: int(id), parent: g.pid, group: g.pid})
	}
	return all
}

// exists reports whether the job has a process.
func (g *group) exists() bool {
	return len(g.processes()) > 0
}

// arguments returns the name of the program of a process.
func arguments(pid int) []string {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return nil
	}
	defer func() { _ = windows.CloseHandle(process) }()
	name := make([]uint16, windows.MAX_PATH)
	size := uint32(len(name))
	if windows.QueryFullProcessImageName(process, 0, &name[0], &size) != nil {
		return nil
	}
	return []string{filepath.Base(windows.UTF16ToString(name[:size]))}
}

// hasMark reports nothing: the job has all descendants.
func hasMark(int, string) bool { return false }

package cputime

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	kernel    = windows.NewLazySystemDLL("kernel32.dll")
	counter   = kernel.NewProc("QueryPerformanceCounter")
	frequency = kernel.NewProc("QueryPerformanceFrequency")
)

// clock returns the time of a clock with a finer resolution than the clock of package time, which advances
// in steps of the scheduler.
func clock() time.Duration {
	var ticks, second int64
	_, _, _ = counter.Call(uintptr(unsafe.Pointer(&ticks)))
	_, _, _ = frequency.Call(uintptr(unsafe.Pointer(&second)))
	return time.Duration(float64(ticks) / float64(second) * float64(time.Second))
}

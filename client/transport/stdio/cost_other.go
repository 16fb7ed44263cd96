//go:build !linux

package stdio

// CostOf returns the resources that a process and its descendants have used. ok is false if the system does not
// show them.
func CostOf(int) (cost Cost, ok bool) { return cost, false }

// FreeMemory returns the memory that new processes may use, in bytes, or 0 if the system does not show it.
func FreeMemory() int64 { return 0 }

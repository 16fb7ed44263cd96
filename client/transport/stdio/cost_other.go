//go:build !linux

package stdio

// CostOf returns the resources that a process and its descendants have used. ok is false where the system does not tell.
func CostOf(int) (cost Cost, ok bool) { return cost, false }

// FreeMemory returns the memory that new processes may use, in bytes, and 0 where the system does not tell.
func FreeMemory() int64 { return 0 }

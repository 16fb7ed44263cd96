package stdio

import "time"

// Cost is the resources that the processes of a server have used so far.
type Cost struct {
	CPU    time.Duration // processor time, including that of descendants that have ended
	Memory int64         // resident, in bytes
}

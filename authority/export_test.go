package authority

import "time"

// SetSlow sets the delay of the answer token-slow.
func (a *Authority) SetSlow(d time.Duration) { a.slow = d }

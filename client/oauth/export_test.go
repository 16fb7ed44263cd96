package oauth

// Waiting is how many requests wait for the flow that runs.
func (a *Authorizer) Waiting() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.inFlight == nil {
		return 0
	}
	return a.inFlight.waiters
}

// ListenLoopback is the default of [Config.Listen].
var ListenLoopback = listenLoopback

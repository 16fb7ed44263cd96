package oauth

// Waiting is how many requests wait for the flow that runs.
func (a *Authorizer) Waiting() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running == nil {
		return 0
	}
	return a.running.waiters
}

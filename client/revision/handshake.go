package revision

// IsHandshake reports whether a client sends the method by itself when it connects (specification, basic / lifecycle, and
// server/discover of stateless versions).
func IsHandshake(method string) bool {
	switch method {
	case "initialize", "notifications/initialized", "server/discover":
		return true
	}
	return false
}

// FollowsTask reports whether a client sends the method by itself while it waits for a task (specification, basic /
// utilities / tasks).
func FollowsTask(method string) bool {
	switch method {
	case "tasks/get", "tasks/result", "tasks/update":
		return true
	}
	return false
}

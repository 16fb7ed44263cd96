package cli

// Recordings has the commands that make recordings or work on them.
type Recordings struct {
	Inspector
	hosts Hosts
}

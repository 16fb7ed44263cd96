package cli

// Hosts has the commands about the configuration of other applications.
type Hosts struct{ *connection }

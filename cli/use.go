package cli

// Use has the commands that use a server: list, call, read, send and others.
type Use struct{ *connection }

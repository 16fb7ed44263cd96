package cli

// Checks has the commands that judge a server: lint, check, run, explain.
type Checks struct{ *connection }

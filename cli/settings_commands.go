package cli

// Config has the commands about the settings of the program.
type Config struct{ *connection }

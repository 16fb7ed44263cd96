package cli

// Inspector has the commands that open the inspector, or come to one that runs.
type Inspector struct {
	*connection
	execute func(args []string) error // runs the program once more
}

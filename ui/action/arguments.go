package action

// ReadFiles reads files of the user. A FilesRead event with the same Ref follows; then
// the pane is asked what it goes on with.
type ReadFiles struct {
	Ref   string
	Paths []string
}

// ChooseArguments shows the saved arguments of a tool, prompt or template, and those that
// were sent last. An ArgumentsChosen event with the same Ref follows when one is chosen.
type ChooseArguments struct{ Ref, Method, Subject string }

// SaveArguments saves arguments under a name, which it asks for.
type SaveArguments struct {
	Method, Subject string
	Arguments       []byte
}

func (ReadFiles) action()       {}
func (ChooseArguments) action() {}
func (SaveArguments) action()   {}

// FilesRead is what ReadFiles has read: the content or the error of each path.
type FilesRead struct {
	Ref      string
	Contents map[string][]byte
	Errors   map[string]error
}

// ArgumentsChosen are the arguments that the user has chosen, a JSON object.
type ArgumentsChosen struct {
	Ref       string
	Arguments []byte
}

func (FilesRead) event()       {}
func (ArgumentsChosen) event() {}

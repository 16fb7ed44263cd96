package action

// ReadFiles reads files of the user. A FilesRead event with the same Ref follows; then
// the pane is asked what it goes on with.
type ReadFiles struct {
	Ref   string
	Paths []string
}

func (ReadFiles) action() {}

// FilesRead is what ReadFiles has read: the content or the error of each path.
type FilesRead struct {
	Ref      string
	Contents map[string][]byte
	Errors   map[string]error
}

func (FilesRead) event() {}

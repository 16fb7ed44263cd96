package app

// Note prints a remark on stderr, sanitized.
func (p *App) Note(text string) { p.remark("note:", text) }

// Warning prints a warning on stderr, sanitized.
func (p *App) Warning(text string) { p.remark("warning:", text) }

func (p *App) remark(label, text string) {
	p.Err.Prose(p.Err.Warn(label) + " " + p.Err.Safe(text))
}

// IncompleteRecording warns if a recording could not be closed properly.
func (p *App) IncompleteRecording(err error) {
	if err != nil {
		p.Warning("the recording is incomplete: " + err.Error())
	}
}

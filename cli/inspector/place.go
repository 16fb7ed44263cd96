package inspector

import (
	"path/filepath"

	"mcptea/internal/system"
	"mcptea/session/session"
	"mcptea/session/state"
	ui "mcptea/ui/inspector"
)

// placesFile returns the file of the places, or nil if nothing may be kept.
func (p *Inspector) placesFile() *state.Places {
	_, set := p.Configured.Line("restore")
	record, _ := p.Recording()
	dir, err := system.StateDir()
	if set && !p.Configured.Restore || record == "off" || err != nil {
		return nil
	}
	return state.NewPlaces(filepath.Join(dir, "places.jsonl"))
}

// restorePlace makes the screen show a session as the user left it the last time, and keeps how the user leaves it. Errors
// are ignored: the place is a convenience.
func (p *Inspector) restorePlace(s *session.Session, o *ui.Options) {
	file, of := p.placesFile(), p.placeOf(s)
	if file == nil || of == "" {
		return
	}
	o.Place, _ = file.Find(of)
	o.Left = func(place state.Place) {
		place.Of = of
		_ = file.Keep(place)
	}
}

// placeOf identifies the recording or the server of a session, or returns "" for a session without a place.
func (p *Inspector) placeOf(s *session.Session) string {
	if _, recorded := s.Recording(); recorded {
		path, err := filepath.Abs(s.Store().Path())
		if err != nil || s.Store().Path() == "" {
			return ""
		}
		return path
	}
	command, dir := p.repeats(s)
	if command == "" {
		return ""
	}
	return dir + ": " + command
}

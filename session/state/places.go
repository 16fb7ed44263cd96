package state

import "time"

// The bounds of the places: the newest ones, each of at most maxPlace bytes.
const (
	maxPlaces   = 100
	maxPlace    = 4 << 10
	maxAllPlace = maxPlaces * (maxPlace + 1)
)

// A Place describes how the user left the screen of a recording or of a server. It has no secrets.
type Place struct {
	Of     string    `json:"of"` // path of the recording, or the command of mcptea and its directory
	Time   time.Time `json:"time"`
	Tab    string    `json:"tab,omitempty"`    // id of the command that leads to the tab, Traffic included
	View   string    `json:"view,omitempty"`   // view of Traffic
	Filter string    `json:"filter,omitempty"` // filter of Traffic
	Frame  int32     `json:"frame,omitempty"`  // number of the selected frame of a recording, from 1, or 0
	// Borders are the borders that the user has moved.
	Borders []Border `json:"borders,omitempty"`
}

// A Border is the position of the borders of a screen, as shares of its width and of its height; 0 is not moved.
type Border struct {
	Traffic bool    `json:"traffic,omitempty"` // of the screen that shows a frame next to Traffic
	Across  float64 `json:"across,omitempty"`
	Over    float64 `json:"over,omitempty"`
}

// Places is the file of the places.
type Places struct{ file }

// NewPlaces returns the places with a path.
func NewPlaces(path string) *Places {
	return &Places{file{path, maxAllPlace, "cannot read how sessions were left", "cannot keep how the session was left"}}
}

func isPlace(p *Place) bool { return p.Of != "" }

// Find returns the place of a recording or server, or a zero one.
func (p *Places) Find(of string) (Place, error) {
	text, err := p.read()
	for _, e := range entries(text, isPlace) {
		if e.Of == of {
			return e, err
		}
	}
	return Place{}, err
}

// Keep replaces the place of a recording or server. A place that is too large is removed.
func (p *Places) Keep(place Place) error {
	return p.update(func(text []byte) ([]byte, error) {
		isSame := func(o Place) bool { return o.Of == place.Of }
		return withNewest(place, entries(text, isPlace), isSame, maxPlaces, maxPlace), nil
	})
}

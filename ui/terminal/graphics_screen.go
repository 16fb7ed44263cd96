package terminal

import (
	"image"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// protocol is a way to draw pixels.
type protocol uint8

const (
	unknown protocol = iota
	asked            // the terminal has been asked
	none
	kittyGraphics
	iterm2Images
	sixelGraphics
)

const (
	queryID = 31 // id of the undrawn picture in the query for Kitty's protocol
	// maxImages is the number of pictures kept by the terminal. The one not painted for the longest time is
	// replaced first.
	maxImages = 8
	// maxCells is the largest width and height in cells: Kitty has this many diacritics
	// for them, and a color has this many rows.
	maxCells = 255
	// requestCellSize is the window operation of xterm that reports the size of a cell.
	requestCellSize = 16
)

// query asks the terminal for Kitty graphics, its name, the size of a cell, and its device attributes, to which
// nearly every terminal responds.
var query = ansi.KittyGraphics([]byte("AAAA"), "i=31", "s=1", "v=1", "a=q", "t=d", "f=24") +
	ansi.RequestNameVersion + ansi.WindowOp(requestCellSize) + ansi.RequestPrimaryDeviceAttributes

// PictureScreen holds the pictures on a screen. Its methods may be called from any goroutine.
type PictureScreen struct {
	run func(work func()) // runs work on another goroutine

	mu       sync.Mutex
	protocol protocol
	name     string // name of the terminal
	hasKitty bool
	hasSixel bool
	cell     image.Point // size in pixels; zero when not known

	images  []*picture // most recently painted last
	nextID  int
	pending strings.Builder // sequences to be written to the terminal
	changed bool            // pictures are ready that were not when they were painted
	placed  map[mark]spot
}

// picture is an image in the form that the terminal takes.
type picture struct {
	source image.Image
	id     int
	size   image.Point // size in cells
	ready  bool
	busy   bool
	strips []string // one per row of cells; unused with Kitty
}

// NewPictureScreen returns a screen without pictures. run runs work on another goroutine.
func NewPictureScreen(run func(work func())) *PictureScreen {
	return &PictureScreen{run: run, nextID: 1, placed: map[mark]spot{}}
}

// Take records what the terminal reports about itself. It reports whether pictures will be painted differently.
func (s *PictureScreen) Take(msg tea.Msg) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch msg := msg.(type) {
	case uv.KittyGraphicsEvent:
		if msg.Options.ID == queryID && string(msg.Payload) == "OK" {
			s.hasKitty = true
		}
	case tea.TerminalVersionMsg:
		s.name = strings.ToLower(msg.Name)
	case uv.CellSizeEvent:
		if msg.Width > 0 && msg.Height > 0 && msg.Width < 200 && msg.Height < 200 {
			s.cell = image.Pt(msg.Width, msg.Height)
		}
	case uv.PrimaryDeviceAttributesEvent:
		for _, attribute := range msg {
			s.hasSixel = s.hasSixel || attribute == 4
		}
		if s.protocol == asked { // this response is always the last
			s.protocol = s.best()
			return s.protocol != none
		}
	}
	return false
}

// best chooses the protocol. Placeholders are known to kitty and Ghostty only.
func (s *PictureScreen) best() protocol {
	named := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(s.name, name) })
	}
	switch {
	case s.hasKitty && named("kitty", "ghostty"):
		return kittyGraphics
	case named("iterm2", "wezterm"):
		return iterm2Images
	case s.hasSixel && s.cell != image.Point{}:
		return sixelGraphics
	}
	return none
}

// Pending returns the sequence to write to the terminal, once. changed reports whether pictures are ready that
// were painted in another way.
func (s *PictureScreen) Pending() (sequence string, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sequence, changed = s.pending.String(), s.changed
	s.pending.Reset()
	s.changed = false
	return sequence, changed
}

// Waiting reports whether Pending has something.
func (s *PictureScreen) Waiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending.Len() > 0 || s.changed
}

// Rows returns rows of cells with an image, as large as it fits into w by h cells, and their width. It returns
// nil while the image cannot be drawn.
func (s *PictureScreen) Rows(img image.Image, w, h int) (rows []string, width int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.protocol {
	case unknown:
		s.protocol = asked
		s.pending.WriteString(query)
		return nil, 0
	case asked, none:
		return nil, 0
	}
	size := s.fit(img.Bounds(), min(w, maxCells), min(h, maxCells))
	p := s.find(img)
	switch {
	case p.busy:
		return nil, 0
	case !p.ready || p.size != size && s.protocol != kittyGraphics:
		s.prepare(p, size)
		return nil, 0
	case p.size != size:
		p.size = size
		s.pending.WriteString(put(p))
	}
	if s.protocol == kittyGraphics {
		return placeholders(p), size.X
	}
	return blanks(p), size.X
}

// fit returns the size of a picture in cells: at most one pixel per pixel.
func (s *PictureScreen) fit(b image.Rectangle, w, h int) image.Point {
	cell := s.cell
	if cell == (image.Point{}) {
		cell = image.Pt(10, 20)
	}
	scale := min(float64(w*cell.X)/float64(b.Dx()), float64(h*cell.Y)/float64(b.Dy()))
	if scale > 1 {
		scale = max(1, min(scale, float64(8*cell.X)/float64(b.Dx()))) // a small one is shown larger, up to a few cells
	}
	return image.Pt(max(1, int(scale*float64(b.Dx())/float64(cell.X)+0.5)), max(1, int(scale*float64(b.Dy())/float64(cell.Y)+0.5)))
}

// find returns the picture of an image, or a new one.
func (s *PictureScreen) find(img image.Image) *picture {
	for i, p := range s.images {
		if p.source == img {
			s.images = append(append(s.images[:i:i], s.images[i+1:]...), p)
			return p
		}
	}
	if len(s.images) >= maxImages && !s.images[0].busy {
		if s.protocol == kittyGraphics {
			s.pending.WriteString(remove(s.images[0].id))
		}
		s.images = s.images[1:]
	}
	p := &picture{source: img, id: s.nextID}
	s.nextID = s.nextID%maxCells + 1
	s.images = append(s.images, p)
	return p
}

// prepare encodes a picture on another goroutine.
func (s *PictureScreen) prepare(p *picture, size image.Point) {
	p.busy = true
	protocol, cell := s.protocol, s.cell
	s.run(func() {
		var strips []string
		sequence := ""
		switch protocol {
		case kittyGraphics:
			sequence = transmit(p.source, p.id)
		case iterm2Images:
			strips = iterm2Strips(p.source, size, cell)
		default:
			strips = sixelStrips(p.source, size, cell)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		p.busy, p.ready, p.size, p.strips = false, true, size, strips
		if protocol == kittyGraphics {
			s.pending.WriteString(sequence + put(p))
		}
		s.changed = true
	})
}

// Close returns what removes the pictures from the terminal.
func (s *PictureScreen) Close() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	sequence := ""
	for _, p := range s.images {
		if s.protocol == kittyGraphics && p.ready {
			sequence += remove(p.id)
		}
	}
	return sequence
}

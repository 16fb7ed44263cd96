package detail

import (
	"mcptea/client/jsonrpc"
	"mcptea/record/store"
	"mcptea/ui/doc"
	"mcptea/ui/frames"
	"mcptea/ui/jsonview"
	"mcptea/ui/widget"
)

// loaded is a frame that was read.
type loaded struct {
	row  int32
	body []byte
	view *jsonview.View
	// fault describes the defects of a broken frame.
	fault jsonrpc.Envelope
	err   error
	// other is the other frame in the tree, or nil.
	other *loaded

	idle *widget.HexView // bytes of the half without the cursor; nil until they are displayed
}

// bytes returns the view of the bytes in the half without the cursor.
func (l *loaded) bytes(m Mode) *widget.HexView {
	if l.idle == nil {
		l.idle = widget.NewHex(l.body)
	}
	l.idle.SetMode(hexModes[m])
	return l.idle
}

func load(s *store.Store, row int32) loaded {
	l := read(s, row, 1<<62)
	if other := partner(s, row); l.err == nil && other != store.None {
		o := read(s, other, smallFrame)
		l.other = &o
	}
	return l
}

// read reads a frame, or only its first most bytes. If the cursor moves to the second half of the
// pane, the pane reads the rest of the frame there.
func read(s *store.Store, row int32, most int) loaded {
	body, err := s.Head(row, most)
	l := loaded{row: row, body: body, err: err}
	if err == nil {
		if l.view = frames.Tree(body); l.view != nil {
			l.view.FoldEnvelope()
		}
		if info, ok := s.Row(row); ok && info.Fault != jsonrpc.FaultNone {
			l.fault = jsonrpc.Scan(body)
		}
	}
	return l
}

// partner returns the request of a response, or the response of a request, or None.
func partner(s *store.Store, row int32) int32 {
	if r, ok := s.Row(row); ok && (r.Kind == jsonrpc.Request || r.IsAnswer()) {
		return r.Pair
	}
	return store.None
}

// accept displays a frame that was read.
func (p *Pane) accept(l loaded, info store.Row) {
	if l.row != p.wanted {
		return // the user has selected another row
	}
	if p.row != l.row {
		p.begin(l.row, info)
	}
	if p.loaded = l; l.err != nil {
		p.target = nil
		return
	}
	p.stack(l.other)
	p.startShowing()
	if p.info.IsFrame() && l.fault.Fault != jsonrpc.FaultNone {
		p.view.SelectOffset(l.fault.At)
		p.hex.Mark(l.fault.At, min(l.fault.At+1, len(l.body)))
	}
	p.point()
}

// begin switches to a row whose frame is not read yet.
func (p *Pane) begin(row int32, info store.Row) {
	// A row that is not a frame has only one mode. The next frame gets the earlier mode again.
	was := p.row != store.None && !p.info.IsFrame()
	switch is := !info.IsFrame(); {
	case is && !was:
		p.then = p.mode
	case was && !is:
		p.mode = p.then
	}
	switch same := was && p.info.Kind == info.Kind; {
	case same:
	case info.Kind == store.KindExchange, info.Kind == store.KindDelivery:
		p.mode = HTTP
	case info.Kind == store.KindProcess:
		p.mode = Text
	}
	p.loaded, p.info, p.pairing = loaded{row: row}, info, store.None
	p.hex, p.text, p.both = nil, doc.Scroll{}, doc.Scroll{}
	if !p.has(p.mode) {
		p.mode = Tree
	}
}

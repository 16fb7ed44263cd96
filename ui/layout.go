package ui

// part is a part of the screen that can have the focus, in the order in which tab goes
// through them.
type part uint8

// The parts.
const (
	partTab part = iota
	partPins
	partTraffic
	partDetail
	partComposer
)

// rect is a rectangle of the screen, in cells.
type rect struct{ x, y, w, h int }

func (r rect) empty() bool { return r.w <= 0 || r.h <= 0 }

func (r rect) has(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// The layout is that of a large screen, which shrinks without steps: the tab
// above, the traffic below it, the selected frame beside the traffic where there
// is room.
const (
	minWidth, minHeight = 40, 10
	// wideWidth is from where labels are written out.
	wideWidth = 100
	// stripHeight is the traffic of the smallest screen that shows it below a tab:
	// four frames and a border. stripBody is the body that it takes.
	stripHeight, stripBody = 6, 16
	// pageTraffic is what is left of it under a tab whose page needs the room.
	pageTraffic = 6
	// From these the selected frame stands beside the traffic below a tab, and a
	// frame that was opened beside the traffic alone.
	besideWidth, besideHeight = 120, 10
	splitWidth                = 90
	// wholeTab is the height of the screen up to which the problems have the body to
	// themselves.
	wholeTab = 28
	// wholeBody is up to where the traffic with the focus has the body to itself.
	wholeBody = 26
)

// arrangement is all that the layout depends on.
type arrangement struct {
	w, h     int
	focus    part
	zoom     bool // the focus has the body to itself
	whole    bool // the tab takes the body for itself while it has the focus
	tall     bool // the tab is one to read, and takes more of the body
	detail   bool // a frame is shown in full
	view     bool // the traffic is a view that takes the whole body
	composer int  // rows that the composer wants; 0 when it is closed
	pending  int  // pending requests to be shown
	pins     int  // rows that the pins want below the tab; 0 for none
	page     int  // rows that the tab needs to be seen whole; 0 for its usual share
}

// layout is where everything goes. An empty rectangle is not drawn.
type layout struct {
	header, tabs, footer                 rect
	tab, pins, traffic, detail, composer rect
	pending                              rect
}

// arrange computes the layout. It depends on its argument alone.
func arrange(a arrangement) layout {
	var l layout
	if a.w < minWidth || a.h < minHeight {
		return l
	}
	l.header = rect{0, 0, a.w, 1}
	l.tabs = rect{0, 1, a.w, 1}
	l.footer = rect{0, a.h - 1, a.w, 1}
	body := rect{0, 2, a.w, a.h - 3}
	if a.zoom || a.view && a.focus == partTraffic {
		*l.region(a.focus) = body
		return l
	}
	if a.composer > 0 && a.focus == partComposer {
		l.composer = body
		return l
	}
	if a.composer > 0 && body.h > wholeBody {
		l.composer = body.cutBottom(min(a.composer, body.h/2))
	}
	inTraffic := a.focus == partTraffic || a.focus == partDetail
	// On a small screen the strip of the traffic below a tab shows them.
	if a.pending > 0 && (body.h > wholeBody || inTraffic) {
		h := min(a.pending, 1+max(0, body.h-20)/6, 3) + 2
		if body.h-h >= 8 {
			l.pending = body.cutBottom(h)
		}
	}
	l.divide(body, a, inTraffic)
	return l
}

// divide gives the body to the tab, the traffic and the frame.
func (l *layout) divide(body rect, a arrangement, inTraffic bool) {
	switch {
	case a.whole && a.focus == partTab && !a.detail:
		l.tab = body
	case a.detail && body.w >= splitWidth:
		l.traffic, l.detail = body.cutLeft(body.w * 43 / 100)
	case a.detail && (inTraffic || a.focus == partComposer), a.focus == partDetail && !beside(body, a):
		l.detail = body
	case a.focus == partTraffic && body.h <= wholeBody, body.h < stripBody && a.focus == partComposer:
		l.traffic = body
	case body.h < stripBody && a.focus == partPins:
		l.pins = body
	case body.h < stripBody:
		l.tab = body
	default:
		below, pins := lowerHeight(body.h, a), 0
		if a.pins > 0 {
			below, pins = pinsHeight(body.h, below, a.pins)
		}
		lower := body.cutBottom(below)
		l.pins = body.cutBottom(pins)
		l.tab, l.traffic = body, lower
		if pins == 0 && a.focus == partPins {
			l.tab, l.pins = rect{}, body
		}
		if lower.w >= besideWidth && lower.h >= besideHeight {
			l.traffic, l.detail = lower.cutLeft(lower.w * 62 / 100)
		}
	}
}

// beside reports whether the frame stands beside the traffic below a tab.
func beside(body rect, a arrangement) bool {
	return body.w >= besideWidth && body.h >= stripBody && lowerHeight(body.h, a) >= besideHeight
}

// lowerHeight is the height of the traffic below a tab: six rows of a body of
// 21, and from there on two rows of every three.
func lowerHeight(body int, a arrangement) int {
	share := 2
	if a.tall {
		share = 1
	}
	h := stripHeight + max(0, body-21)*share/3
	if a.page > 0 {
		h = max(pageTraffic, min(h, body-a.page))
	}
	return h
}

const (
	// leastPins is the height of a few pins with a border; leastTab what is left of a
	// list and its detail above them.
	leastPins, leastTab = 7, 13
)

// pinsHeight divides what is below the tab between traffic and pins, which want some
// rows: they have none where they would take the room of the tab.
func pinsHeight(body, below, wanted int) (traffic, pins int) {
	traffic = stripHeight + max(0, below-stripHeight)/3
	pins = min(wanted, max(body/3, leastPins))
	if body-traffic-pins < leastTab {
		return below, 0
	}
	return traffic, pins
}

func (l *layout) region(r part) *rect {
	switch r {
	case partPins:
		return &l.pins
	case partTraffic:
		return &l.traffic
	case partDetail:
		return &l.detail
	case partComposer:
		return &l.composer
	}
	return &l.tab
}

// cutBottom takes rows off and returns them.
func (r *rect) cutBottom(h int) rect {
	h = max(0, min(h, r.h))
	r.h -= h
	return rect{r.x, r.y + r.h, r.w, h}
}

func (r rect) cutLeft(w int) (left, right rect) {
	return rect{r.x, r.y, w, r.h}, rect{r.x + w, r.y, r.w - w, r.h}
}

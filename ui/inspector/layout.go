package inspector

import (
	"mcptea/ui/program"
)

// slot is a part of the screen that can have the focus, in the order in which tab goes
// through them.
type slot uint8

// The slots.
const (
	slotTab slot = iota
	slotPins
	slotTraffic
	slotDetail
	slotComposer
	slots
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
	// leastLesson is the height from which on the lesson is shown: it takes a row of the panes.
	leastLesson = 20
	// wideWidth is from where labels are written out.
	wideWidth = 100
	// stripHeight is the traffic of the smallest screen that shows it below a tab:
	// four frames and a border. stripBody is the body that it takes.
	stripHeight, stripBody = 6, 16
	// From these the selected frame stands beside the traffic below a tab, and a
	// frame that was opened beside the traffic alone.
	besideWidth, besideHeight = 120, 10
	splitWidth                = 90
	// From these the traffic is a column at the right of the tab, over the frame.
	columnWidth, columnHeight = 170, 2 * besideHeight
	// wholeTab is the height of the screen up to which the problems have the body to
	// themselves.
	wholeTab = 28
	// wholeBody is up to where the traffic with the focus has the body to itself.
	wholeBody = 26
)

// arrangement is all that the layout depends on.
type arrangement struct {
	w, h     int
	focus    slot
	zoom     bool // the focus has the body to itself
	lesson   bool // a step of a lesson is shown
	whole    bool // the tab takes the body for itself while it has the focus
	tall     bool // the tab is one to read, and takes more of the body
	detail   bool // a frame is shown in full
	view     bool // the traffic is a view that takes the whole body
	composer int  // rows that the composer wants; 0 when it is closed
	pins     int  // rows that the pins want below the tab; 0 for none
	wish     int  // rows that the part with the focus wants for its content; 0 for its usual share
	borders
}

// borders are the places of the borders between the panes, as the user has set them, as parts of the
// body: of the one across it, which is before the traffic or the frame, and of the one over the
// traffic. 0 lets the content decide.
type borders struct{ across, over float64 }

// leastPart is what a part keeps where the user moves its border.
const leastPart = 24

// set is the place of a border in n cells, where the content wants it at another place.
func set(share float64, wants, n, least int) int {
	if share == 0 {
		return wants
	}
	return min(max(int(share*float64(n)+0.5), least), n-least)
}

// layout is where everything goes. An empty rectangle is not drawn.
type layout struct {
	header, tabs, lesson, footer         rect
	tab, pins, traffic, detail, composer rect
}

// arrange computes the layout. It depends on its argument alone.
//
// The part with the focus gets the rows that its content wants ([app.Sized]), the others keep their
// least; while the focus stays, the wish only grows. A border between parts beside each other has one
// place for each screen and size of the window: the user alone moves it, not the focus, a selection, a
// filter or a result. Nothing is folded while there is room.
func arrange(a arrangement) layout {
	var l layout
	if a.w < program.MinWidth || a.h < program.MinHeight {
		return l
	}
	l.header = rect{0, 0, a.w, 1}
	l.tabs = rect{0, 1, a.w, 1}
	l.footer = rect{0, a.h - 1, a.w, 1}
	if a.lesson && a.h >= leastLesson {
		l.lesson = rect{0, a.h - 2, a.w, 1}
	}
	body := l.body()
	if a.zoom || a.view && a.focus == slotTraffic {
		*l.region(a.focus) = body
		return l
	}
	if a.composer > 0 && a.focus == slotComposer {
		l.composer = body
		return l
	}
	if a.composer > 0 && body.h > wholeBody {
		l.composer = body.cutBottom(min(a.composer, body.h/2))
	}
	l.divide(body, a)
	return l
}

// body is what is between the tabs and the last row, or the lesson above it.
func (l *layout) body() rect {
	return rect{0, l.tabs.y + 1, l.footer.w, l.footer.y - l.lesson.h - l.tabs.y - 1}
}

// divide gives the body to the tab, the traffic and the frame.
func (l *layout) divide(body rect, a arrangement) {
	inTraffic := a.focus == slotTraffic || a.focus == slotDetail
	switch {
	case body.w >= columnWidth && body.h >= columnHeight:
		l.column(body, a)
	case a.whole && a.focus == slotTab && !a.detail:
		l.tab = body
	case a.detail && body.w >= splitWidth:
		l.traffic, l.detail = body.cutLeft(a.beforeFrame())
	case a.detail && (inTraffic || a.focus == slotComposer), a.focus == slotDetail && !beside(body, a):
		l.detail = body
	case a.focus == slotTraffic && body.h <= wholeBody, body.h < stripBody && a.focus == slotComposer:
		l.traffic = body
	case body.h < stripBody && a.focus == slotPins:
		l.pins = body
	case body.h < stripBody:
		l.tab = body
	default:
		below, pins := lowerHeight(body.h, a), 0
		if a.pins > 0 {
			below, pins = pinsHeight(body.h, below, a)
		}
		lower := body.cutBottom(below)
		l.above(body, pins, a)
		l.traffic = lower
		if lower.w >= besideWidth && lower.h >= besideHeight {
			l.traffic, l.detail = lower.cutLeft(a.beforeFrame())
		}
	}
}

// column is the layout of a wide screen: a wide and low list shows nothing more, so that the
// traffic is a column at the right, over the frame.
func (l *layout) column(body rect, a arrangement) {
	left, right := body.cutLeft(a.besideTraffic())
	pins := 0
	if a.pins > 0 {
		_, pins = pinsHeight(left.h, 0, a)
	}
	l.above(left, pins, a)
	frame := right.h / 2
	switch a.focus {
	case slotTraffic:
		frame = max(besideHeight, min(frame, right.h-a.wish))
	case slotDetail:
		frame = min(right.h-besideHeight, max(frame, a.wish))
	}
	l.detail = right.cutBottom(frame)
	l.traffic = right
}

// above divides what is above or beside the traffic between the tab and the pins.
func (l *layout) above(body rect, pins int, a arrangement) {
	l.pins = body.cutBottom(pins)
	l.tab = body
	if pins == 0 && a.focus == slotPins {
		l.tab, l.pins = rect{}, body
	}
}

// beside reports whether the frame stands beside the traffic below a tab.
func beside(body rect, a arrangement) bool {
	return body.w >= besideWidth && body.h >= stripBody && lowerHeight(body.h, a) >= besideHeight
}

// Space follows the work: the part with the focus gets the rows and columns that its content
// wants, the others keep their least. Without such a wish each has its usual share.

// lowerHeight is the height of the traffic below a tab: usually six rows of a body of
// 21, and from there on two rows of every three.
func lowerHeight(body int, a arrangement) int {
	return body - set(a.over, body-wantedHeight(body, a), body, stripHeight)
}

func wantedHeight(body int, a arrangement) int {
	share := 2
	if a.tall {
		share = 1
	}
	h, least := stripHeight+max(0, body-21)*share/3, stripHeight
	if a.w >= besideWidth && h >= besideHeight && !a.tall {
		least = besideHeight // the frame stays beside it
	}
	switch a.focus {
	case slotTraffic, slotDetail:
		return max(h, min(a.wish, body-leastTab))
	case slotTab:
		return max(least, min(h, body-a.wish))
	}
	return h
}

// The borders across the body have one place for each size of the window: neither the focus nor what
// the parts show moves them. The user can, and what the user has set stays.

// besideTraffic is the width of the tab beside a column of traffic and frame: the larger part, since a list has its
// detail beside it.
func (a *arrangement) besideTraffic() int { return set(a.across, a.w*tabShare/100, a.w, leastPart) }

// beforeFrame is the width of the traffic beside a frame: below a tab it has the larger part, since
// its rows are long, and beside a frame that is read in full half.
func (a *arrangement) beforeFrame() int {
	at := a.w * trafficShare / 100
	if a.detail {
		at = a.w / 2
	}
	return set(a.across, at, a.w, leastPart)
}

const (
	// leastPins is the height of a few pins with a border; leastTab what is left of a
	// list and its detail above them.
	leastPins, leastTab = 7, 13
	// tabShare is what a tab has of the width beside the traffic, and trafficShare what the traffic has of the width beside a frame, in percent.
	tabShare, trafficShare = 62, 62
)

// pinsHeight divides what is below the tab between traffic and pins: they have nothing where
// they would take the room of the tab. Without traffic below the tab, below is 0.
func pinsHeight(body, below int, a arrangement) (traffic, pins int) {
	if below > 0 {
		traffic = stripHeight + max(0, below-stripHeight)/3
	}
	pins = min(a.pins, max(body/3, leastPins))
	if a.focus == slotPins {
		pins = max(pins, min(a.wish, body-traffic-leastTab))
	}
	if body-traffic-pins < leastTab {
		return below, 0
	}
	return traffic, pins
}

func (l *layout) region(r slot) *rect {
	switch r {
	case slotPins:
		return &l.pins
	case slotTraffic:
		return &l.traffic
	case slotDetail:
		return &l.detail
	case slotComposer:
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

// cutLeft divides it for boxes that share a line: the last column of the left one is the first of the
// right one.
func (r rect) cutLeft(w int) (left, right rect) {
	return rect{r.x, r.y, w, r.h}, rect{r.x + w - 1, r.y, r.w - w + 1, r.h}
}

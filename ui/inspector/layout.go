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

// The layout is that of a large screen, which shrinks without steps: the tab above, the traffic below it over
// the whole width. Traffic with the focus has the body: the list over the selected frame, or beside it.
const (
	// leastLesson is the height from which on the lesson is shown: it takes a row of the panes.
	leastLesson = 20
	// wideWidth is from where labels are written out.
	wideWidth = 100
	// stripHeight is the traffic of the smallest screen that shows it below a tab:
	// four frames and a border. stripBody is the body that it takes.
	stripHeight, stripBody = 6, 16
	// roomyStrip is that of a screen that is not small: five exchanges under a heading.
	roomyStrip = 8
	// From these the traffic is a column at the right of the tab, over the frame; and with the focus the list is beside
	// the frame.
	columnWidth, columnHeight = 170, 20
	// From these the list with the focus is over the selected frame: request and response beside each other, or from
	// tallBody on under each other.
	overWidth, overBody, tallBody = 100, 18, 28
	// leastList is what a list keeps over a frame, and leastFrame what a frame keeps.
	leastList, leastFrame = 8, 9
	// wholeTab is the height of the screen up to which the problems, and the page of a failure, have the body to
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
	detail   bool // a frame is shown in full
	view     bool // the traffic is a view that takes the whole body
	composer int  // rows that the composer wants; 0 when it is closed
	pins     bool // the pins are open: they have the place of the traffic
	wish     int  // rows that the pins need with the focus, or 0
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
// A border has one place for each size of the window: the user alone moves it, not the focus, a selection, a filter or a
// result. What wants the whole body has it: the traffic with the focus, and what is zoomed.
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
	case inTraffic || a.detail:
		l.whole(body, a)
	case body.w >= columnWidth && body.h >= columnHeight:
		l.column(body, a)
	case a.whole && a.focus == slotTab:
		l.tab = body
	case body.h < stripBody && a.focus == slotComposer:
		l.traffic = body
	case body.h < stripBody && a.focus == slotPins:
		l.pins = body
	case body.h < stripBody:
		l.tab = body
	default:
		l.dock(a, body.cutBottom(a.dockHeight(body.h)))
		l.tab = body
	}
}

// dock gives what is below the tab or at its right to the traffic, or to the pins while they are open.
func (l *layout) dock(a arrangement, at rect) {
	if a.pins {
		l.pins = at
	} else {
		l.traffic = at
	}
}

// whole gives the body to the traffic: the list over the selected frame, beside it on a wide screen, and on a small one
// what has the focus.
func (l *layout) whole(body rect, a arrangement) {
	switch {
	case body.w >= columnWidth && body.h >= columnHeight:
		l.traffic, l.detail = body.cutLeft(a.larger())
	case body.h >= tallBody, body.w >= overWidth && body.h >= overBody:
		list := body.h * 3 / 5
		if a.detail || a.focus == slotDetail {
			list = body.h / 3
		}
		list = min(max(set(a.over, list, body.h, leastList), leastList), body.h-leastFrame)
		l.detail = body.cutBottom(body.h - list)
		l.traffic = body
	case a.focus == slotTraffic && !a.detail:
		l.traffic = body
	default:
		l.detail = body
	}
}

// column is the layout of a wide screen: a wide and low list shows nothing more, so that the
// traffic is a column at the right, over the frame.
func (l *layout) column(body rect, a arrangement) {
	left, right := body.cutLeft(a.larger())
	l.tab = left
	if !a.pins {
		l.detail = right.cutBottom(right.h / 2)
	}
	l.dock(a, right)
}

// dockHeight is the height of the dock below a tab. It has one place for each size of the window, too: a tab that is left
// for another one does not move it. Only pins with the focus take the rows that they need.
func (a *arrangement) dockHeight(body int) int {
	h := stripHeight
	if body > wholeBody {
		h = roomyStrip + max(0, body-33)/3
	}
	h = body - set(a.over, body-h, body, stripHeight)
	if a.pins && a.focus == slotPins && a.over == 0 {
		h = max(h, min(a.wish, body-leastTab))
	}
	return h
}

// The borders across the body have one place for each size of the window: neither the focus nor what
// the parts show moves them. The user can, and what the user has set stays.

// larger is the width of the larger part of a body that is divided across.
func (a *arrangement) larger() int { return set(a.across, a.w*mainShare/100, a.w, leastPart) }

const (
	// leastTab is the minimum height of a list and its detail above the pins.
	leastTab = 9
	// mainShare is the larger part of the width, in percent: that of a tab beside the traffic, and that of the traffic
	// beside the frame.
	mainShare = 55
)

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

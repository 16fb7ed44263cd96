package inspector

import (
	"mcptea/ui/program"
)

// A slot is a part of the screen that can have the focus. The tab key visits them in this order.
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

// A rect is a rectangle of the screen, in cells.
type rect struct{ x, y, w, h int }

func (r rect) empty() bool { return r.w <= 0 || r.h <= 0 }

func (r rect) has(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// The layout of a large screen: the tab above, Traffic below it over the whole width. It shrinks without steps.
// With the focus, Traffic has the whole body: the list above the selected frame, or next to it.
const (
	// leastLesson is the minimum height of a screen with a lesson, which takes a row of the panes.
	leastLesson = 20
	// wideWidth is the minimum width of a screen with unabbreviated labels.
	wideWidth = 100
	// stripHeight is the height of Traffic on the smallest screen that shows it below a tab: four frames and a
	// border. stripBody is the minimum body for it.
	stripHeight, stripBody = 6, 16
	// roomyStrip is its height on larger screens: five exchanges under a heading.
	roomyStrip = 8
	// On screens of at least this size, Traffic is a column to the right of the tab, above the frame; with the
	// focus, the list is next to the frame.
	columnWidth, columnHeight = 170, 20
	// On screens of at least this size, the focused list is above the selected frame: request and response next
	// to each other, or one below the other from tallBody on.
	overWidth, overBody, tallBody = 100, 18, 28
	// leastList and leastFrame are the minimum heights of a list above a frame, and of the frame.
	leastList, leastFrame = 8, 9
	// wholeTab is the maximum height of a screen on which Problems, and the page of a failure, have the whole
	// body.
	wholeTab = 28
	// wholeBody is the maximum height of a body that the focused Traffic takes as a whole.
	wholeBody = 26
)

// An arrangement holds everything that the layout depends on.
type arrangement struct {
	w, h     int
	focus    slot
	zoom     bool // the focused pane has the whole body
	lesson   bool // a step of a lesson is shown
	whole    bool // the tab takes the whole body while it has the focus
	detail   bool // a frame is open in full
	view     bool // Traffic is a view that takes the whole body
	composer int  // rows that the composer needs, or 0 if it is closed
	pins     bool // the pins are open, instead of Traffic
	wish     int  // rows that the focused pins need, or 0
	borders
}

// borders holds the positions of the borders that the user has moved, as fractions of the body: across is the
// vertical one, before Traffic or the frame, and over is the one above Traffic. 0 means that the content
// determines the position.
type borders struct{ across, over float64 }

// leastPart is the minimum size of a part whose border the user moves.
const leastPart = 24

// set returns the position of a border in n cells; wants is the position that the content needs.
func set(share float64, wants, n, least int) int {
	if share == 0 {
		return wants
	}
	return min(max(int(share*float64(n)+0.5), least), n-least)
}

// A layout holds the rectangles of all parts. An empty rectangle is not drawn.
type layout struct {
	header, tabs, lesson, footer         rect
	tab, pins, traffic, detail, composer rect
}

// arrange computes the layout, which depends only on its argument.
//
// A border has one position for each size of the window. Only the user moves it, not the focus, a selection, a
// filter or a result. The focused Traffic and a zoomed pane have the whole body.
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

// body returns the area between the tabs and the last row, or the lesson above it.
func (l *layout) body() rect {
	return rect{0, l.tabs.y + 1, l.footer.w, l.footer.y - l.lesson.h - l.tabs.y - 1}
}

// divide divides the body between the tab, Traffic and the frame.
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

// dock assigns the area below the tab or to its right to Traffic, or to the open pins.
func (l *layout) dock(a arrangement, at rect) {
	if a.pins {
		l.pins = at
	} else {
		l.traffic = at
	}
}

// whole assigns the body to Traffic: the list above the selected frame, next to it on a wide screen, and on a
// small one only the focused part.
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

// column is the layout of a wide screen. A wide and low list would show nothing more, so Traffic is a column to
// the right, above the frame.
func (l *layout) column(body rect, a arrangement) {
	left, right := body.cutLeft(a.larger())
	l.tab = left
	if !a.pins {
		l.detail = right.cutBottom(right.h / 2)
	}
	l.dock(a, right)
}

// dockHeight returns the height of the dock below a tab. It has one value for each size of the window,
// regardless of the tab. Only focused pins take the rows that they need.
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

// The vertical borders have one position for each size of the window: neither the focus nor the content moves
// them. A position that the user sets stays.

// larger returns the width of the larger part of a horizontally divided body.
func (a *arrangement) larger() int { return set(a.across, a.w*mainShare/100, a.w, leastPart) }

const (
	// leastTab is the minimum height of a list and its detail above the pins.
	leastTab = 9
	// mainShare is the width of the larger part, in percent: the tab next to Traffic, or Traffic next to the
	// frame.
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

// cutBottom removes rows from the bottom and returns them.
func (r *rect) cutBottom(h int) rect {
	h = max(0, min(h, r.h))
	r.h -= h
	return rect{r.x, r.y + r.h, r.w, h}
}

// cutLeft divides a rectangle for boxes that share a border: the last column of the left one is the first of
// the right one.
func (r rect) cutLeft(w int) (left, right rect) {
	return rect{r.x, r.y, w, r.h}, rect{r.x + w - 1, r.y, r.w - w + 1, r.h}
}

package ui

import "mcptea/ui/action"

// rect is a part of the screen, in cells.
type rect struct{ x, y, w, h int }

func (r rect) empty() bool { return r.w <= 0 || r.h <= 0 }

func (r rect) has(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// The smallest screen that shows anything, and from where there is room for
// several regions at once, and for the detail beside the traffic.
const (
	minWidth, minHeight   = 40, 10
	wideWidth, wideHeight = 100, 28
	detailWidth           = 160
)

// leastTraffic is what a page that is to be read whole leaves the traffic.
const leastTraffic = 8

// arrangement is all that the layout depends on.
type arrangement struct {
	w, h     int
	focus    action.Region
	zoom     bool // the focus has the body to itself
	tall     bool // the tab is one to read, and takes more of the body
	detail   bool // a frame is shown large
	composer int  // rows that the composer wants; 0 when it is closed
	flights  int  // requests in flight that are to be shown
	page     int  // rows that the tab needs to be seen whole; 0 for its usual share
}

// layout is where everything goes. An empty rectangle is not drawn.
type layout struct {
	header, tabs, footer           rect
	tab, traffic, detail, composer rect
	flights                        rect
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
	small := a.w < wideWidth || a.h < wideHeight
	if a.zoom {
		*l.region(a.focus) = body
		return l
	}
	if a.composer > 0 && a.focus == action.RegionComposer {
		l.composer = body
		return l
	}
	if a.flights > 0 {
		most := 3
		if small {
			most = 1
		}
		h := min(a.flights, most) + 2
		if body.h-h >= 8 {
			l.flights = body.cutBottom(h)
		}
	}
	if a.composer > 0 && !small {
		h := min(a.composer, body.h/2)
		// The composer goes under everything, the flights stand above it.
		flights := l.flights
		if !flights.empty() {
			body.h += flights.h
		}
		l.composer = body.cutBottom(h)
		if !flights.empty() {
			l.flights = body.cutBottom(flights.h)
		}
	}
	if small {
		one := a.focus
		if one == action.RegionComposer {
			one = action.RegionTraffic
		}
		if one == action.RegionTraffic && a.detail {
			one = action.RegionDetail
		}
		*l.region(one) = body
		return l
	}
	l.split(body, a)
	return l
}

// split fills the body of a wide screen.
func (l *layout) split(body rect, a arrangement) {
	if a.detail {
		l.traffic, l.detail = body.cutLeft(body.w * 43 / 100)
		return
	}
	share := 47
	if a.tall {
		share = 62
	}
	h := max(10, body.h*share/100, min(a.page, body.h-leastTraffic))
	lower := body.cutBottom(body.h - h)
	l.tab = body
	l.traffic = lower
	if a.w >= detailWidth {
		l.traffic, l.detail = lower.cutLeft(lower.w * 60 / 100)
	}
}

func (l *layout) region(r action.Region) *rect {
	switch r {
	case action.RegionTraffic:
		return &l.traffic
	case action.RegionDetail:
		return &l.detail
	case action.RegionComposer:
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

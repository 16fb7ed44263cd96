package apps

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/offer/declared"
)

// Host holds the information about the host that an app receives and the user can change while the app is open;
// see hostContext in the specification.
type Host struct {
	Theme    string // "light" or "dark"
	Display  string // "inline", "fullscreen" or "pip"
	Locale   string // BCP 47, such as "en-US"
	TimeZone string // IANA, such as "Europe/Berlin"
	// Width is the width of the frame, and MaxHeight the limit of its height, which the app chooses. Both are
	// in CSS pixels and for the display mode inline.
	Width, MaxHeight int
	window           Size // size of the browser's window; zero before it is reported
}

// Size is in CSS pixels.
type Size struct{ Width, Height int }

// The size of the frame until the app reports one, and its bounds.
const (
	startWidth     = 720
	startHeight    = 320
	startMaxHeight = 1200
	minSide        = 100
	maxSide        = 10_000
)

var displayModes = []string{"inline", "fullscreen", "pip"}

// DisplayModes returns all display modes. The caller owns the slice.
func DisplayModes() []string { return slices.Clone(displayModes) }

// complete sets the defaults.
func (h *Host) complete() {
	if h.Theme != "light" {
		h.Theme = "dark"
	}
	if !slices.Contains(displayModes, h.Display) {
		h.Display = "inline"
	}
	if h.Locale == "" {
		h.Locale = localeOf(os.Getenv)
	}
	if h.TimeZone == "" {
		h.TimeZone = zone()
	}
	if h.Width == 0 {
		h.Width = startWidth
	}
	if h.MaxHeight == 0 {
		h.MaxHeight = startMaxHeight
	}
	h.Width, h.MaxHeight = bounded(h.Width), bounded(h.MaxHeight)
}

// zone returns the name of this machine's time zone, or "UTC" if the system does not name it.
func zone() string {
	if name := os.Getenv("TZ"); strings.Contains(name, "/") {
		return strings.TrimPrefix(name, ":")
	}
	if name := time.Local.String(); name != "Local" && name != "" {
		return name
	}
	if path, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(path, "zoneinfo/"); ok {
			return name
		}
	}
	return "UTC"
}

func bounded(side int) int { return min(max(side, minSide), maxSide) }

// localeOf returns the locale of an environment as a BCP 47 tag, or "en-US".
func localeOf(environ func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		tag, _, _ := strings.Cut(environ(name), ".")
		tag = strings.ReplaceAll(tag, "_", "-")
		if tag != "" && tag != "C" && tag != "POSIX" {
			return tag
		}
	}
	return "en-US"
}

// mayShow reports whether the app supports a display mode: one that it declares, or any if it declares none.
// The caller holds a.mu.
func (a *App) mayShow(mode string) bool {
	return mode == "inline" || a.state.Modes == nil || slices.Contains(a.state.Modes, mode)
}

// context returns the host context. The caller holds a.mu.
func (a *App) context() map[string]any {
	st := &a.state
	info := map[string]any{"tool": raw(a.tool.Raw)}
	if st.CallID.Present() {
		info["id"] = raw(st.CallID.Bytes())
	}
	modes := []string{}
	for _, mode := range displayModes {
		if a.mayShow(mode) {
			modes = append(modes, mode)
		}
	}
	cfg := a.s.Config().Client
	return map[string]any{
		"toolInfo": info, "theme": st.Theme, "styles": map[string]any{"variables": variables(st.Theme)},
		"displayMode": st.Display, "availableDisplayModes": modes, "containerDimensions": a.dimensions(),
		"locale": st.Locale, "timeZone": st.TimeZone, "userAgent": cfg.Name + "/" + cfg.Version, "platform": "desktop",
		"deviceCapabilities": map[string]bool{"touch": false, "hover": true},
		"safeAreaInsets":     map[string]int{"top": 0, "right": 0, "bottom": 0, "left": 0},
	}
}

// dimensions returns the dimensions of the app's container. The caller holds a.mu.
func (a *App) dimensions() map[string]int {
	st := &a.state
	switch {
	case st.Display == "fullscreen" && st.window.Width > 0:
		return map[string]int{"width": st.window.Width, "height": max(0, st.window.Height-headerHeight)}
	case st.Display == "pip":
		return map[string]int{"width": pipWidth, "height": pipHeight}
	}
	return map[string]int{"width": st.Width, "maxHeight": st.MaxHeight}
}

// The sizes that the page has in its style.
const (
	headerHeight = 42
	pipWidth     = 360
	pipHeight    = 240
)

// capabilities returns the capabilities of the host.
func (a *App) capabilities() map[string]any {
	if a.o.Bare {
		return map[string]any{}
	}
	text := map[string]any{"text": struct{}{}, "image": struct{}{}, "audio": struct{}{}, "resource": struct{}{}, "resourceLink": struct{}{}, "structuredContent": struct{}{}}
	granted := map[string]any{}
	if a.doc.CSP != nil {
		granted["csp"] = a.doc.CSP.Granted()
	}
	permissions := map[string]any{}
	for _, name := range a.doc.Permissions {
		if declared.Allow([]string{name}) != "" { // no host knows the others
			permissions[name] = struct{}{}
		}
	}
	granted["permissions"] = permissions
	handshake := a.s.State().Handshake
	of := func(capability string) any {
		if handshake.HasCapability(capability, "listChanged") {
			return map[string]bool{"listChanged": true}
		}
		return struct{}{}
	}
	all := map[string]any{
		"serverTools": of("tools"), "serverResources": of("resources"), "logging": struct{}{},
		"sandbox": granted, "message": text, "updateModelContext": text,
	}
	if a.o.OpenLink != nil {
		all["openLinks"] = struct{}{}
	}
	if a.o.Save != nil {
		all["downloadFile"] = struct{}{}
	}
	return all
}

// SetTheme changes the theme, to "light" or "dark".
func (a *App) SetTheme(theme string) {
	if theme != "light" && theme != "dark" {
		return
	}
	a.change(func(st *State) { st.Theme = theme }, func() map[string]any {
		return map[string]any{"theme": theme, "styles": map[string]any{"variables": variables(theme)}}
	})
}

// SetDisplay changes the display mode. It fails if the app does not support the mode.
func (a *App) SetDisplay(mode string) error {
	a.mu.Lock()
	ok := slices.Contains(displayModes, mode) && a.mayShow(mode)
	a.mu.Unlock()
	if !ok {
		return fmt.Errorf("the app does not support the display mode %s", mode)
	}
	a.display(mode)
	return nil
}

func (a *App) display(mode string) {
	a.change(func(st *State) { st.Display = mode }, func() map[string]any {
		return map[string]any{"displayMode": mode, "containerDimensions": a.dimensions()}
	})
}

// SetSize changes the width of the frame and the limit of its height.
func (a *App) SetSize(width, maxHeight int) {
	a.change(func(st *State) {
		st.Width, st.MaxHeight = bounded(width), bounded(maxHeight)
		st.Shown = Size{st.Width, min(st.Shown.Height, st.MaxHeight)}
		st.SizeLoop, a.sizes = false, nil
	}, func() map[string]any { return map[string]any{"containerDimensions": a.dimensions()} })
}

// SetLocale changes the locale, a BCP 47 tag, and the time zone, an IANA name.
func (a *App) SetLocale(locale, timeZone string) {
	a.change(func(st *State) { st.Locale, st.TimeZone = locale, timeZone }, func() map[string]any {
		return map[string]any{"locale": locale, "timeZone": timeZone}
	})
}

// change changes the host, and tells an app that is initialized what of the context is
// different. Both functions are called with the lock.
func (a *App) change(do func(*State), different func() map[string]any) {
	a.mu.Lock()
	do(&a.state)
	tell := a.state.Phase == Ready
	members := different()
	a.mu.Unlock()
	a.show()
	if tell {
		a.notification("ui/notifications/host-context-changed", members)
	}
	a.notify()
}

// resized sets the size of the browser window.
func (a *App) resized(window Size) {
	a.mu.Lock()
	full := a.state.Display == "fullscreen" && a.state.window != window
	a.mu.Unlock()
	if !full {
		a.update(func(st *State) { st.window = window })
		return
	}
	a.change(func(st *State) { st.window = window }, func() map[string]any { return map[string]any{"containerDimensions": a.dimensions()} })
}

const (
	// sizeStep is the difference of a size that is ignored, in CSS pixels.
	sizeStep = 4
	// An app that changes its size more than maxSizes times within sizeWindow does so because
	// its size was changed.
	maxSizes   = 20
	sizeWindow = 2 * time.Second
)

// sizeChanged shows the app in the height that it reports.
func (a *App) sizeChanged(params []byte) {
	side := func(name string) int {
		var n float64
		_, _ = fmt.Sscan(string(jsonrpc.Get(params, name)), &n)
		return int(min(max(n, 0), maxSide))
	}
	reported := Size{side("width"), side("height")}
	a.mu.Lock()
	st := &a.state
	st.Reported = reported
	height := min(bounded(reported.Height), st.MaxHeight)
	step := height - st.Shown.Height
	moves := reported.Height > 0 && (step > sizeStep || step < -sizeStep) && !st.SizeLoop
	if moves {
		now := time.Now()
		a.sizes = slices.DeleteFunc(append(a.sizes, now), func(at time.Time) bool { return now.Sub(at) > sizeWindow })
		st.SizeLoop = len(a.sizes) > maxSizes
		st.Shown.Height = height
	}
	a.mu.Unlock()
	if moves {
		a.show()
	}
}

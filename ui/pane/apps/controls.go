package apps

import (
	"cmp"
	"fmt"
	"slices"

	"mcptea/session/apps"
)

// The values that a setting goes through.
var (
	widths  = []int{320, 480, 720, 1200}
	heights = []int{300, 600, 1200, 5000}
	locales = []string{"en-US", "de-DE", "ja-JP", "ar-EG"}
)

// following returns the value after the given one in a list, wrapping around.
func following[T comparable](list []T, now T) T {
	return list[(slices.Index(list, now)+1)%len(list)]
}

// controls returns the host settings of an app, and the messages that can be sent to it.
func controls(of int) []*row {
	rows := []*row{
		{heading: "host"},
		{
			label: "theme", value: func(st *apps.State) string { return st.Theme },
			help: "Light or dark, with the colors of the specification. The app is notified with ui/notifications/host-context-changed.",
			do: func(a *apps.App, st *apps.State) error {
				a.SetTheme(following([]string{"dark", "light"}, st.Theme))
				return nil
			},
		},
		{
			label: "display", value: func(st *apps.State) string { return st.Display },
			help: "How the app is shown: inline, over the whole page, or as a small window. Only modes that the app declares are chosen.",
			do: func(a *apps.App, st *apps.State) error {
				displays := apps.DisplayModes()
				next := following(displays, st.Display)
				for next != "inline" && st.Modes != nil && !slices.Contains(st.Modes, next) {
					next = following(displays, next)
				}
				if next == st.Display {
					return fmt.Errorf("the app declares no other display mode than %s", next)
				}
				return a.SetDisplay(next)
			},
		},
		{
			label: "width", value: func(st *apps.State) string { return fmt.Sprintf("%d px", st.Width) },
			help: "The width of the frame: a phone, a side bar, a chat or a desk.",
			do: func(a *apps.App, st *apps.State) error {
				a.SetSize(following(widths, st.Width), st.MaxHeight)
				return nil
			},
		},
		{
			label: "maximum height", value: func(st *apps.State) string { return fmt.Sprintf("%d px", st.MaxHeight) },
			help: "How high the frame may become. The app reports its height with ui/notifications/size-changed.",
			do: func(a *apps.App, st *apps.State) error {
				a.SetSize(st.Width, following(heights, st.MaxHeight))
				return nil
			},
		},
		{
			label: "locale", value: func(st *apps.State) string { return st.Locale + ", " + st.TimeZone },
			help: "The language and region that the app receives, as a BCP 47 tag.",
			do: func(a *apps.App, st *apps.State) error {
				a.SetLocale(following(locales, st.Locale), st.TimeZone)
				return nil
			},
		},
		{heading: "send"},
	}
	for _, k := range apps.Kinds() {
		rows = append(rows, &row{
			key: "send " + string(k), label: string(k), value: func(st *apps.State) string {
				if k == apps.SendResult && !st.Outcome {
					return "the call has no result yet"
				}
				return kinds[k].value
			}, help: kinds[k].help,
			do: func(a *apps.App, _ *apps.State) error { return a.Send(k) },
		})
	}
	for _, r := range rows {
		r.of = of
		r.key = fmt.Sprintf("%s %d", cmp.Or(r.key, r.heading+r.label), of)
	}
	return rows
}

// kinds describes the messages that can be sent.
var kinds = map[apps.Kind]struct{ value, help string }{
	apps.SendInput:     {"again", "ui/notifications/tool-input again. The specification allows one: see what the app does with a second."},
	apps.SendPartial:   {"the first half", "ui/notifications/tool-input-partial with the first half of the arguments, as while a model writes them."},
	apps.SendResult:    {"again", "ui/notifications/tool-result again, with the same bytes."},
	apps.SendCancelled: {"instead of a result", "ui/notifications/tool-cancelled: the user or the host has ended the call."},
	apps.SendTeardown:  {"ui/resource-teardown", "The app is asked to shut down, has a second to respond, and is closed."},
	apps.SendPing:      {"", "A ping, which each side must respond to."},
	apps.SendTools:     {"of the app", "The tools that the app itself offers to the host (draft)."},
}

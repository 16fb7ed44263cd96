package inspector

import (
	"slices"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/sessiontest"
	"mcptea/record/filter"
	"mcptea/session/session"
	"mcptea/themes"
	"mcptea/ui/program"
)

// withFilters drives the inspector with named filters, one of them on a key and one active.
func withFilters(t *testing.T, w, h int, script func(d *driver)) {
	names, err := filter.NewNames("config.yaml", []filter.Named{
		{Name: "lists", Text: "method:tools/list or method:prompts/list", Line: 2}, {Name: "lists-out", Text: "@lists dir:out", Line: 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	driveWith(t, w, h, func() (*session.Session, error) {
		return session.Open(session.Config{
			Target: client.Target{Argv: []string{"demo-server"}}, Record: "off", Lists: client.ListKinds, Client: client.Config{Name: "mcptea", Version: "test"},
			Dial: func(tap client.Tap, cfg client.Config) *client.Client {
				return client.NewOver(inmemory.New(sessiontest.Demo(demo.Options{Offers: sessiontest.Fixed})), tap, cfg)
			},
		})
	}, func(*session.Session) Options {
		return Options{Options: program.Options{Themes: &themes.Catalog{}, Keys: map[string][]string{"filter.lists": {"E"}, "filter.lists-out": {"x"}}}, Own: Own{Filters: names}, Filter: "@lists-out"}
	}, func(d *driver) {
		d.within(func() {
			if err := d.model.Prepare(); err != nil {
				t.Error(err)
			}
		})
		script(d)
	})
}

func TestFilters_AtTheStartAndOnKeys(t *testing.T) {
	withFilters(t, 160, 45, func(d *driver) {
		d.sees("/ @lists-out")
		d.press("E")
		d.sees("/ @lists")
		d.lacks("@lists-out")
		if d.model.focus != slotTraffic {
			t.Errorf("the focus is %v", d.model.focus)
		}
		d.press("1x") // in a pane that has a command of its own on x elsewhere
		d.sees("/ @lists-out")
		d.press("9<esc>")
		d.lacks("@lists")
	})
}

func TestFilters_TabCompletesAndTheWindowChooses(t *testing.T) {
	withFilters(t, 120, 36, func(d *driver) {
		d.press("9<esc>/@")
		d.sees("@lists", "method:tools/list or method:prompts/list", "@lists dir:out")
		d.press("lists-<tab>")
		d.sees("/ @lists-out")
		d.press("<enter><ctrl+p>by name")
		d.sees("Filter frames by a named filter")
		d.press("<enter>")
		d.sees("Filter by name", "@lists dir:out")
		d.press("<up><enter>")
		d.sees("/ @lists ")
		d.press("<ctrl+p>@lists-out")
		d.sees("Show the frames of @lists-out: @lists dir:out", "key x")
		d.press("<enter>")
		d.sees("/ @lists-out")
		d.press("<esc>/@nowhere<enter>") // text, as without names
		d.sees("/ @nowhere")
	})
}

// A breakpoint holds the frames of the filter also where the names are not known.
func TestFilters_BreakpointGetsTheText(t *testing.T) {
	withFilters(t, 120, 36, func(d *driver) {
		d.press("9b<ctrl+u>@lists<enter>")
		b := d.session.Intercept().State().Breakpoints
		if len(b) != 1 || b[0].Filter != "(method:tools/list or method:prompts/list)" {
			t.Errorf("breakpoints %+v", b)
		}
	})
}

func TestFilters_NoneIsNamed(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("9<ctrl+p>named filter of config<enter>")
		d.sees("No named filters yet: add them to filters in config.yaml.")
	})
}

// A filter cannot have a name with which it would be another command.
func TestFilters_ReservedNames(t *testing.T) {
	var taken []string
	for _, s := range allSections(t) {
		for _, c := range s.Commands {
			if name, ok := strings.CutPrefix(c.ID, "filter."); ok && !slices.Contains(taken, name) {
				taken = append(taken, name)
			}
		}
	}
	if slices.Sort(taken); !slices.Equal(taken, filter.Reserved) {
		t.Errorf("commands of filters are %v, reserved are %v", taken, filter.Reserved)
	}
}

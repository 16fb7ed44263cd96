package inspector

import (
	"strings"
	"testing"
	"time"

	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
)

var _ = raced.Also(TestEvents_ListenAndStop, TestEvents_WhatIsWrong, TestEvents_NoServerNoTab, TestEvents_QuitWithAStream)

// withEvents drives the inspector on all of the demo server.
func withEvents(t *testing.T, fault string, script func(d *driver)) {
	t.Helper()
	driveServerIn(t, revision.R20260728, 120, 36, sessiontest.Demo(demo.Options{Fault: fault}), script)
}

// emit calls the tool of the demo server that lets events happen.
func (d *driver) emit(arguments string) {
	d.t.Helper()
	call := d.session.Start("tools/call", []byte(`{"name":"emit-event","arguments":`+arguments+`}`))
	d.settle()
	if _, err := call.Outcome(); err != nil {
		d.t.Fatal(err)
	}
	d.settle()
}

// A subscription is begun with the arguments of the form, shows what comes, and is ended by its key.
func TestEvents_ListenAndStop(t *testing.T) {
	withEvents(t, "", func(d *driver) {
		d.press("E")
		d.sees("E Ev 2", "order.placed", "poll  push", "A guest has ordered a tea.", "ctrl+s listen by push")
		d.press("<enter>Assam<enter>")
		d.sees("● live by push since", "0 events", "delivery begins", `with {"tea":"Assam"}`)
		d.emit(`{"name":"order.placed","tea":"Assam"}`)
		d.sees("1 event", `"tea":"Assam"}`, "✓", "E Ev 1")
		d.emit(`{"name":"order.placed","tea":"Sencha"}`)
		d.sees("1 event")
		d.sleep(time.Minute)
		d.sees("● live by push", "last heartbeat")
		d.press("<enter>")
		d.sees("notifications/events/event")
		d.press("Ex")
		d.sees("ended by push", "1 event")
		if sent := d.allSent(); !strings.Contains(sent, `"method":"notifications/cancelled"`) {
			t.Errorf("the server was not told: %s", sent)
		}
		d.emit(`{"name":"order.placed","tea":"Assam"}`)
		d.sees("1 event")
		d.press("<ctrl+r>")
		d.sees("live by poll", "next in", "one of 2 subscriptions")
		d.press("]")
		d.sees("ended by push")
	})
}

// Each tab has a name at 80 columns also with those that few servers have: a name is cut before another one goes.
func TestTabRow_EachTabHasAName(t *testing.T) {
	driveServerIn(t, revision.R20260728, 80, 24, sessiontest.Demo(demo.Options{}), func(d *driver) {
		d.sees("1 Srv 2 Tools 3 Res 4 Prompts 5 Req 6 Logs 7 Tasks 8 Prob 9 Traffic 0 Skil E Ev")
	})
}

// Data that is not as the type promises is marked with the place, a gap and an end are rows, and a stream that was closed is opened again.
func TestEvents_WhatIsWrong(t *testing.T) {
	withEvents(t, "events-data", func(d *driver) {
		d.press("E<ctrl+s>")
		d.sees("● live by push")
		d.emit(`{"name":"order.placed"}`)
		d.sees("✗ V021 /data/")
	})
	withEvents(t, "", func(d *driver) {
		d.press("E<ctrl+s>")
		d.emit(`{"name":"order.placed","what":"gap"}`)
		d.sees("gap: events are missing", "1 gap")
		d.emit(`{"name":"order.placed","what":"end"}`)
		d.sees("the server has closed the stream", "● live by push")
	})
}

// An idle stream is not pending work: the program quits without a question.
func TestEvents_QuitWithAStream(t *testing.T) {
	withEvents(t, "", func(d *driver) {
		d.press("E<ctrl+s>")
		d.sees("● live by push")
		if n := d.session.Running(); n != 0 {
			t.Errorf("%d calls run", n)
		}
		d.term.blind.Store(false)
		d.press("q") // the harness sees that the program has ended
	})
}

// The tab is there only where the server has events, and its key says so elsewhere.
func TestEvents_NoServerNoTab(t *testing.T) {
	driveIn(t, revision.R20250618, 120, 36, demo.Options{}, func(d *driver) {
		d.lacks("E Events")
	})
}

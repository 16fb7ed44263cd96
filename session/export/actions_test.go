package export

import (
	"strings"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/record"
)

// Each request that a user has made is a command, once; what clients send by themselves is none.
func TestActions(t *testing.T) {
	r := newRecording("stdio", "node server.js")
	opened := func() {
		r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionOpened, Number: 1, Transport: "stdio", Target: "node server.js"}})
		r.event(record.Event{Kind: record.KindProcess, Process: &transport.ProcessEvent{What: transport.ProcessStarted, Argv: []string{"node", "server.js"}}})
	}
	opened()
	opened()
	for _, text := range []string{
		`"id":1,"method":"initialize","params":{}`,
		`"method":"notifications/initialized"`,
		`"id":2,"method":"tools/list"`,
		`"id":3,"method":"ping"`,
		`"id":4,"method":"tools/call","params":{"name":"a","arguments":{"n":1},"task":{}}`,
		`"id":5,"method":"tasks/get","params":{"taskId":"t1"}`,
		`"id":6,"method":"tasks/cancel","params":{"taskId":"t1"}`,
		`"id":7,"method":"resources/subscribe","params":{"uri":"x://y"}`,
		`"id":8,"method":"resources/unsubscribe","params":{"uri":"x://y"}`,
		`"id":9,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}`,
		`"id":10,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["a://1","a://2"]}}`,
		`"id":11,"method":"events/poll","params":{"name":"e","arguments":{"tea":"Assam"}}`,
		`"id":12,"method":"events/poll","params":{"name":"e","arguments":{"tea":"Assam"}}`,
		`"id":13,"method":"events/poll","params":{"name":"e","arguments":{"tea":"Assam"},"cursor":"5"}`,
		`"id":14,"method":"prompts/get","params":{"name":"-p"}`,
		`"id":15,"method":"--raw"`,
	} {
		r.frame(out, `{"jsonrpc":"2.0",`+text+`}`)
	}
	opened()
	want := []string{
		"info",
		`call --tool=a '{"n":1}' --task`,
		"task cancel t1",
		"listen --uri=x://y",
		`send resources/unsubscribe '{"uri":"x://y"}'`,
		"listen --uri=a://1 --uri=a://2",
		`listen event:e '{"tea":"Assam"}'`,
		"prompt --prompt=-p",
		`send --raw '{"jsonrpc":"2.0","id":15,"method":"--raw"}'`,
		"info",
	}
	all, total, err := Actions(t.Context(), r.source(t), Options{Redactor: NewRedactor()})
	if err != nil || total != len(all) {
		t.Fatal(err, total)
	}
	var got []string
	for _, a := range all {
		if a.Line != "mcptea "+a.Short+" -- node server.js" || a.Reason != "" {
			t.Errorf("the whole command is %q (%s)", a.Line, a.Reason)
		}
		got = append(got, a.Short)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Only the newest actions are kept, and a request without a command says why.
func TestActions_Bounds(t *testing.T) {
	r := newRecording("stdio", "node server.js")
	r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionOpened, Number: 1, Transport: "stdio"}})
	r.frame(out, `{"jsonrpc":"2.0","id":1,"method":"x"}`)
	all, _, err := Actions(t.Context(), r.source(t), Options{})
	if err != nil || len(all) != 2 || all[1].Line != "" || !strings.Contains(all[1].Reason, "does not name the command") || all[1].Time.Before(time.Unix(0, 0)) {
		t.Fatalf("%v %+v", err, all)
	}
	r.frame(out, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+strings.Repeat("a", maxActionLine)+`"}}`)
	for range maxActions - 1 {
		r.frame(out, `{"jsonrpc":"2.0","id":1,"method":"x"}`)
	}
	all, total, err := Actions(t.Context(), r.source(t), Options{Server: &Server{}})
	if err != nil || len(all) != maxActions || total != maxActions+2 || len(all[0].Line) != 0 {
		t.Fatalf("%v: %d of %d", err, len(all), total)
	}
}

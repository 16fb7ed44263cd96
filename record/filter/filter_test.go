package filter

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
)

func frame(dir transport.Direction, method, body string, flags store.Flags) *Frame {
	e := jsonrpc.Scan([]byte(body))
	row := store.RowOf(&transport.Frame{Bytes: []byte(body), Envelope: e, Dir: dir})
	row.Flags = flags
	return &Frame{
		Row:    &row,
		Method: method,
		Body:   func() []byte { return []byte(body) },
		ID:     func() []byte { return e.ID.Of([]byte(body)).Shown() },
		Tool:   func() string { return map[string]string{methodCall: "Echo"}[method] },
	}
}

func TestMatch(t *testing.T) {
	call := frame(transport.Out, "tools/call", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"Echo"}}`, store.Pending)
	fail := frame(transport.In, "tools/call", `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no such tool"}}`, 0)
	text := frame(transport.In, "", `Server listening`, 0)
	tests := []struct {
		filter           string
		call, fail, text bool
	}{
		{"", true, true, true},
		{"echo", true, false, false},
		{"Echo", true, false, false},
		{"ECHO", false, false, false},
		{"-echo", false, true, true},
		{`"no such"`, false, true, false},
		{"such tool", false, true, false},
		{"method:tools/*", true, true, false},
		{"method:tools/call status:error", false, true, false},
		{"tool:Echo", true, true, false},
		{"tool:echo", false, false, false},
		{"tool:E*", true, true, false},
		{"tool:*", true, true, false},
		{"-tool:Echo", false, false, true},
		{`tool:"Echo" dir:in`, false, true, false},
		{"status:pending", true, false, false},
		{"kind:invalid", false, false, true},
		{"dir:in -kind:invalid", false, true, false},
		{`"url:x"`, false, false, false}, // quoted: text, whatever it looks like
		{"demo://x", false, false, false},
		{"code:-32602", false, true, false},
		{"size:>10", true, true, true},
		{"size<40", false, false, true},
		{"-size<40", true, true, false},
		{`"size<40"`, false, false, false},
		{"id>6", false, false, false}, // no bound: text
		{"size:<40", false, false, true},
		{"size:16..16", false, false, true},
		{"size:20..79", true, true, false},
		{"size:0..16", false, false, true},
	}
	for _, tt := range tests {
		f, err := Parse(tt.filter)
		if err != nil {
			t.Errorf("%s: %v", tt.filter, err)
			continue
		}
		if f.Match(call) != tt.call || f.Match(fail) != tt.fail || f.Match(text) != tt.text {
			t.Errorf("%q: call %v, error %v, text %v", tt.filter, f.Match(call), f.Match(fail), f.Match(text))
		}
	}
}

func TestMatch_SizeUnits(t *testing.T) {
	for filter, sizes := range map[string][2]uint32{ // the largest that does not match, and the smallest that does
		"size:>1k": {1000, 1001}, "size:>=2k": {1999, 2000}, "size:>1M": {1_000_000, 1_000_001}, "size:2M..3M": {1_999_999, 2_000_000},
	} {
		f, err := Parse(filter)
		if err != nil {
			t.Fatal(err)
		}
		for i, size := range sizes {
			if got := f.Match(&Frame{Row: &store.Row{Size: size}}); got != (i == 1) {
				t.Errorf("%s: %d bytes: %v", filter, size, got)
			}
		}
	}
}

func TestMatch_Status(t *testing.T) {
	const response, failure = `{"jsonrpc":"2.0","id":7,"result":{}}`, `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":""}}`
	rows := []struct {
		name  string
		frame *Frame
		in    string // the statuses
	}{
		{"response", frame(transport.In, "m", response, 0), "ok"},
		{"error response", frame(transport.In, "m", failure, 0), "error"},
		{"tool error", frame(transport.In, "m", response, store.ToolError), "error toolerror"},
		{"pending request", frame(transport.Out, "m", `{"jsonrpc":"2.0","id":7,"method":"m"}`, store.Pending), "pending"},
		{"cancelled request", frame(transport.Out, "m", `{"jsonrpc":"2.0","id":7,"method":"m"}`, store.Cancelled), "cancelled"},
		{"late response", frame(transport.In, "m", response, store.Late), "ok late"},
		{"late error response", frame(transport.In, "m", failure, store.Late), "error late"},
	}
	for _, status := range []string{"ok", "error", "toolerror", "pending", "cancelled", "late"} {
		f, err := Parse("status:" + status)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if want := slices.Contains(strings.Fields(row.in), status); f.Match(row.frame) != want {
				t.Errorf("status:%s: %s is shown: %t, want %t", status, row.name, !want, want)
			}
		}
	}
}

func TestParse_ErrorsNameTheirPlace(t *testing.T) {
	for _, c := range []struct{ filter, text, place string }{
		{"status:bad", "status: takes ok, error", "bad"},
		{"a kind:x b", "kind: takes request", "x"},
		{"panic took:>10x dir:outx", "took: takes a time such as >100ms, <2s or 1s..5s. (1 more)", ">10x"},
		{"dir:outx", "dir: takes in or out.", "outx"},
		{`a "open`, "quotation mark is missing", `"open`},
		{"method:", "method: takes a method", "method:"},
		{"size:1k", "size: takes a size such as >1k", "1k"},
		{"size:1..", "size: takes a size", "1.."},
		{"size:..1", "size: takes a size", "..1"},
		{"took:1s..x", "took: takes a time", "1s..x"},
		{"Tool:x", "Tool: is unknown. Did you mean tool:", "Tool:x"},
		{"json:a", "json: takes a path", "a"},
		{"(a b", "( has no )", "("},
		{"a or", "or needs a part", "or"},
	} {
		_, err := Parse(c.filter)
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", c.filter, err)
			continue
		}
		if x := Errors(err)[0]; c.filter[x.At:x.End] != c.place {
			t.Errorf("%s: the place is %q, want %q", c.filter, c.filter[x.At:x.End], c.place)
		}
	}
}

func TestMatch_Groups(t *testing.T) {
	fr := frame(transport.In, "tools/call", `{"jsonrpc":"2.0","id":7,"result":{"a":"x","n":[1,{"b":12}]}}`, store.Late)
	fr.Index, fr.Newest, fr.Row.Time = 119, 100e9, 80e9
	fr.Took = func() (time.Duration, bool) { return 250 * time.Millisecond, true }
	fr.HTTP = func() int { return 404 }
	fr.Found = func(match func(string, record.Severity) bool) bool { return match("S011", record.SeverityWarning) }
	fr.Shown = func() string { return "why so slow\nagent" }
	for text, want := range map[string]bool{
		"x or y": true, "y or z": false, "y or x 7": true, "(y or x) 7": true, "(y or z) 7": false, "-(y or z)": true, "-(x or y)": false, "x and 7": true, "((x))": true,
		"foo(x)": false, "-y": true, "took:>100ms": true, "took>100ms": true, "took:>100": true, "ms>100": true, "ms:<100": false, "ms<100": false, "took:<100ms": false, "took:200ms..1s": true, "http:4xx,5xx": true, "http:404": true, "http:500": false,
		"rule:S011": true, "rule:s*": true, "rule:*": true, "rule:J004": false, "s011": true, "S011": true, "s0": true, "j004": false, "severity:warning": true, "severity:warn": true, "severity:info": true, "severity:error": false, "agent": true,
		"since:30s": true, "since:10s": false, "late": true, "ok": true, "slow": true, "#120": true, "#12": false,
		"json:.result.a=x": true, "json:.result.n[1].b": true, "json:.result.n[1].b>10": true, "json:.result.n.1.b<10": false, "json:.error": false, "json:.id=7": true,
		"kind:request,response": true, "dir:in,out": true, "method:x,tools/*": true, "size:10..1k": true, "pending": false, `"or"`: false,
	} {
		f, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := f.Match(fr); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

func TestLanguages_HaveTheirOwnProperties(t *testing.T) {
	log := &Frame{Row: &store.Row{Time: 80e9}, Newest: 100e9, Log: func() (store.Level, string) { return store.LevelWarning, "db.pool" }, Body: func() []byte { return []byte("Connection lost") }}
	for text, want := range map[string]bool{
		"level:info": true, "level:warning": true, "level:error": false, "logger:db.*": true, "logger:db": false, "since:30s": true, "since:10s": false,
		"lost -found": true, "lost level:error": false, "level:error or lost": true,
	} {
		f, err := Messages.Parse(text)
		if err != nil || f.Match(log) != want {
			t.Errorf("%s: %t, %v", text, f.Match(log), err)
		}
	}
	for text, language := range map[string]Language{
		"took: is a property of frames and findings, not of log messages. Known: from, level, logger, since.": Messages,
		"severity: is a property of frames and findings, not of log messages.":                                Messages,
		"level: is a property of frames and log messages, not of findings.":                                   Findings,
		"json: is a property of frames, not of findings.":                                                     Findings,
		"odd: is unknown. Known: ":                                Frames,
		"is: is unknown. Did you mean status:error? Known: code,": Frames,
		"metod: is unknown. Did you mean method:tools/*? Known:":  Frames,
		"latency: is unknown. Known: from,":                       Messages,
	} {
		if _, err := language.Parse(strings.Fields(text)[0] + "x"); err == nil || !strings.HasPrefix(err.Error(), text) {
			t.Errorf("%s in %s: %v", text, language.Items, err)
		}
	}
	for text, want := range map[string]bool{"kettle on": true, "kettle off": false, "-kettle": false, "-pot kettle": true, "off or kettle": true, "kettle -": true, "now: \"is on\"": true} {
		f, err := (Language{}).Parse(text)
		if err != nil || f.Match(OfText("now: the Kettle is on")) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestWords_AreThoseThatAreContained(t *testing.T) {
	f, err := Parse(`Foo -bar "two words" -(baz) tool:x (qux or 7)`)
	if got := strings.Join(f.Words(), ","); err != nil || got != "Foo,two words,qux,7" {
		t.Errorf("%s, %v", got, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`a -b "c d" method:x* status:ok`)
	f.Fuzz(func(_ *testing.T, text string) {
		if flt, err := Parse(text); err == nil {
			flt.Match(frame(transport.In, "m", text, 0))
		}
	})
}

func TestQuote(t *testing.T) {
	for _, text := range []string{`a`, `"`, `a"b`, `""`, `say \"hi\"`, `a b`, `-x`, `method:y`, `" "`, ``} {
		f, err := Parse(Quote(text))
		if err != nil || len(f.root.list) != 1 || string(f.root.list[0].part.word) != text {
			t.Errorf("%q is quoted as %s, which is %v, %v", text, Quote(text), f.root, err)
		}
	}
}

// A filter by level means the same of a log message in Traffic as in Logs, and so do a level and a
// severity: so much or more, or a bound.
func TestLevel_OneMeaning(t *testing.T) {
	passes := func(l Language, text string, fr *Frame) bool {
		f, err := l.Parse(text)
		if err != nil {
			t.Errorf("%s in %s: %v", text, l.Items, err)
		}
		return f.Match(fr)
	}
	body := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"db.pool","data":"lost"}}`
	frame := &Frame{Row: &store.Row{Kind: jsonrpc.Notification}, Method: methodMessage, Body: func() []byte { return []byte(body) }}
	entry := &Frame{Row: &store.Row{}, Log: func() (store.Level, string) { return store.LevelWarning, "db.pool" }, Body: frame.Body}
	for text, want := range map[string]bool{
		"level:info": true, "level:warning": true, "level:warn": true, "level:error": false, "level:>=warning": true, "level:>warning": false,
		"level:<warning": false, "level:<=warning": true, "level:info..notice": false, "level:info..error": true, "level:error,info": true, "-level:error": true,
		"logger:db.*": true, "logger:db": false,
	} {
		if passes(Frames, text, frame) != want || passes(Messages, text, entry) != want {
			t.Errorf("%s: not %t of both", text, want)
		}
	}
	found := &Frame{Row: &store.Row{}, Found: func(match func(string, record.Severity) bool) bool { return match("S011", record.SeverityWarning) }}
	for text, want := range map[string]bool{"severity:>=warning": true, "severity:>warning": false, "severity:<error": true, "severity:info..warning": true, "severity:<warning": false} {
		if passes(Frames, text, found) != want || passes(Findings, text, found) != want {
			t.Errorf("%s: not %t of both", text, want)
		}
	}
	for text, fr := range map[string]*Frame{
		"stray": {Row: &store.Row{Kind: jsonrpc.Invalid}},
		"odd":   {Row: &store.Row{Kind: jsonrpc.Notification}, Method: methodMessage, Body: func() []byte { return []byte(`{"params":{"level":"loud"}}`) }},
		"other": {Row: &store.Row{Kind: jsonrpc.Request}, Method: "tools/call"},
	} {
		if info, severe := passes(Frames, "level:info", fr), passes(Frames, "level:error", fr); info != (text != "other") || severe != (text == "stray") {
			t.Errorf("%s: %t, %t", text, info, severe)
		}
	}
	for _, text := range []string{"level:loud", "level:=error", "severity:critical", "severity:>=", "level:.."} {
		if _, err := Frames.Parse(text); err == nil {
			t.Errorf("%s is a filter", text)
		}
	}
}

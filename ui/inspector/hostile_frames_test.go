package inspector

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
)

// filled returns a value of a type in which each member is set, so that none is
// left out by a writer.
func filled(t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	switch {
	case t == reflect.TypeFor[time.Time]():
		return reflect.ValueOf(hostileTime)
	case t == reflect.TypeFor[jsonrpc.ID]():
		return reflect.ValueOf(jsonrpc.StringID("x"))
	case depth > 6:
		return v
	}
	switch t.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(filled(t.Elem(), depth+1))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, 1, 1))
		if t.Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("x"))
			break
		}
		v.Index(0).Set(filled(t.Elem(), depth+1))
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(filled(t.Key(), depth+1), filled(t.Elem(), depth+1))
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(filled(t.Field(i).Type, depth+1))
			}
		}
	}
	return v
}

// filledEvents are events of each kind, phase and change with all members set.
func filledEvents() []record.Event {
	var events []record.Event
	add := func(kind record.Kind, change func(e *record.Event)) {
		e := filled(reflect.TypeFor[record.Event](), 0).Interface().(record.Event)
		e.Kind, e.Beside, e.Conn = kind, false, 1
		e.Frame.Bytes = []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"x","data":"x"}}`)
		e.Frame.Truncated = false
		if change != nil {
			change(&e)
		}
		events = append(events, e)
	}
	for kind := record.KindFrame; kind < record.KindProblem; kind++ {
		switch kind {
		case record.KindFrame:
			for _, dir := range []transport.Direction{transport.Out, transport.In} {
				add(kind, func(e *record.Event) { e.Frame.Dir = dir })
			}
			add(kind, func(e *record.Event) {
				e.Frame.Dir, e.Frame.Bytes, e.Frame.EventName = transport.In, []byte("not a message"), "message"
			})
		case record.KindHTTP:
			for _, phase := range transport.ExchangePhases() {
				add(kind, func(e *record.Event) { e.Exchange.Phase = phase })
			}
			add(kind, func(e *record.Event) {
				e.Exchange.Phase, e.Exchange.Purpose = transport.ExchangeDone, transport.PurposeAuthorization
			})
		case record.KindProcess:
			for _, what := range transport.ProcessChanges() {
				add(kind, func(e *record.Event) { e.Process.What = what })
			}
		case record.KindConnection: // these have recordings of their own
		case record.KindStep, record.KindAuthorization:
			for _, state := range []string{"done", "failed"} {
				add(kind, func(e *record.Event) { e.Step.State = state })
			}
		default:
			add(kind, nil)
		}
	}
	return events
}

// variants returns a line of a recording with each of its strings hostile, one at a time,
// and with each member of another type replaced by a hostile string.
func variants(line []byte) map[string][]byte {
	found := map[string][]byte{}
	text := []byte(jsonrpc.Quote(hostile))
	for key, value := range jsonrpc.Members(line) {
		at := jsonrpc.SpanOf(line, value)
		with := func(value []byte) []byte {
			return slices.Concat(line[:at.Start], value, line[at.End:])
		}
		name := string(key)
		if name == "msg" || name == "b64" {
			continue // what is in a frame is altered where the frame is
		}
		found[name] = with(text)
		var nested any
		if value[0] == '{' || value[0] == '[' {
			_ = json.Unmarshal(value, &nested)
			all, _ := json.Marshal(poisoned(nested, nil, true))
			found[name+" within"] = with(all)
		}
	}
	return found
}

// poisoned returns a value in which all strings end in hostile text, except the members that identify the
// value; names too, if requested.
func poisoned(v any, keep []string, names bool) any {
	switch v := v.(type) {
	case string:
		return v + hostile
	case []any:
		for i := range v {
			v[i] = poisoned(v[i], keep, names)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, value := range v {
			if _, isText := value.(string); !isText || !slices.Contains(keep, k) {
				value = poisoned(value, keep, names)
			}
			if names {
				k += hostile
			}
			out[k] = value
		}
		return out
	}
	return v
}

// poisonFrames makes the texts of all frames of a recording hostile.
func poisonFrames(t *testing.T, lines [][]byte) [][]byte {
	keep := []string{"jsonrpc", "method", "type", "protocolVersion", "data", "blob", "mimeType", "role", "level", "mode", "action", "status", "taskId", "format", "name", "uri"}
	return poisonFramesBut(t, lines, keep)
}

func poisonFramesBut(t *testing.T, lines [][]byte, keep []string) [][]byte {
	t.Helper()
	out := make([][]byte, 0, len(lines))
	var d record.Decoder
	for i, line := range lines {
		if i > 0 {
			if e, err := d.Decode(line); err == nil && e.Kind == record.KindFrame {
				var message any
				if json.Unmarshal(e.Frame.Bytes, &message) == nil {
					e.Frame.Bytes, _ = json.Marshal(poisoned(message, keep, false))
					line = record.AppendEvent(nil, e.Seq, &e)
				}
			}
		}
		out = append(out, bytes.TrimSuffix(line, []byte("\n")))
	}
	return out
}

// hostileBase is a session with the demo server, as the lines of its recording.
func hostileBase(t *testing.T) [][]byte {
	path := recordDemo(t, func(d *driver) {
		for _, call := range [][2]string{
			{"echo", `{"message":"hello"}`},
			{"weather", `{"city":"Rome"}`},
			{"make-report", `{"rows":[{"name":"a","value":1}]}`},
			{"content", `{}`},
			{"fail", `{}`},
			{"fail-protocol", `{}`},
			{"log", `{"message":"x"}`},
			{"ask-user", `{}`},
			{"count-up", `{}`},
			{"no-such-tool", `{}`},
		} {
			d.call(call[0], call[1])
		}
		for _, request := range [][2]string{
			{"resources/read", `{"uri":"demo://counter"}`}, {"prompts/get", `{"name":"conversation"}`}, {"prompts/get", `{"name":"with-resource"}`}, {"no/method", `{"x":"y"}`},
		} {
			d.session.Start(request[0], []byte(request[1]))
			d.settle()
		}
	})
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

// extremeEvents are events of all kinds in which one number after the other is extreme.
func extremeEvents() (lines [][]byte) {
	for _, e := range filledEvents() {
		line := bytes.TrimSuffix(record.AppendEvent(nil, 1, &e), []byte("\n"))
		for key, value := range jsonrpc.Members(line) {
			if at := jsonrpc.SpanOf(line, value); value[0] >= '0' && value[0] <= '9' && string(key) != "msg" {
				for _, n := range extremes {
					lines = append(lines, slices.Concat(line[:at.Start], []byte(n), line[at.End:]))
				}
			}
		}
	}
	return lines
}

// extremeFrames makes the numbers of all frames but their ids extreme.
func extremeFrames(t *testing.T, lines [][]byte) [][]byte {
	t.Helper()
	n := 0
	number := regexp.MustCompile(`("(?:progress|total|size|priority|ttl|pollInterval|maxTokens|temperature|code|minimum|maximum|minLength|maxLength|[a-zA-Z]*Priority)":)-?[0-9.]+`)
	var out [][]byte
	var d record.Decoder
	for i, line := range lines {
		if e, err := d.Decode(line); i > 0 && err == nil && e.Kind == record.KindFrame {
			e.Frame.Bytes = number.ReplaceAllFunc(e.Frame.Bytes, func(b []byte) []byte {
				n++
				return append(b[:bytes.IndexByte(b, ':')+1:bytes.IndexByte(b, ':')+1], extremes[n%len(extremes)]...)
			})
			line = record.AppendEvent(nil, e.Seq, &e)
		}
		out = append(out, bytes.TrimSuffix(line, []byte("\n")))
	}
	if n < 10 {
		t.Errorf("%d numbers of frames are extreme", n)
	}
	return out
}

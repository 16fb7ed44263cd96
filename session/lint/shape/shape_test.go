package shape_test

import (
	"testing"

	"mcptea/client/revision"
	"mcptea/session/lint/shape"
)

var values = []struct{ name, of, value string }{
	{"log", "notifications/message.params", `{"level":"info","logger":"db","data":{"message":"query 5 finished","rows":5}}`},
	{"progress", "notifications/progress.params", `{"progressToken":4,"progress":1,"total":2,"message":"half"}`},
	{"call", "tools/call.params", `{"name":"tool1","arguments":{"query":"tea 77","limit":5},"_meta":{"progressToken":7}}`},
	{"result", "tools/call.result", `{"content":[{"type":"text","text":"result number 5, some words of it, which are longer than nothing"},{"type":"resource_link","uri":"file:///a/b/7","name":"b"}],"isError":false}`},
}

func BenchmarkCheck(b *testing.B) {
	for _, v := range values {
		b.Run(v.name, func(b *testing.B) {
			var c shape.Checker
			raw := []byte(v.value)
			o := shape.Of(revision.R20251125, revision.Shape(v.of))
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				c.Check(o, raw, nil)
			}
		})
	}
}

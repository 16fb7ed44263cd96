package export

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mcptea/record"
)

// deliveries has a subscription by webhook, and two deliveries: one that is accepted and one that is refused.
func deliveries() *recording {
	r := session1()
	r.frame(out, `{"jsonrpc":"2.0","id":3,"method":"events/subscribe","params":{"name":"order.placed","delivery":{"mode":"webhook","url":"http://127.0.0.1:8123/mcptea/71ea1427c81187a9f4fa2b54498014a7"}}}`)
	r.frame(in, `{"jsonrpc":"2.0","id":3,"result":{"id":"sub_1"}}`)
	r.event(record.Event{Kind: record.KindDelivery, Text: `{"eventId":"e1","name":"order.placed","data":{"cups":2,"access_token":"gho_0123456789abcdefghijABCDEFGHIJ012345","password":"hunter2"}}`, Delivery: &record.Delivery{
		Callback: "http://127.0.0.1:8123/mcptea/71ea1427c81187a9f4fa2b54498014a7", Message: "msg_1", Timestamp: "1800000000", Signature: "v1,c2ln", Subscription: "sub_1", ContentType: "application/json",
		Status: 200, What: "event", Signed: record.SignedCurrent,
	}})
	r.event(record.Event{Kind: record.KindDelivery, Text: "<b>not JSON</b>", Delivery: &record.Delivery{
		Callback: "http://127.0.0.1:8123/mcptea/71ea1427c81187a9f4fa2b54498014a7", Message: "msg_2", Status: 401, Trouble: "the signature does not verify", Signed: record.SignedWrong,
	}})
	return r
}

// Each export for readers has a delivery with its headers, its body, its outcome, and the request that has
// subscribed to it, but no secret of its body.
func TestDeliveries_AreExported(t *testing.T) {
	for format, wants := range map[string][]string{
		"markdown": {"order.placed", "webhook-id: msg\\_1", "sub\\_1", `"cups":2`, "401", "the signature does not verify", "subscription 6", "not JSON"},
		"html":     {"order.placed", "msg_1", "sub_1", "401", "the signature does not verify", "not JSON"},
		"mermaid":  {"S->>C: delivery order.placed", "401"},
		"jsonl":    {`"k":"delivery"`, "msg_2", "not JSON"},
	} {
		got := export(t, format, deliveries().source(t), Options{Redactor: NewRedactor()})
		if strings.Contains(got, "gho_0123456789") || strings.Contains(got, "hunter2") || strings.Contains(got, "c2ln") {
			t.Errorf("%s has a secret", format)
		}
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", format, want, got[max(0, len(got)-3000):])
			}
		}
	}
}

// On the page a delivery is a row with headers, which leads to its subscription, and no text of it is markup.
func TestDeliveries_OnThePage(t *testing.T) {
	page := export(t, "html", deliveries().source(t), Options{Redactor: NewRedactor()})
	_, rest, _ := strings.Cut(page, `id="data">`)
	data, _, _ := strings.Cut(rest, "</script>")
	var got struct{ Frames []pageFrame }
	if err := json.Unmarshal([]byte(data), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Frames) < 2 || strings.Contains(page, "<b>not") {
		t.Fatalf("%+v", got.Frames)
	}
	good, bad := got.Frames[len(got.Frames)-2], got.Frames[len(got.Frames)-1]
	if good.Method != "order.placed" || good.Failed || !good.JSON || good.Request != 6 || len(good.Headers) != 5 {
		t.Errorf("the delivery is %+v", good)
	}
	if !bad.Failed || bad.JSON || bad.Request != 6 {
		t.Errorf("the delivery that was refused is %+v", bad)
	}
}

// In a HAR file a delivery is a request to mcptea with the response of mcptea. Neither a secret of the body nor the
// signature is in it when it is redacted; without that both are.
func TestDeliveries_InHAR(t *testing.T) {
	r := deliveries()
	r.event(record.Event{Kind: record.KindDelivery, Text: `{"type":"verification","challenge":"abc"}`, Delivery: &record.Delivery{
		Callback: "http://127.0.0.1:8123/mcptea/71ea1427c81187a9f4fa2b54498014a7", Message: "msg_3", Signature: "v1,c2ln", ContentType: "application/json", Status: 200, What: "verification", Signed: record.SignedCurrent,
	}})
	r.event(record.Event{Kind: record.KindDelivery, Text: `{"eventId":"e2","name":"order.placed"}`, Delivery: &record.Delivery{
		Callback: "http://127.0.0.1:8123/mcptea/71ea1427c81187a9f4fa2b54498014a7", Message: "e2", ContentType: "application/json", Status: 500, What: "event", Signed: record.SignedCurrent,
		Retry: 2, After: 4100 * time.Millisecond, Asked: true, Took: time.Second,
	}})
	r.event(record.Event{Kind: record.KindDelivery, Delivery: &record.Delivery{
		Callback: "http://127.0.0.1:8123/mcptea/71ea1427c81187a9f4fa2b54498014a7", Method: "GET", Path: "/other", Status: 404, Trouble: "a request is not for the callback",
	}})
	read := func(o Options) (entries []harEntry, text string) {
		text = export(t, "har", r.source(t), o)
		var got struct{ Log struct{ Entries []harEntry } }
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		for _, e := range got.Log.Entries {
			if e.Purpose == "delivery" {
				entries = append(entries, e)
			}
		}
		return entries, text
	}
	entries, text := read(Options{Redactor: NewRedactor()})
	for _, hidden := range []string{"gho_0123456789", "hunter2", "c2ln"} {
		if strings.Contains(text, hidden) {
			t.Errorf("it has %s:\n%s", hidden, text)
		}
	}
	if len(entries) != 5 {
		t.Fatalf("%d entries:\n%s", len(entries), text)
	}
	const hook = "http://127.0.0.1:8123/mcptea/****" // its path cannot be guessed, and is redacted
	for i, want := range []struct{ method, url, comment, response string }{
		{"POST", hook, "of the subscription in frame 6: 200  verified", ""},
		{"POST", hook, "the signature does not verify", "the signature does not verify\n"},
		{"POST", hook, "verified", `{"challenge":"abc"}`},
		{"POST", hook, "retry 2 after 4.1 s  refused after 1 s, as asked", "refused after 1 s, as asked\n"},
		{"GET", "http://127.0.0.1:8123/other", "404", "a request is not for the callback\n"},
	} {
		e := entries[i]
		if e.Request.Method != want.method || e.Request.URL != want.url || !strings.Contains(e.Comment, want.comment) || e.Response.Content.Text != want.response || len(e.Frames) != 1 {
			t.Errorf("entry %d: %+v", i, e)
		}
	}
	if first := entries[0]; first.Request.Post == nil || !strings.Contains(first.Request.Post.Text, `"cups":2`) || len(first.Request.Headers) != 5 || first.Response.Status != 200 {
		t.Errorf("%+v", first)
	}
	if late := entries[3]; late.Time != 1000 || late.Response.Status != 500 {
		t.Errorf("%+v", late)
	}
	if _, text := read(Options{}); !strings.Contains(text, "v1,c2ln") || !strings.Contains(text, "hunter2") {
		t.Errorf("without redaction it lacks what was received:\n%s", text)
	}
}

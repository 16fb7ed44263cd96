package export

import (
	"encoding/json"
	"strings"
	"testing"

	"mcptea/session/record"
)

// deliveries has a subscription by webhook, and two deliveries: one that is accepted and one that is refused.
func deliveries() *recording {
	r := session1()
	r.frame(out, `{"jsonrpc":"2.0","id":3,"method":"events/subscribe","params":{"name":"order.placed","delivery":{"mode":"webhook","url":"http://127.0.0.1:8123/hook"}}}`)
	r.frame(in, `{"jsonrpc":"2.0","id":3,"result":{"id":"sub_1"}}`)
	r.event(record.Event{Kind: record.KindDelivery, Text: `{"eventId":"e1","name":"order.placed","data":{"cups":2,"access_token":"gho_0123456789abcdefghijABCDEFGHIJ012345","password":"hunter2"}}`, Delivery: &record.Delivery{
		Callback: "http://127.0.0.1:8123/hook", Message: "msg_1", Timestamp: "1800000000", Signature: "v1,c2ln", Subscription: "sub_1", ContentType: "application/json",
		Status: 200, What: "event", Signed: record.SignedCurrent,
	}})
	r.event(record.Event{Kind: record.KindDelivery, Text: "<b>not JSON</b>", Delivery: &record.Delivery{
		Callback: "http://127.0.0.1:8123/hook", Message: "msg_2", Status: 401, Trouble: "the signature does not verify", Signed: record.SignedWrong,
	}})
	return r
}

// A delivery is in each export for readers with its headers, its body, what became of it, and the request that has
// subscribed to it; a secret in its body is not.
func TestDeliveries_AreExported(t *testing.T) {
	for format, wants := range map[string][]string{
		"markdown": {"order.placed", "webhook-id: msg\\_1", "sub\\_1", `"cups":2`, "401", "the signature does not verify", "subscription 6", "not JSON"},
		"html":     {"order.placed", "msg_1", "sub_1", "401", "the signature does not verify", "not JSON"},
		"mermaid":  {"S->>C: delivery order.placed", "401"},
		"jsonl":    {`"k":"delivery"`, "msg_2", "not JSON"},
	} {
		got := export(t, format, deliveries().source(t), Options{Redactor: NewRedactor()})
		if strings.Contains(got, "gho_0123456789") || strings.Contains(got, "hunter2") {
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

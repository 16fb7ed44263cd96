package webhook

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Only the whole signature verifies: no part of it, no changed one, and none of another message or secret.
func TestVerify_Borders(t *testing.T) {
	const good = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	if !verify(vectorSecret, good, vector) {
		t.Fatal("the signature does not verify")
	}
	for n := range len(good) {
		if verify(vectorSecret, good[:n], vector) {
			t.Errorf("%q verifies", good[:n])
		}
		changed := []byte(good)
		changed[n] ^= 1
		if verify(vectorSecret, string(changed), vector) {
			t.Errorf("%q verifies", changed)
		}
	}
	for _, header := range []string{"v1,", "v1, ", "v1", good + "=", good + "A", good + "," + good[3:], "V1" + good[2:], "v1;" + good[3:], "v2" + good[2:], "v1,v1," + good[3:], strings.ReplaceAll(good, "=", ""), "v1, " + good[3:], strings.ToLower(good)} {
		if verify(vectorSecret, header, vector) {
			t.Errorf("%q verifies", header)
		}
	}
	for _, m := range []message{
		{vector.id + "x", vector.timestamp, vector.body},
		{vector.id, vector.timestamp + "0", vector.body},
		{vector.id, vector.timestamp, append([]byte(" "), vector.body...)},
		{"", vector.timestamp, vector.body},
		{vector.id, "", vector.body},
		{vector.id, vector.timestamp, nil},
	} {
		if verify(vectorSecret, good, m) {
			t.Errorf("it verifies for %+v", m)
		}
	}
	for _, secret := range []string{"", secretPrefix, vectorSecret + "A", secretPrefix + "!", NewSecret()} {
		empty := "v1," + base64.StdEncoding.EncodeToString(sum(nil, vector.content()))
		if verify(secret, good, vector) || verify(secret, empty, vector) {
			t.Errorf("it verifies with %q", secret)
		}
	}
}

// A timestamp is taken up to five minutes from now, in both directions.
func TestReceiver_TimestampBorders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seconds, want := range map[int64]Trouble{
			0: "", -300: "", 300: "", -299: "", 299: "", -301: tooOld, 301: tooOld, 3600: tooOld, -86400 * 365: tooOld, 86400 * 365 * 5: tooOld,
		} {
			r := newRig(t)
			r.post("msg_1", `{"type":"verification","challenge":"c"}`, nil)
			r.Subscribed("sub_1")
			at := strconv.FormatInt(time.Now().Unix()+seconds, 10)
			status, _ := r.post("e1", `{"eventId":"e"}`, func(q *http.Request) { q.Header.Set("webhook-timestamp", at) })
			got := r.Troubles()
			if want == "" && (status != 200 || len(got) > 0) || want != "" && (status != 400 || len(got) != 1 || got[0] != (Counted{want, 1}) || len(r.delivered) > 0) {
				t.Errorf("%d s: %d, %v", seconds, status, got)
			}
		}
	})
}

// A body is taken up to its bound, with and without its length.
func TestReceiver_BodyBorder(t *testing.T) {
	for _, length := range []bool{true, false} {
		for more, want := range map[int]int{0: 200, 1: 413} {
			r := newRig(t)
			r.post("msg_1", `{"type":"verification","challenge":"c"}`, nil)
			r.Subscribed("sub_1")
			const head, tail = `{"eventId":"e","x":"`, `"}`
			body := head + strings.Repeat("x", maxBody-len(head)-len(tail)+more) + tail
			status, _ := r.post("e1", body, func(q *http.Request) {
				if !length {
					q.ContentLength = -1
				}
			})
			if status != want {
				t.Errorf("%d bytes more, with a length %t: %d", more, length, status)
			}
		}
	}
}

// The request after the most that are handled at a time is refused, and one after them is taken.
func TestReceiver_RequestsAtATime(t *testing.T) {
	r := newRig(t)
	r.post("msg_1", `{"type":"verification","challenge":"c"}`, nil)
	r.Subscribed("sub_1")
	for range 127 {
		r.slots <- struct{}{}
	}
	if status, _ := r.post("e1", `{"eventId":"e1"}`, nil); status != 200 {
		t.Errorf("the last one that is handled: %d", status)
	}
	r.slots <- struct{}{}
	if status, _ := r.post("e2", `{"eventId":"e2"}`, nil); status != 503 {
		t.Errorf("one more: %d", status)
	}
	<-r.slots
	if status, _ := r.post("e3", `{"eventId":"e3"}`, nil); status != 200 {
		t.Errorf("one after them: %d", status)
	}
}

// Of the messages by whose ids retries are known the oldest is forgotten, and no more.
func TestReceiver_MessagesBorder(t *testing.T) {
	r := newRig(t)
	for i := range maxMessages + 1 {
		d := Delivery{}
		d.Message = strconv.Itoa(i)
		r.attempt(&d)
	}
	if r.messages["0"] != nil || r.messages["1"] == nil || len(r.messages) != maxMessages || len(r.oldest) != maxMessages {
		t.Errorf("%d messages", len(r.messages))
	}
}

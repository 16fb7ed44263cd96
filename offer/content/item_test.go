package content_test

import (
	"fmt"
	"testing"

	"mcptea/offer/content"
)

func TestContent_Items(t *testing.T) {
	const result = `{"content":[{"type":"text","text":"a\u001b\n"},{"type":"image","mimeType":"image/png","data":"AAEC"},` +
		`{"type":"resource","resource":{"uri":"demo://menu/today.json","mimeType":"application/json","text":"{}"}},` +
		`{"type":"resource_link","uri":"demo://tea","name":"tea"},{"type":"hologram"},{"type":"audio","data":"%"}],"structuredContent":{"a": 1.50}}`
	want := []struct{ kind, file, data string }{
		{"text", "text.txt", "a\x1b\n"},
		{"image", "image.png", "\x00\x01\x02"},
		{"resource", "today.json", "{}"},
		{"link", "tea.txt", "error"},
		{"audio", "audio.bin", "error"},
		{"structured content", "structured-content.json", `{"a": 1.50}`},
		{"whole result", "whole-result.json", result},
	}
	items := content.Items("tools/call", []byte(result))
	if len(items) != len(want) {
		t.Fatalf("%d items", len(items))
	}
	for i, w := range want {
		data, err := items[i].Data()
		if err != nil {
			data = []byte("error")
		}
		if items[i].Kind != w.kind || items[i].FileName() != w.file || string(data) != w.data {
			t.Errorf("%d: %s, %s, %q", i, items[i].Kind, items[i].FileName(), data)
		}
	}
	for uri, want := range map[string]string{
		"file:///etc/../../.bashrc": "bashrc.txt", "x:///a/%2e%2e%2f..": "result.txt", "demo://host": "host.txt", "::": "resource.txt", "f:///a b;rm -rf": "a-b-rm--rf.txt",
	} {
		it := content.Items("resources/read", fmt.Appendf(nil, `{"contents":[{"uri":%q,"text":""}]}`, uri))[0]
		if got := it.FileName(); got != want {
			t.Errorf("%s: %s", uri, got)
		}
	}
}

// A blob that is a text is shown as one, and its size is that of the bytes.
func TestContent_Items_TextInABlob(t *testing.T) {
	for frame, want := range map[string]string{
		`{"contents":[{"uri":"a://b","mimeType":"text/plain","blob":"SGVsbG8sIHRlYSE="}]}`: "Hello, tea!",
		`{"contents":[{"uri":"a://b","mimeType":"text/plain","blob":"//79"}]}`:             "",
		`{"contents":[{"uri":"a://b","mimeType":"application/zip","blob":"SGVsbG8="}]}`:    "",
		`{"contents":[{"uri":"a://b","text":"tea"}]}`:                                      "tea",
		`{"contents":[{"uri":"a://b","text":"a\tb \u00e9 \ud83c\udf75"}]}`:                 "a\tb é 🍵",
	} {
		text := ""
		for _, part := range content.Parse("resources/read", []byte(frame)) {
			if p, ok := part.(content.Text); ok {
				text += p.String()
			}
		}
		if text != want {
			t.Errorf("%s is shown as %q", frame, text)
		}
		for _, it := range content.Items("resources/read", []byte(frame)) {
			if data, err := it.Data(); err != nil || len(data) != it.Size() {
				t.Errorf("%s has %d bytes, said to be %d: %v", frame, len(data), it.Size(), err)
			}
		}
	}
}

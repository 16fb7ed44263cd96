package export

import (
	"net/http"
	"strconv"

	"mcptea/record"
)

// delivery writes the entry of a POST to the callback of a webhook: the request of the server, and the response of mcptea.
func (h *har) delivery(e *matched) {
	d, body := e.Delivery, e.Text
	o := &harOpen{start: e.Time}
	entry := &o.entry
	entry.Purpose, entry.Frames = "delivery", []int32{e.Number}
	entry.Comment = "server to the callback of a webhook"
	if e.Subscription > 0 {
		entry.Comment += " of the subscription in frame " + strconv.Itoa(int(e.Subscription))
	}
	if line := d.Line(); line != "" {
		entry.Comment += ": " + line
	}
	method, address := d.Request()
	entry.Request = harRequest{Method: method, URL: address, Query: harQuery(address), BodySize: int64(len(body))}
	for _, field := range d.Fields() {
		entry.Request.Headers = append(entry.Request.Headers, harField{field[0], field[1]})
	}
	if body != "" {
		entry.Request.Post = &harPostData{MIME: d.ContentType, Text: body}
	} else {
		entry.Request.BodySize = -1 // the body was not read
	}
	h.answered(entry, d, body)
	entry.Timings.Wait = milliseconds(d.Took)
	entry.Time = entry.Timings.Wait
	h.write(o)
}

// answered sets the response of mcptea to a delivery.
func (h *har) answered(entry *harEntry, d *record.Delivery, body string) {
	text, media := d.Response([]byte(body))
	entry.Response = harResponse{
		Status: d.Status, StatusText: http.StatusText(d.Status), BodySize: int64(len(text)),
		Content: harContent{Size: int64(len(text)), MIME: media, Text: text},
	}
	if media != "" {
		entry.Response.Headers = []harField{{"Content-Type", media}}
	}
	if d.Status == 0 {
		entry.Response.BodySize = -1
	}
	if d.Asked && d.Status/100 == 3 {
		entry.Response.RedirectURL = d.Callback + record.RedirectedPath
	}
}

package catalog

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mcptea/client/revision"

	"mcptea/demo/media"
	"mcptea/demo/peer"
)

const (
	menuJSON = `{
  "teas": [
    {"name": "Sencha", "degrees": 75, "minutes": 2},
    {"name": "Assam", "degrees": 95, "minutes": 4},
    {"name": "Oolong", "degrees": 85, "minutes": 3}
  ],
  "open": true,
  "since": 1706
}
`
	goCode = `package main

import (
	"errors"
	"fmt"
	"time"
)

// brew waits until the tea is ready.
func brew(tea string, wait time.Duration) string {
	time.Sleep(wait)
	return tea + " is ready"
}

func main() {
	fmt.Println(brew("Sencha", 2*time.Minute))
}
`
	csvText = "tea,degrees,minutes\nSencha,75,2\nAssam,95,4\nOolong,85,3\n"
	htmlDoc = "<!doctype html>\n<title>Tea</title>\n<h1>Tea</h1>\n<p>Served <em>hot</em>.</p>\n"
	svgDoc  = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><circle cx="5" cy="5" r="4" fill="#8a4b1f"/></svg>` + "\n"
	umlauts = "Grüße aus dem Teehaus.\nお茶はいかがですか。\nЧай готов.\nالشاي جاهز\n"
)

// resources is the table of resources. demo://missing is not in it on purpose.
func resources(icon string) []peer.Resource {
	tea := []peer.Icon{{Src: icon, MIMEType: "image/png", Sizes: []string{"16x16"}}}
	picture, tone := media.Picture(64), media.Tone(660, 300)
	table := []peer.Resource{
		text("demo://readme", "readme", "Read me", "What this is, in Markdown", "text/markdown", markdown),
		text("demo://menu", "menu", "Menu", "The teas, in JSON", "application/json", menuJSON),
		text("demo://go-code", "go-code", "Go code", "A small Go program", "text/x-go", goCode),
		blob("demo://picture", "picture", "Picture", "A cup of tea, 64 by 64", "image/png", picture),
		blob("demo://tone", "tone", "Tone", "A spoon against a cup", "audio/wav", tone),
		{URI: "demo://counter", Name: "counter", Title: "Counter", Description: "Changes each time it is read", MIMEType: "text/plain", Fleeting: true, Read: readCounter},
		{
			URI: "demo://big", Name: "big", Title: "Big text", Description: "A megabyte of text", MIMEType: "text/plain", Size: 1 << 20,
			Read: func(*peer.Call) peer.Contents { return peer.TextContents("demo://big", "text/plain", bigText(1024)) },
		},
		text("demo://table", "table", "Table", "The teas, in CSV", "text/csv", csvText),
		text("demo://page", "page", "Page", "The teas, in HTML", "text/html", htmlDoc),
		text("demo://drawing", "drawing", "Drawing", "A cup seen from above, in SVG", "image/svg+xml", svgDoc),
		text("demo://languages", "languages", "Languages", "Text in other letters", "text/plain; charset=utf-8", umlauts),
		text("demo://escapes", "escapes", "Escapes", "Text that a terminal must not obey", "text/plain", escapes),
		text("demo://empty", "empty", "Empty", "Nothing at all", "text/plain", ""),
		{URI: "demo://clock", Name: "clock", Title: "Clock", Description: "Changes each second while it has a subscriber", MIMEType: "text/plain", Every: 1, Fleeting: true, Read: readClock},
		{
			URI: "demo://guest-book", Name: "guest-book", Title: "Guest book", Description: "Asks you for a name before it can be read", MIMEType: "text/plain",
			Ask: askingResource, Visible: peer.Visible{From: revision.R20250618},
		},
		text(surpriseURI, "surprise", "Surprise", "Is only there after change-list", "text/plain", "Boo.\n"),
	}
	table[len(table)-1].Hidden = true
	table[0].Icons = tea
	table[0].Annotations = &peer.Marks{Audience: []string{"user", "assistant"}, Priority: new(1.0), LastModified: "2026-01-02T03:04:05Z"}
	return table
}

// surpriseURI is a resource that is hidden at first.
const surpriseURI = "demo://surprise"

func text(uri, name, title, description, mimeType, body string) peer.Resource {
	return peer.Resource{
		URI: uri, Name: name, Title: title, Description: description, MIMEType: mimeType, Size: int64(len(body)),
		Read: func(*peer.Call) peer.Contents { return peer.TextContents(uri, mimeType, body) },
	}
}

func blob(uri, name, title, description, mimeType string, data []byte) peer.Resource {
	return peer.Resource{
		URI: uri, Name: name, Title: title, Description: description, MIMEType: mimeType, Size: int64(len(data)),
		Read: func(*peer.Call) peer.Contents { return peer.BlobContents(uri, mimeType, data) },
	}
}

func readCounter(c *peer.Call) peer.Contents {
	return peer.TextContents("demo://counter", "text/plain", fmt.Sprintf("read %d times\n", c.Count("demo://counter")))
}

func readClock(c *peer.Call) peer.Contents {
	return peer.TextContents("demo://clock", "text/plain", fmt.Sprintf("ticked %d times\n", c.Ticks("demo://clock")))
}

// maxNumbers bounds how long the resource of demo://numbers gets.
const maxNumbers = 10000

func templates() []peer.Template {
	return []peer.Template{
		{
			URI: "demo://greeting/{name}", Name: "greeting", Title: "Greeting", Description: "Greets a person", MIMEType: "text/plain",
			Complete: map[string]peer.Completer{"name": names},
			Read: func(uri string, values map[string]string) (peer.Contents, error) {
				return peer.TextContents(uri, "text/plain", "Hello, "+values["name"]+".\n"), nil
			},
		},
		{
			URI: "demo://numbers/{from}/{to}", Name: "numbers", Title: "Numbers", Description: "The whole numbers from one to the other", MIMEType: "text/plain",
			Complete: map[string]peer.Completer{"from": numbersFrom(1), "to": laterNumbers},
			Read:     readNumbers,
		},
	}
}

func readNumbers(uri string, values map[string]string) (peer.Contents, error) {
	from, err1 := strconv.Atoi(values["from"])
	to, err2 := strconv.Atoi(values["to"])
	if err1 != nil || err2 != nil || from > to || to-from >= maxNumbers || to-from < 0 {
		return peer.Contents{}, errors.New("no such numbers: two whole ones, the smaller first, not too far apart")
	}
	var b strings.Builder
	for i := 0; i <= to-from; i++ {
		fmt.Fprintln(&b, from+i)
	}
	return peer.TextContents(uri, "text/plain", b.String()), nil
}

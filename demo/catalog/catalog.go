package catalog

import (
	"encoding/base64"
	"time"

	"mcptea/demo/media"
	"mcptea/demo/peer"
)

const instructions = `This is the demo server of mcptea. Nothing here is real and nothing can break.

Start with echo, add and weather. long-work shows progress and can be cancelled,
ask-user and ask-model ask you something back, change-tools changes the list of
tools while you look at it, brew can work as a task, and escape-art tries to upset your terminal.`

// New returns the description of the demo server. pace is how long a second of
// pretended work lasts, 0 for a real one.
func New(pace time.Duration) *peer.Server {
	icon := "data:image/png;base64," + base64.StdEncoding.EncodeToString(media.Picture(16))
	return &peer.Server{
		Name:         "mcptea-demo",
		Title:        "mcptea demo",
		Version:      "1.0.0",
		Description:  "A server with something of everything, to look at and to test with",
		Website:      "https://modelcontextprotocol.io/",
		Icons:        []peer.Icon{{Src: icon, MIMEType: "image/png", Sizes: []string{"16x16"}}},
		Instructions: instructions,
		Tools:        tools(icon),
		Resources:    resources(icon),
		Templates:    templates(),
		Prompts:      prompts(),
		PageSize: map[string]int{
			"tools/list":     20,
			"resources/list": 5,
			"prompts/list":   4,
		},
		Extensions: map[string]any{
			peer.TasksExtension: struct{}{},
			"com.example/tea":   map[string]any{"pots": 2, "kinds": []string{"green", "black", "oolong", "white"}},
		},
		Pace: pace,
	}
}

func yes() *bool { return new(true) }
func no() *bool  { return new(false) }

package catalog

import (
	"mcptea/client/revision"
	"mcptea/demo/media"
	"mcptea/demo/peer"
)

// prompts is the table of prompts, from none to several arguments, then odd
// contents.
func prompts() []peer.Prompt {
	return []peer.Prompt{
		{
			Name: "simple", Title: "Simple", Description: "A prompt without arguments",
			Get: func(map[string]string) []peer.PromptMessage {
				return said("user", peer.Text("Tell me something about tea in one sentence."))
			},
		},
		{
			Name: "greeting", Title: "Greeting", Description: "Greets one person",
			Arguments: []peer.Argument{{Name: "name", Title: "Name", Description: "Whom to greet", Required: true, Complete: names}},
			Get: func(args map[string]string) []peer.PromptMessage {
				return said("user", peer.Textf("Greet %s warmly.", args["name"]))
			},
		},
		{
			Name: "code-review", Title: "Code review", Description: "Asks for a review; the framework depends on the language",
			Arguments: []peer.Argument{
				{Name: "language", Title: "Language", Description: "The programming language", Required: true, Complete: languages},
				{Name: "framework", Title: "Framework", Description: "What it is built on", Complete: frameworks},
				{Name: "focus", Title: "Focus", Description: "What to look at, in your own words"},
			},
			Get: codeReview,
		},
		{
			Name: "conversation", Title: "Conversation", Description: "Several messages of both sides",
			Get: func(map[string]string) []peer.PromptMessage {
				return []peer.PromptMessage{
					{Role: "user", Content: peer.Text("Which tea shall I have?")},
					{Role: "assistant", Content: peer.Text("Do you like it strong or light?")},
					{Role: "user", Content: peer.Text("Strong, with milk.")},
				}
			},
		},
		{
			Name: "with-resource", Title: "With a resource", Description: "Carries a resource inside",
			Get: func(map[string]string) []peer.PromptMessage {
				return append(said("user", peer.Text("What does this program do?")),
					said("user", peer.Embedded(peer.TextContents("demo://go-code", "text/x-go", goCode)))...)
			},
		},
		{
			Name: "with-picture", Title: "With a picture", Description: "Carries a picture",
			Get: func(map[string]string) []peer.PromptMessage {
				return append(said("user", peer.Text("What is in this picture?")),
					said("user", peer.Image("image/png", media.Picture(64)))...)
			},
		},
		{
			Name: "ask-name", Title: "Ask for a name", Description: "Asks you for a name before there is a prompt", Ask: askingPrompt,
			Visible: peer.Visible{From: revision.R20250618},
		},
		{
			Name: "surprise", Title: "Surprise", Description: "Is only there after change-list", Visible: peer.Visible{Hidden: true},
			Get: func(map[string]string) []peer.PromptMessage { return said("user", peer.Text("Boo.")) },
		},
	}
}

func said(role string, c peer.Content) []peer.PromptMessage {
	return []peer.PromptMessage{{Role: role, Content: c}}
}

func codeReview(args map[string]string) []peer.PromptMessage {
	text := "Review this " + args["language"] + " code"
	if f := args["framework"]; f != "" {
		text += ", which is built on " + f
	}
	if f := args["focus"]; f != "" {
		text += ". Look at this above all: " + f
	}
	return said("user", peer.Text(text+"."))
}

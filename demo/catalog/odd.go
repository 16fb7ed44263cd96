package catalog

import (
	"context"
	"encoding/json"

	"mcptea/demo/media"
	"mcptea/demo/peer"
)

func fail(_ context.Context, c *peer.Call) (peer.Result, error) {
	args := struct{ Message string }{"It did not work out."}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	return peer.Failed("%s", args.Message), nil
}

func failProtocol(_ context.Context, c *peer.Call) (peer.Result, error) {
	args := struct {
		Code    int64
		Message string
		Data    json.RawMessage
	}{Code: -32603, Message: "Something broke"}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	e := &peer.Error{Code: args.Code, Message: args.Message}
	if args.Data != nil {
		e.Data = args.Data
	}
	return peer.Result{}, e
}

const markdown = `# Tea, in short

1. Boil the **water**.
2. Warm the *pot*.
3. Wait ` + "`3m30s`" + `.

| Tea | Degrees |
|---|---:|
| green | 75 |
| black | 95 |

> Milk last.

` + "```go\nfmt.Println(\"ready\")\n```\n"

func content(context.Context, *peer.Call) (peer.Result, error) {
	return peer.Result{Content: []peer.Content{
		peer.Text("Plain text, for everybody."),
		peer.Text(markdown).Marked(peer.Marks{Audience: []string{"user"}, Priority: new(0.8)}),
		peer.Image("image/png", media.Picture(64)).Marked(peer.Marks{Audience: []string{"user"}}),
		peer.Audio("audio/wav", media.Tone(440, 250)),
		peer.Embedded(peer.TextContents("demo://readme", "text/markdown", markdown)),
		peer.Embedded(peer.BlobContents("demo://picture", "image/png", media.Picture(16))),
		peer.Link("demo://go-code", "go-code", "A small Go program", "text/x-go").
			Marked(peer.Marks{Audience: []string{"assistant"}, Priority: new(0.1), LastModified: "2026-01-02T03:04:05Z"}),
	}}, nil
}

// escapes are texts that a terminal must not obey, one a line, each after a
// word that says what it would do.
const escapes = "colour: \x1b[31mred\x1b[0m and \x1b[7mreverse\x1b[0m\n" +
	"clear: \x1b[2J\x1b[H gone?\n" +
	"title: \x1b]0;owned\x07 in the window's title\n" +
	"link: \x1b]8;;https://example.com/evil\x1b\\harmless\x1b]8;;\x1b\\\n" +
	"clipboard: \x1b]52;c;b3duZWQ=\x07\n" +
	"cursor: over\b\b\b\bwritten, and a carriage\rreturn\n" +
	"alternate screen: \x1b[?1049h\n" +
	"query: \x1b[6n\x1b[c\n" +
	"eight bit: \u009b31mC1\u009b0m \u009dtitle\u009c\n" +
	"bell: \x07 null: \x00 delete: \x7f\n" +
	"bidi: \u202egnp.exe\u202c and \u2066isolated\u2069\n" +
	"zero width: pass\u200bword \u200djoined\u2060 \ufeffmark\n" +
	"tags: \U000e0068\U000e0069 are invisible letters\n" +
	"combining: z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031ea\u0352\u0352l\u0489g\u0327o\n" +
	"wide: 漢字 👩‍👩‍👧‍👦 🇩🇪 ﷽\n" +
	"tab:\tone\ttwo\n"

func escapeArt(context.Context, *peer.Call) (peer.Result, error) {
	return peer.Said("%s", escapes), nil
}

package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"mcptea/demo/peer"
)

func echo(_ context.Context, c *peer.Call) (peer.Result, error) {
	var args struct{ Message string }
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	return peer.Said("%s", args.Message), nil
}

func add(_ context.Context, c *peer.Call) (peer.Result, error) {
	args := struct{ A, B float64 }{B: 1}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	r := peer.Said("%s + %s = %s", number(args.A), number(args.B), number(args.A+args.B))
	r.Structured = map[string]float64{"sum": args.A + args.B}
	return r, nil
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

var greetings = map[string]map[string]string{
	"plain": {"en": "Hello, %s.", "de": "Hallo, %s.", "fr": "Bonjour, %s.", "ja": "こんにちは、%sさん。"},
	"warm":  {"en": "How good to see you, %s!", "de": "Wie schön, dich zu sehen, %s!", "fr": "Quel plaisir de te voir, %s !", "ja": "会えて嬉しいです、%sさん！"},
	"stiff": {"en": "Good day to you, %s.", "de": "Guten Tag, %s.", "fr": "Mes hommages, %s.", "ja": "%s様、ご機嫌麗しゅうございます。"},
}

func greet(_ context.Context, c *peer.Call) (peer.Result, error) {
	args := struct {
		Name, Language, Style string
		Shout                 bool
	}{Language: "en", Style: "plain"}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	text := fmt.Sprintf(greetings[args.Style][args.Language], args.Name)
	if args.Shout {
		text = strings.ToUpper(text)
	}
	return peer.Said("%s", text), nil
}

func weather(_ context.Context, c *peer.Call) (peer.Result, error) {
	args := struct{ City, Unit string }{Unit: "celsius"}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(args.City))
	seed := h.Sum32()
	temperature := float64(seed%350)/10 - 5
	if args.Unit == "fahrenheit" {
		temperature = float64(int(temperature*18+320)) / 10
	}
	conditions := []string{"sunny", "cloudy", "light rain", "fog", "thunderstorm"}[seed%5]
	report := struct {
		City        string  `json:"city"`
		Temperature float64 `json:"temperature"`
		Unit        string  `json:"unit"`
		Conditions  string  `json:"conditions"`
		Humidity    uint32  `json:"humidity"`
	}{args.City, temperature, args.Unit, conditions, 30 + seed%70}
	text, err := json.Marshal(report)
	if err != nil {
		return peer.Result{}, err
	}
	// Structured content is repeated as text for clients that do not read it.
	r := peer.Said("%s", text)
	r.Structured = report
	return r, nil
}

type book struct {
	title, author string
	year          int
	tags          []string
}

var library = []book{
	{"The Book of Tea", "Okakura Kakuzō", 1906, []string{"tea", "art"}},
	{"A Nice Cup of Tea", "George Orwell", 1946, []string{"tea", "essay"}},
	{"The Tea Ceremony", "Sen Sōtan", 1973, []string{"tea", "art", "history"}},
	{"All the Tea in China", "Kit Chow", 1990, []string{"tea", "history"}},
	{"For All the Tea in China", "Sarah Rose", 2009, []string{"tea", "history"}},
	{"The Story of Coffee", "Antony Wild", 2004, []string{"coffee", "history"}},
}

func search(_ context.Context, c *peer.Call) (peer.Result, error) {
	args := struct {
		Query  string
		Filter struct {
			Author string
			Years  struct{ From, To int }
		}
		Tags  []string
		Limit int
	}{Limit: 5}
	args.Filter.Years.To = 2100
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	var hits []string
	for _, b := range library {
		years := args.Filter.Years
		if containsFold(b.title, args.Query) && containsFold(b.author, args.Filter.Author) &&
			b.year >= years.From && b.year <= years.To && hasAll(b.tags, args.Tags) && len(hits) < args.Limit {
			hits = append(hits, fmt.Sprintf("%s, %s (%d)", b.title, b.author, b.year))
		}
	}
	if len(hits) == 0 {
		return peer.Said("nothing found for %q", args.Query), nil
	}
	return peer.Said("%s", strings.Join(hits, "\n")), nil
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(part))
}

func hasAll(have, want []string) bool {
	for _, w := range want {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return true
}

func makeReport(_ context.Context, c *peer.Call) (peer.Result, error) {
	var args struct {
		Title string
		Rows  []struct {
			Item  string
			Count int
			Price float64
		}
	}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n| Item | Count | Price |\n|---|---:|---:|\n", args.Title)
	total := 0.0
	for _, r := range args.Rows {
		fmt.Fprintf(&b, "| %s | %d | %.2f |\n", r.Item, r.Count, r.Price)
		total += float64(r.Count) * r.Price
	}
	fmt.Fprintf(&b, "\nTotal: **%.2f**\n", total)
	return peer.Said("%s", b.String()), nil
}

func noArgumentsTool(context.Context, *peer.Call) (peer.Result, error) {
	return peer.Said("nothing in, this out"), nil
}

func anyJSON(_ context.Context, c *peer.Call) (peer.Result, error) {
	var indented bytes.Buffer
	if err := json.Indent(&indented, c.Args, "", "  "); err != nil {
		return peer.Result{}, err
	}
	var members map[string]json.RawMessage
	if err := c.Decode(&members); err != nil {
		return peer.Result{}, err
	}
	return peer.Said("%d members, %d bytes:\n%s", len(members), len(c.Args), indented.String()), nil
}

func dates(_ context.Context, c *peer.Call) (peer.Result, error) {
	args := struct {
		Day    string `json:"day"`
		Moment string `json:"moment,omitempty"`
		Email  string `json:"email,omitempty"`
		Page   string `json:"page,omitempty"`
		Code   string `json:"code,omitempty"`
	}{}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	if wrong := wrongFormat(args.Day, args.Moment, args.Email, args.Page); wrong != "" {
		return peer.Failed("%s", wrong), nil
	}
	text, err := json.Marshal(args)
	if err != nil {
		return peer.Result{}, err
	}
	return peer.Said("all well formed: %s", text), nil
}

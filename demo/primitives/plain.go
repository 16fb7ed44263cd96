package primitives

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/server/peer"
)

func add(_ context.Context, _ *peer.Call, args struct{ A, B float64 }) (any, error) {
	return structured(struct {
		Sum float64 `json:"sum"`
	}{args.A + args.B})
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

var greetings = map[string]map[string]string{
	"plain": {"en": "Hello, %s.", "de": "Hallo, %s.", "fr": "Bonjour, %s.", "ja": "こんにちは、%sさん。"},
	"warm":  {"en": "How good to see you, %s!", "de": "Wie schön, dich zu sehen, %s!", "fr": "Quel plaisir de te voir, %s !", "ja": "会えて嬉しいです、%sさん！"},
	"stiff": {"en": "Good day to you, %s.", "de": "Guten Tag, %s.", "fr": "Mes hommages, %s.", "ja": "%s様、ご機嫌麗しゅうございます。"},
}

func greet(_ context.Context, _ *peer.Call, args struct {
	Name, Language, Style string
	Shout                 bool
},
) (any, error) {
	text := fmt.Sprintf(greetings[args.Style][args.Language], args.Name)
	if args.Shout {
		text = strings.ToUpper(text)
	}
	return peer.Said("%s", text), nil
}

func weather(_ context.Context, _ *peer.Call, args struct{ City, Unit string }) (any, error) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(args.City))
	seed := h.Sum32()
	temperature := float64(seed%350)/10 - 5
	if args.Unit == "fahrenheit" {
		temperature = float64(int(temperature*18+320)) / 10
	}
	report := struct {
		City        string  `json:"city"`
		Temperature float64 `json:"temperature"`
		Unit        string  `json:"unit"`
		Conditions  string  `json:"conditions"`
		Humidity    uint32  `json:"humidity"`
	}{args.City, temperature, args.Unit, []string{"sunny", "cloudy", "light rain", "fog", "thunderstorm"}[seed%5], 30 + seed%70}
	return structured(report)
}

// structured returns a result with structured content, repeated as text for clients that do not read it.
func structured(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	r := peer.Said("%s", text)
	r.Structured = v
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

func search(_ context.Context, _ *peer.Call, args struct {
	Query  string
	Filter struct {
		Author string
		Years  struct {
			From int
			To   *int
		}
	}
	Tags  []string
	Limit int
},
) (any, error) {
	has := func(s, part string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(part)) }
	years := args.Filter.Years
	var hits []string
	for _, b := range library {
		lacking := func(tag string) bool { return !slices.Contains(b.tags, tag) }
		if has(b.title, args.Query) && has(b.author, args.Filter.Author) && b.year >= years.From &&
			(years.To == nil || b.year <= *years.To) && !slices.ContainsFunc(args.Tags, lacking) && len(hits) < args.Limit {
			hits = append(hits, fmt.Sprintf("%s, %s (%d)", b.title, b.author, b.year))
		}
	}
	if len(hits) == 0 {
		return peer.Said("nothing found for %q", args.Query), nil
	}
	return peer.Said("%s", strings.Join(hits, "\n")), nil
}

func makeReport(_ context.Context, _ *peer.Call, args struct {
	Title string
	Rows  []struct {
		Item  string
		Count int
		Price float64
	}
},
) (any, error) {
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

func anyJSON(_ context.Context, c *peer.Call) (any, error) {
	var members map[string]json.RawMessage
	if err := c.Decode(&members); err != nil {
		return nil, err
	}
	return peer.Said("%d members, %d bytes:\n%s", len(members), len(c.Args), jsonrpc.Indented(c.Args)), nil
}

// timed are the arguments of the tool dates.
type timed struct {
	Day    string `json:"day"`
	Moment string `json:"moment,omitempty"`
	Email  string `json:"email,omitempty"`
	Page   string `json:"page,omitempty"`
	Code   string `json:"code,omitempty"`
}

func dates(_ context.Context, _ *peer.Call, args timed) (any, error) {
	_, noDay := time.Parse(time.DateOnly, args.Day)
	_, noMoment := time.Parse(time.RFC3339, args.Moment)
	address, noEmail := mail.ParseAddress(args.Email)
	page, noPage := url.Parse(args.Page)
	for _, check := range []struct {
		name, value string
		ok          bool
	}{
		{"day", args.Day, noDay == nil},
		{"moment", args.Moment, args.Moment == "" || noMoment == nil},
		{"email", args.Email, args.Email == "" || noEmail == nil && address.Address == args.Email},
		{"page", args.Page, args.Page == "" || noPage == nil && page.Scheme != ""},
	} {
		if !check.ok {
			return nil, peer.Failf("%s: %q does not have the right format", check.name, check.value)
		}
	}
	text, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	return peer.Said("all well formed: %s", text), nil
}

func failProtocol(_ context.Context, _ *peer.Call, args struct {
	Code    int64
	Message string
	Data    json.RawMessage
},
) (any, error) {
	e := &peer.Error{Code: args.Code, Message: args.Message}
	if args.Data != nil {
		e.Data = args.Data
	}
	return nil, e
}

const bigLine = "The quick brown fox jumps over the lazy dog, and then does it all over again.\n"

func bigAnswer(_ context.Context, _ *peer.Call, args struct{ Kilobytes int }) (any, error) {
	return peer.Said("%s", bigText(args.Kilobytes)), nil
}

// bigText returns that many times 1024 bytes of text.
func bigText(kilobytes int) string {
	size := kilobytes * 1024
	return strings.Repeat(bigLine, size/len(bigLine)+1)[:size]
}

func logMessage(_ context.Context, c *peer.Call, args struct {
	Level, Logger string
	Data          json.RawMessage
},
) (any, error) {
	if args.Data == nil {
		args.Data = json.RawMessage(`"the kettle is on"`)
	}
	if !c.WantsLog(args.Level) {
		return peer.Said("not sent: the level set is above %s", args.Level), nil
	}
	c.Log(args.Level, args.Logger, args.Data)
	return peer.Said("sent at level %s", args.Level), nil
}

func changeTools(_ context.Context, c *peer.Call) (any, error) {
	if c.Toggle(revision.Tools.Name, "surprise") {
		return peer.Said("surprise is there now"), nil
	}
	return peer.Said("surprise is gone"), nil
}

// changeList shows or hides the surprise of a list.
func changeList(_ context.Context, c *peer.Call, args struct{ List string }) (any, error) {
	name := "surprise"
	if args.List == revision.Resources.Name {
		name = "demo://surprise"
	}
	if c.Toggle(args.List, name) {
		return peer.Said("%s is there now, in %s", name, args.List), nil
	}
	return peer.Said("%s is gone from %s", name, args.List), nil
}

func touchResource(_ context.Context, c *peer.Call, args struct{ URI string }) (any, error) {
	subscribers, ok := c.TouchResource(args.URI)
	if !ok {
		return nil, peer.Failf("there is no resource %s", args.URI)
	}
	return peer.Said("%s changed; told %d subscribers", args.URI, subscribers), nil
}

func endSubscriptions(_ context.Context, c *peer.Call) (any, error) {
	return peer.Said("ended %d subscriptions", c.EndSubscriptions()), nil
}

// priceOrder reports the received arguments, without the defaults.
func priceOrder(_ context.Context, c *peer.Call) (any, error) {
	var args struct {
		Region  string
		Cups    int
		Express bool
		Note    string
		To      struct{ Table string }
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	return peer.Said("%d cups to table %q in %q, express: %v, note: %q", args.Cups, args.To.Table, args.Region, args.Express, args.Note), nil
}

// emitEvent emits events, or makes their streams fail.
func emitEvent(_ context.Context, c *peer.Call, args struct {
	Name, Tea, What string
	Count           int
},
) (any, error) {
	switch args.What {
	case "gap":
		c.LoseEvents(args.Name)
		return peer.Said("the events of %s so far are lost", args.Name), nil
	case "end":
		return peer.Said("ended the streams, and %d subscriptions", c.EndSubscriptions()), nil
	}
	last := ""
	for range args.Count {
		n := c.Count(args.Name)
		data := map[string]any{"order": n, "tea": args.Tea, "cups": 1 + n%3}
		if args.Name == "stock.low" {
			data = map[string]any{"tea": args.Tea, "grams": 100 / n}
		}
		last = c.Emit(args.Name, peer.Encode(data))
	}
	return peer.Said("emitted %d of %s, the last one is %s", args.Count, args.Name, last), nil
}

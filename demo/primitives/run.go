package primitives

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"mcptea/client/revision"
	"mcptea/internal/server/peer"
)

// runs are the functions of the entries without a constant result, by list and key.
var runs = map[string]map[string]peer.Run{
	revision.Tools.Name: {
		"add":         with(add),
		"greet":       with(greet),
		"weather":     with(weather),
		"search":      with(search),
		"make-report": with(makeReport),
		"any-json":    anyJSON,
		"dates":       with(dates),

		"long-work":    with(longWork),
		"count-up":     with(countUp),
		"flood":        with(flood),
		"slow-answer":  with(slowAnswer),
		"never-answer": neverAnswer,

		"fail-protocol": with(failProtocol),
		"big-answer":    with(bigAnswer),

		"ask-user":    with(askUser),
		"ask-model":   with(askModel),
		"list-roots":  listRoots,
		"ping-client": pingClient,
		"ask-twice":   askTwice,
		"ask-all":     askAll,
		"think-twice": thinkTwice,
		"brew":        with(brew),
		"brew-task":   with(brew),

		"log":               with(logMessage),
		"change-tools":      changeTools,
		"change-list":       with(changeList),
		"touch-resource":    with(touchResource),
		"price-order":       priceOrder,
		"end-subscriptions": endSubscriptions,
		"emit-event":        with(emitEvent),
	},
	revision.Resources.Name: {
		"demo://counter":    readCounter,
		"demo://big":        func(context.Context, *peer.Call) (any, error) { return contents(bigText(1024)), nil },
		"demo://clock":      readClock,
		"demo://guest-book": guestBook,
	},
	revision.Templates.Name: {
		"demo://numbers/{from}/{to}": readNumbers,
	},
	revision.Prompts.Name: {
		"code-review": with(codeReview),
		"ask-name":    askForName,
	},
}

// with makes a function of decoded arguments a [peer.Run].
func with[Args any](run func(context.Context, *peer.Call, Args) (any, error)) peer.Run {
	return func(ctx context.Context, c *peer.Call) (any, error) {
		var args Args
		if err := c.Decode(&args); err != nil {
			return nil, err
		}
		return run(ctx, c, args)
	}
}

func contents(text string) map[string]string { return map[string]string{"text": text} }

func fromUser(text string) []peer.PromptMessage {
	return []peer.PromptMessage{{Role: "user", Content: peer.Textf("%s", text)}}
}

func codeReview(_ context.Context, _ *peer.Call, args struct{ Language, Framework, Focus string }) (any, error) {
	text := "Review this " + args.Language + " code"
	if args.Framework != "" {
		text += ", which is built on " + args.Framework
	}
	if args.Focus != "" {
		text += ". Look at this above all: " + args.Focus
	}
	return fromUser(text + "."), nil
}

func readCounter(_ context.Context, c *peer.Call) (any, error) {
	return contents(fmt.Sprintf("read %d times\n", c.Count("demo://counter"))), nil
}

func readClock(_ context.Context, c *peer.Call) (any, error) {
	return contents(fmt.Sprintf("ticked %d times\n", c.Ticks("demo://clock"))), nil
}

// maxNumbers bounds the length of the resource demo://numbers.
const maxNumbers = 10000

func readNumbers(_ context.Context, c *peer.Call) (any, error) {
	var values struct{ From, To string }
	if err := json.Unmarshal(c.Args, &values); err != nil {
		return nil, err
	}
	from, err1 := strconv.Atoi(values.From)
	to, err2 := strconv.Atoi(values.To)
	if err1 != nil || err2 != nil || from > to || to-from >= maxNumbers || to-from < 0 {
		return nil, c.NotFound("no such numbers: two whole ones, the smaller first, not too far apart")
	}
	var b strings.Builder
	for i := 0; i <= to-from; i++ {
		fmt.Fprintln(&b, from+i)
	}
	return contents(b.String()), nil
}

// completers are the values that arguments could have, by prompt or template and by
// argument.
var completers = map[string]map[string]peer.Completer{
	"greeting":                   {"name": names},
	"code-review":                {"language": values("go", "python", "rust", "ruby", "typescript", "zig"), "framework": frameworks, "focus": nil},
	"demo://greeting/{name}":     {"name": names},
	"demo://numbers/{from}/{to}": {"from": laterNumbers, "to": laterNumbers},
}

func values(all ...string) peer.Completer {
	return func(map[string]string) []string { return all }
}

var names = values("Ada", "Alan", "Barbara", "Dennis", "Edsger", "Frances", "Grace", "Ken", "Margaret", "Rob")

// laterNumbers completes numbers, starting with the argument "from" or with 1. There are more
// values than a response can hold, to show hasMore.
func laterNumbers(others map[string]string) []string {
	first, err := strconv.Atoi(others["from"])
	if err != nil {
		first = 1
	}
	all := make([]string, 250)
	for i := range all {
		all[i] = strconv.Itoa(first + i)
	}
	return all
}

// frameworks offers what goes with the argument "language".
func frameworks(others map[string]string) []string {
	known := map[string][]string{
		"go":         {"bubbletea", "chi", "cobra"},
		"python":     {"django", "fastapi", "flask"},
		"rust":       {"axum", "ratatui", "tokio"},
		"typescript": {"express", "react", "vue"},
	}
	if of, ok := known[others["language"]]; ok {
		return of
	}
	return []string{"none"}
}

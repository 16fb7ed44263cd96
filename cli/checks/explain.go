package checks

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/authority"
	"mcptea/check/directory"
	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/client/hosts"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/servercard"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
	"mcptea/session/apps/appcheck"
	"mcptea/session/declare"
	"mcptea/session/explain/card"
)

const explainName = "explain"

// explainCommand is mcptea explain.
type explainCommand struct {
	*settings.Settings
	print printer
}

func (p *explainCommand) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   explainName + " [TOPIC]",
		Short: "Explain an error code, rule, probe, method or HTTP status",
		Long: `Explain an error code, a lint rule (id or slug), a probe of check, a check of app --check, a rule about server cards (CARD-03), a problem of a configuration (F062), a method or notification (also by a common misspelling), a member of a message, an HTTP status, a capability, a header, a log level, a connect step, a SEP, an error of OAuth or of the operating system, or another word of the specification. Without a TOPIC, list the topics and the kinds of them; rules, codes, methods, members, headers, statuses, capabilities, levels, steps and probes list all of a kind. check-json is the JSON Schema of a line of mcptea check --json, mock-schema that of a file for mcptea mock --declare, and config-schema that of config.yaml.

If a code has several meanings, all of them are explained, the most likely first. --protocol restricts the explanation to one protocol version. A prefix selects the kind: "code 404" and "HTTP 404" differ.

With --json the explanation is one object, and the list one array. The exit code is 2 for an unknown topic.`,
		Example: `  mcptea explain -32602
  mcptea explain -32001 --protocol 2026-07-28
  mcptea explain J031
  mcptea explain P-020
  mcptea explain probes
  mcptea explain HTTP 404
  mcptea explain tools/execute
  mcptea explain isError --json | jq -r .check`,
		ValidArgsFunction: completeCards,
		RunE:              p.RunE(p.explain),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.StringVar(&p.Flags.Protocol, "protocol", "auto", "explain for this protocol `VERSION` only")
	})
	app.Completes(cmd, "protocol", settings.RevisionNames()...)
	p.AddOutput(cmd)
	return cmd
}

func (p *explainCommand) explain(_ *cobra.Command, args []string) error {
	where := card.Where{}
	if r := p.Flags.Protocol; r != "auto" {
		if where.Revision = revision.Revision(r); !where.Revision.Known() {
			return app.Usage("The versions are "+strings.Join(settings.RevisionNames(), ", ")+".", "--protocol: unknown protocol version %q", r)
		}
	}
	if len(args) == 0 {
		return p.listKinds()
	}
	word := strings.Join(args, " ")
	switch word {
	case "probes":
		return p.print.listProbes()
	case "tokens":
		return p.listAuthority(tokenCard, tokenNames())
	case "answers":
		return p.listAuthority(answerCard, answerNames())
	case "check-json":
		return p.PrintJSON(report.Schema)
	case "config-schema":
		return p.PrintJSON(string(settings.Schema()))
	case "mock-schema":
		return p.PrintJSON(strings.TrimSpace(string(declare.Schema)))
	}
	if kind, all := kindsByName[strings.ToLower(word)]; all {
		return p.listCards(kind)
	}
	c, ok := explained(word, where)
	if !ok {
		near := nearWords(word)
		if len(near) == 0 || !strings.Contains(word, "/") || phrase.EditDistance(strings.ToLower(word), strings.ToLower(near[0])) > 2 {
			return app.Usage(strings.TrimPrefix(app.OneOf(near)+"\nmcptea explain lists the topics.", "\n"), "unknown topic %q", word)
		}
		// A misspelled method.
		c, _ = card.Find(near[0], where)
		p.Note(fmt.Sprintf("%q does not exist in any protocol version; explaining %s", word, near[0]))
	}
	if p.JSON {
		return p.cardJSON(c)
	}
	p.printCard(c)
	return nil
}

// nearWords returns the words with a card that are similar to a word. They begin with the same letter, and letters do not become a
// number.
func nearWords(word string) []string {
	if word == "" {
		return nil
	}
	return slices.DeleteFunc(phrase.Nearest(word, card.Words()), func(near string) bool {
		return !strings.EqualFold(near[:1], word[:1]) || strings.Trim(near, "-0123456789") == "" && strings.Trim(word, "-0123456789") != ""
	})
}

// HasCard reports whether mcptea explain has a card of a word.
func HasCard(word string) bool {
	_, ok := explained(word, card.Where{})
	return ok
}

// explained returns the card of a word of any catalogue.
func explained(word string, where card.Where) (card.Card, bool) {
	if c, ok := card.Find(word, where); ok {
		return c, true
	}
	for _, find := range []func(string) (card.Card, bool){probeCard, directoryCard, cardRuleCard, appCheckCard, configurationCard, tokenCard, answerCard} {
		if c, ok := find(word); ok {
			return c, true
		}
	}
	return card.Card{}, false
}

// probeCard returns the card of a probe of check, found by its id or slug.
func probeCard(word string) (c card.Card, ok bool) {
	for _, e := range probe.Catalogue() {
		if !strings.EqualFold(e.ID, word) && !strings.EqualFold(strings.ReplaceAll(e.ID, "-", ""), word) && e.Slug != word {
			continue
		}
		c = card.Card{Kind: probeKind, Key: e.ID, Title: e.Slug, What: []string{"A probe of mcptea check."}, Check: e.Fix, See: e.Rules}
		for _, f := range []card.Fact{
			{Label: "level", Text: string(e.Level)},
			{Label: "sends", Text: e.Sends},
			{Label: "passes", Text: e.Pass},
			{Label: "fails", Text: e.Fail},
			{Label: "needs", Text: e.Needs},
			{Label: "specification", Text: e.Spec},
		} {
			if f.Text != "" {
				c.Facts = append(c.Facts, f)
			}
		}
		return c, true
	}
	return card.Card{}, false
}

// directoryCard returns the card of a requirement of a directory of servers, found by its id or name.
func directoryCard(word string) (c card.Card, ok bool) {
	for _, r := range directory.Requirements() {
		if strings.EqualFold(r.ID, word) || r.Name == word {
			how := "by mcptea check --directory"
			if r.Judge == "" {
				how = "by hand, not by mcptea"
			}
			return card.Card{
				Kind: probeKind, Key: r.ID, Title: r.Name, What: []string{"A requirement of directories of servers."}, Check: r.Fix,
				Facts: []card.Fact{
					{Label: "directories", Text: strings.Join(r.Directories, ", ")},
					{Label: "requires", Text: r.Requires},
					{Label: "judged", Text: how},
					{Label: "source", Text: r.Source + " (read on " + r.Date + ")"},
				},
			}, true
		}
	}
	return card.Card{}, false
}

// cardRuleCard returns the card of a rule about catalogs and server cards, found by its id or name.
func cardRuleCard(word string) (c card.Card, ok bool) {
	for _, r := range servercard.Rules() {
		if strings.EqualFold(r.ID, word) || r.Name == word {
			return card.Card{
				Kind: cardRuleKind, Key: r.ID, Title: r.Name, What: []string{"A rule about the catalog and the server cards of a host, for mcptea info --discover and mcptea check --discover."}, Check: r.Fix,
				Facts: []card.Fact{{Label: "level", Text: r.Level()}, {Label: "passes", Text: r.Requires}, {Label: "specification", Text: r.Spec}},
			}, true
		}
	}
	return card.Card{}, false
}

// appCheckCard returns the card of a check of mcptea app --check, found by its id or slug.
func appCheckCard(word string) (c card.Card, ok bool) {
	for _, e := range appcheck.Catalogue() {
		if strings.EqualFold(e.ID, word) || strings.EqualFold(strings.ReplaceAll(e.ID, "-", ""), word) || e.Slug == word {
			return card.Card{
				Kind: appCheckKind, Key: e.ID, Title: e.Slug, What: []string{"A check of mcptea app --check."}, Check: e.Fix,
				Facts: []card.Fact{{Label: "passes", Text: "the app " + e.Pass}},
			}, true
		}
	}
	return card.Card{}, false
}

// configurationCard returns the description of a problem of configuration files, by id or name.
func configurationCard(word string) (c card.Card, ok bool) {
	for _, k := range hosts.Kinds() {
		if strings.EqualFold(k.ID, word) || k.Name == word {
			return card.Card{
				Kind: configurationKind, Key: k.ID, Title: k.Name, What: []string{"A problem of a configuration file of a host, found by mcptea servers."},
				Cause: phrase.Capital(strings.ReplaceAll(k.Means, "`", "")) + ".",
			}, true
		}
	}
	return card.Card{}, false
}

// Kinds of the cards of catalogues other than the catalogue of rules.
const (
	probeKind         card.Kind = "probe"
	cardRuleKind      card.Kind = "rule about server cards"
	appCheckKind      card.Kind = "check of an app"
	configurationKind card.Kind = "configuration"
)

func (p *explainCommand) cardJSON(v any) error {
	b, err := jsonrpc.MarshalIndented(v, "  ")
	if err != nil {
		return err
	}
	return p.PrintJSON(string(b))
}

// printCard prints a card, wrapped at the width of the terminal.
func (p *explainCommand) printCard(c card.Card) {
	p.Out.Line(p.Out.Strong(c.Key) + "  " + p.Out.Name(c.Title))
	lines := c.Lines()
	column, last := card.Column(lines), ""
	for _, l := range lines {
		label := l.Label
		switch {
		case l.Heading:
			p.Out.Line(strings.TrimSuffix("\n"+p.Out.Strong(l.Text), "\n"))
		case label == "":
			p.Out.Beside("", l.Text, p.Readable())
		default:
			if label == last {
				label = ""
			}
			if len(label) > column {
				p.Out.Line("  " + p.Out.Faint(label))
				label = ""
			}
			p.Out.Beside("  "+p.Out.Faint(fmt.Sprintf("%-*s", column, label))+"  ", l.Text, p.Readable())
		}
		last = l.Label
	}
}

var kindNames = map[card.Kind]string{
	card.Topic: "topics", card.Code: "error codes", card.Status: "HTTP statuses", card.Method: "methods and notifications", card.Member: "members of messages",
	card.Capability: "capabilities", card.Header: "headers", card.Level: "log levels", card.Step: "connect steps", card.Rule: "rules",
}

// kindsByName are the words that list all topics of a kind.
var kindsByName = map[string]card.Kind{
	"topics": card.Topic, "codes": card.Code, "statuses": card.Status, "methods": card.Method, "members": card.Member, "capabilities": card.Capability,
	"headers": card.Header, "levels": card.Level, "steps": card.Step, "rules": card.Rule,
}

// entriesOf returns the topics of a kind.
func entriesOf(kind card.Kind) []card.Entry {
	return slices.DeleteFunc(slices.Clone(card.Index()), func(e card.Entry) bool { return e.Kind != kind })
}

// listKinds prints the topics without a kind, and the number of topics of each kind. With --json it
// prints all topics.
func (p *explainCommand) listKinds() error {
	if p.JSON {
		return p.cardJSON(card.Index())
	}
	p.Out.Line(p.Out.Strong("Topics"))
	if err := p.listCards(card.Topic); err != nil {
		return err
	}
	p.Out.Line("\n" + p.Out.Strong("Lists"))
	t := app.Table{Out: p.Out, Indent: "  ", Looks: []lipgloss.Style{app.Name}}
	for _, kind := range card.Kinds()[1:] { // without the first kind, the topics
		for name, of := range kindsByName {
			if of == kind {
				t.Row("mcptea explain "+name, fmt.Sprintf("%d %s", len(entriesOf(kind)), kindNames[kind]))
			}
		}
	}
	t.Row("mcptea explain probes", fmt.Sprintf("%d probes of mcptea check", len(probe.Catalogue())))
	t.Row("mcptea explain tokens", fmt.Sprintf("%d tokens of mcptea auth check", len(authority.Tokens())))
	t.Row("mcptea explain answers", fmt.Sprintf("%d wrong responses of mcptea auth serve", len(authority.Answers())))
	t.Print()
	return nil
}

// listCards lists the topics of a kind.
func (p *explainCommand) listCards(kind card.Kind) error {
	entries := entriesOf(kind)
	if p.JSON {
		return p.cardJSON(entries)
	}
	t := app.Table{Out: p.Out, Indent: "  ", Looks: []lipgloss.Style{app.Name}}
	for _, e := range entries {
		t.Row(e.Key, e.Title)
	}
	t.Print()
	return nil
}

// completeCards completes topics.
func completeCards(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	words := []string{"probes\tthe probes of check", "rules\tall rules", "codes\tall error codes", "methods\tall methods", "members\tall members of messages", "headers\tall headers", "statuses\tall HTTP statuses", "check-json\tJSON Schema of check --json", "mock-schema\tJSON Schema of mock --declare", "config-schema\tJSON Schema of config.yaml"}
	for _, e := range card.Index() {
		words = append(words, cobra.CompletionWithDesc(e.Key, e.Title))
	}
	words = slices.Concat(words, tokenNames(), answerNames())
	return words, cobra.ShellCompDirectiveNoFileComp
}

var negative = lazyregexp.New(`^-[0-9][0-9.]*$`)

// CodesBehindDashes moves error codes such as -32602 behind "--" if the command is
// explain or help: before it, an argument that begins with a hyphen is a flag.
func CodesBehindDashes(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Name() != explainName && cmd.Name() != "help" {
		return args
	}
	var others, codes []string
	for i, word := range args {
		switch {
		case word == "--":
			return slices.Concat(others, []string{"--"}, codes, args[i+1:])
		case negative().MatchString(word):
			codes = append(codes, word)
		default:
			others = append(others, word)
		}
	}
	if len(codes) == 0 {
		return args
	}
	return slices.Concat(others, []string{"--"}, codes)
}

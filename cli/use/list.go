package use

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/offer"
	"mcptea/offer/declared"
	"mcptea/offer/diff"
	"mcptea/session/declare"
	"mcptea/session/events"
	"mcptea/session/session"
)

func (p *commands) listCommand() *cobra.Command {
	var declares bool
	cmd := &cobra.Command{
		Use:   "list [KIND] TARGET",
		Short: "List tools, resources and prompts",
		Long: `List what a server offers. KIND is tools, resources, templates, prompts, skills or events; without it, all of them are listed.

With --json one object is printed, {"tools":[…],…}, with the entries as received.`,
		Example: `  mcptea list -- ./my-server
  mcptea list tools --url http://127.0.0.1:3000/mcp
  mcptea list tools --json -- ./my-server | jq '.tools[].name'
  mcptea list --declare -o shop.yaml -- ./my-server`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.list(cmd, args, declares) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.BoolVar(&declares, "declare", false, "print a file for mcptea mock --declare, which offers the same")
	})
	p.target.AddRequest(cmd)
	return cmd
}

func (p *commands) list(cmd *cobra.Command, args []string, declares bool) error {
	named, kinds := "", client.ListKinds
	return p.withSession(cmd, args, func(words []string) (_ []client.ListKind, err error) {
		if len(words) > 0 {
			kinds, err = kindNamed(words)
			named = words[0]
		}
		return kinds, err
	}, func(s *session.Session) error {
		lists, err := p.LoadLists(s, link.Nothing, kinds...)
		if err != nil {
			return err
		}
		if declares {
			err = p.declare(s, lists)
		} else if !p.JSON {
			p.printLists(lists, kinds, named != "")
		} else if !p.Filters() || !slices.ContainsFunc(kinds, func(k client.ListKind) bool { return lists[k.Name].Err != nil }) {
			err = p.PrintDocument(listsOf(lists, kinds, named != ""))
		}
		if err != nil {
			return err
		}
		p.WarnOfViolations()
		if !p.JSON && !declares {
			p.warnOfLists(s, lists)
		}
		return p.printListErrors(s, lists, kinds)
	})
}

// declare prints a file for mcptea mock --declare.
func (p *commands) declare(s *session.Session, lists map[string]offer.List) error {
	h := s.State().Handshake
	offer, _ := diff.Offer(h.Result)
	o := declare.Offered{Info: offer.Info, Instructions: h.Instructions, Lists: map[string][][]byte{}}
	for name, l := range lists {
		for _, item := range l.Items {
			o.Lists[name] = append(o.Lists[name], item.Raw)
		}
	}
	text, _, err := declare.Make(o)
	if err == nil {
		_, err = p.Out.Write([]byte(p.Out.Untrusted(string(text))))
	}
	return err
}

// printListErrors prints why lists are incomplete. The first error is explained; the
// others are usually the same. An error response is explained with the name of its list.
func (p *commands) printListErrors(s *session.Session, lists map[string]offer.List, kinds []client.ListKind) error {
	var first error
	for _, k := range kinds {
		err := lists[k.Name].Err
		if err == nil {
			continue
		}
		_, isResponse := errors.AsType[*client.RPCError](err)
		if first != nil || !isResponse {
			p.Warning(fmt.Sprintf("the list of %s is incomplete: %s", k.Name, link.SentenceOf(err)))
		}
		first = cmp.Or(first, err)
	}
	if first == nil {
		return nil
	}
	return p.Outcome(s, first)
}

func kindNamed(words []string) ([]client.ListKind, error) {
	hint := "The kinds are tools, resources, templates, prompts, skills and events."
	if len(words) > 1 {
		if slices.ContainsFunc(words[1:], func(w string) bool { return !target.IsKind(w) }) {
			kind := strings.TrimSuffix(words[0], "s") + "s"
			return nil, app.Usage("For one of them: mcptea list "+kind+" --jq '."+kind+"[] | select(.name == \"NAME\")' TARGET\n"+hint, "list takes one kind, found %d words", len(words))
		}
		return nil, app.Usage("Without a kind, mcptea list lists all of them.\n"+hint, "list takes one kind, found %d words", len(words))
	}
	var names []string
	for _, k := range client.ListKinds {
		names = append(names, k.Name)
		if k.Name == words[0] || k.Name == words[0]+"s" {
			return []client.ListKind{k}, nil
		}
	}
	if slices.Contains([]string{"all", "everything", "any", "*"}, words[0]) {
		hint = "Without a kind, mcptea list lists all of them."
	}
	return nil, app.Usage(app.Suggest(words[0], names, hint), "unknown kind %q", words[0])
}

// Lists is the output of list --json. A list that the server lacks is absent, or empty if it was named.
type Lists struct {
	Tools     []json.RawMessage `json:"tools,omitzero"`     // as received
	Resources []json.RawMessage `json:"resources,omitzero"` // as received
	Templates []json.RawMessage `json:"templates,omitzero"` // URI templates of resources, as received
	Prompts   []json.RawMessage `json:"prompts,omitzero"`   // as received
	Skills    []json.RawMessage `json:"skills,omitzero"`    // as received
	Events    []json.RawMessage `json:"events,omitzero"`    // event types, as received
}

func listsOf(lists map[string]offer.List, kinds []client.ListKind, named bool) (doc Lists) {
	to := map[string]*[]json.RawMessage{
		client.Tools.Name: &doc.Tools, client.Resources.Name: &doc.Resources, client.Templates.Name: &doc.Templates, client.Prompts.Name: &doc.Prompts,
		client.Skills.Name: &doc.Skills, client.Events.Name: &doc.Events,
	}
	for _, k := range kinds {
		if lists[k.Name].Offered || named {
			*to[k.Name] = rawItems(lists[k.Name])
		}
	}
	return doc
}

func rawItems(l offer.List) []json.RawMessage {
	raws := []json.RawMessage{}
	for _, item := range l.Items {
		raws = append(raws, item.Raw)
	}
	return raws
}

func (p *commands) printLists(lists map[string]offer.List, kinds []client.ListKind, named bool) {
	shown, unread := 0, false
	for _, k := range kinds {
		l := lists[k.Name]
		unread = unread || l.Err != nil
		if !l.Offered {
			if named {
				fmt.Fprintf(p.Err, "The server has no %s: it does not declare them.\n", k.Name)
			}
			continue
		}
		if len(l.Items) == 0 && l.Err != nil {
			continue // printed to stderr
		}
		if shown++; shown > 1 {
			p.Out.Line("")
		}
		if !named {
			p.Out.Line(p.Out.Strong(fmt.Sprintf("%s (%d)", k.Name, len(l.Items))))
		}
		t := app.Table{Out: p.Out, Looks: []lipgloss.Style{app.Name}}
		switch k.Name {
		case client.Skills.Name:
			skillRows(&t, l.Items)
		case client.Events.Name:
			for _, i := range l.Items {
				t.Row(shownKey(i), strings.Join(events.ReadType(i.Raw).Delivery, ", "), titleLine(i))
			}
		default:
			for _, i := range l.Items {
				t.Row(shownKey(i), titleLine(i))
			}
		}
		t.Print()
	}
	if shown == 0 && !named && !unread { // the unread lists may have entries
		fmt.Fprintln(p.Err, "The server has no tools, resources or prompts.")
	}
}

// shownKey returns the key of an entry for display, or what else names it.
func shownKey(i offer.Item) string { return cmp.Or(i.Key(), i.Label()) }

// titleLine returns title and description in one line, with the type of a resource and the app of
// a tool.
func titleLine(i offer.Item) string {
	var parts []string
	if i.Title != "" && i.Title != shownKey(i) {
		parts = append(parts, i.Title)
	} else if i.URI != "" && i.Name != "" {
		parts = append(parts, i.Name)
	}
	if words := strings.Join(strings.Fields(i.Description), " "); words != "" {
		parts = append(parts, words)
	}
	text := strings.Join(parts, ": ")
	if i.MIME != "" {
		text = strings.TrimSpace(text + " (" + i.MIME + ")")
	}
	if t, declares := declared.OfTool(i.Raw); i.Kind == client.Tools.Name && declares {
		if mark := strings.TrimSuffix(t.Mark()+" "+t.URI, " "); mark != "" {
			text = strings.TrimSpace(text + " (" + mark + ")")
		}
	}
	return text
}

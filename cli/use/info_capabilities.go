package use

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer"
	"mcptea/offer/declared"
)

// counts returns the numbers of entries of the lists that the server has.
func (p *commands) counts(lists map[string]offer.List) *app.Table {
	t := &app.Table{Out: p.Out, Indent: "  ", Wrap: true}
	for _, k := range client.ListKinds {
		l := lists[k.Name]
		if !l.Offered {
			continue
		}
		text := phrase.Digits(len(l.Items))
		if isUnasked(l) {
			text = "not requested by this client"
		}
		if l.Err != nil {
			text += ", incomplete: " + link.SentenceOf(l.Err)
		}
		t.Row(k.Name, text+appsIn(k, l.Items))
	}
	return t
}

// isUnasked reports a list that the server offers, and that was not requested.
func isUnasked(l offer.List) bool { return l.Offered && l.Loaded.IsZero() && l.Err == nil }

// appsIn returns a text with the number of tools with an app, and of tools that only apps may call.
// It returns "" if there are none.
func appsIn(kind client.ListKind, items []offer.Item) string {
	apps, appOnly := 0, 0
	for _, i := range items {
		if t, declares := declared.OfTool(i.Raw); kind == client.Tools && declares {
			if t.URI != "" {
				apps++
			}
			if t.AppOnly() {
				appOnly++
			}
		}
	}
	switch {
	case appOnly > 0:
		return fmt.Sprintf("  (%s with an app, %s for apps only)", phrase.Digits(apps), phrase.Digits(appOnly))
	case apps > 0:
		return fmt.Sprintf("  (%s with an app)", phrase.Digits(apps))
	}
	return ""
}

// capabilities returns tables of the capabilities that one side declared, with the declared extensions below
// their row. Capabilities that the protocol version does not define are marked.
func (p *commands) capabilities(who revision.Sender, caps []byte, r revision.Revision) []*app.Table {
	rows := func(indent string) *app.Table {
		return &app.Table{Out: p.Out, Indent: indent, Looks: []lipgloss.Style{app.Name}, Wrap: true}
	}
	t := rows("  ")
	tables := []*app.Table{t}
	for _, o := range revision.Offers(who, caps, r) {
		if o.Value == nil {
			continue
		}
		var members []string
		for _, f := range o.Members {
			if f.Set && o.Name != "extensions" {
				members = append(members, f.Name)
			}
		}
		text := display.Sanitize(strings.Join(members, ", "))
		if undefined := o.Undefined(); len(undefined) > 0 {
			text = strings.TrimLeft(text+"  ", " ") + p.Out.Warn("! not in "+string(r)+": "+display.Sanitize(strings.Join(undefined, ", ")))
		}
		t.Painted(display.Sanitize(o.Name), o.Summary, text)
		if o.Name == "extensions" {
			below := rows("    ")
			for _, m := range o.Members {
				p.extension(below, m)
			}
			t = rows("  ")
			tables = append(tables, below, t)
		}
	}
	return tables
}

// extension adds the row of a declared extension: id, description and settings.
func (p *commands) extension(t *app.Table, m revision.Flag) {
	text, doubtful := revision.ExtensionText(m.Name)
	if text = display.Sanitize(text); doubtful {
		text = p.Out.Warn("! " + text)
	}
	var settings []string // names of the settings; --json and the inspector show the values
	for name := range jsonrpc.Members(m.Value) {
		settings = append(settings, display.Sanitize(phrase.Clip(name, maxSetting)))
	}
	slices.Sort(settings)
	if len(settings) > 0 {
		text += "  (" + phrase.JoinFirst(settings, maxSettings) + ")"
	}
	t.Painted(display.Sanitize(m.Name), text)
}

// maxSettings bounds the names of settings of an extension in its row, maxSetting one of them in bytes.
const maxSettings, maxSetting = 8, 40

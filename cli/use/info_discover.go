package use

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/servercard"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/failure"
)

// Discovered is the result of info --discover.
type Discovered struct {
	servercard.Discovery
	Problems []CardProblem `json:"problems"` // faults of the catalog and the cards
}

// CardProblem is something that is wrong with a catalog or a card.
type CardProblem struct {
	Rule    string `json:"rule"`    // id, such as CARD-08
	Level   string `json:"level"`   // "MUST" or "SHOULD"
	Message string `json:"message"` // description of the problem
	Fix     string `json:"fix"`     // advice
	Spec    string `json:"spec"`    // the page with the requirement
}

// discover fetches the catalog and the cards of the host of a target. live is nil if the target was not
// connected.
func (p *commands) discover(t client.Target, live *servercard.Live) (*Discovered, error) {
	if t.IsStdio() || t.Shared != nil {
		return nil, app.Usage("Omit the flag, or connect to a URL.", "--discover requires a URL: server cards describe servers over HTTP")
	}
	d, err := servercard.Discover(p.Ctx, servercard.Where{URL: t.URL, TLS: t.TLS, Fetching: p.NoteCards})
	if p.Ctx.Err() != nil {
		return nil, context.Cause(p.Ctx)
	}
	if err != nil {
		return nil, app.Usage("Write it as https://example.com.", "%v", err)
	}
	found := &Discovered{d, []CardProblem{}}
	for _, o := range d.Check(live) {
		for _, text := range o.Problems {
			found.Problems = append(found.Problems, CardProblem{o.Rule.ID, o.Rule.Level(), text, o.Rule.Fix, o.Rule.Spec})
		}
	}
	return found, nil
}

// liveOf returns a connected server's description of itself, or nil.
func liveOf(f infoReport) *servercard.Live {
	if f.err != nil {
		return nil
	}
	h := f.state.Handshake
	l := &servercard.Live{URL: withoutQuery(f.target.URL), Transport: f.transport, Name: h.Server.Name, Title: h.Server.Title, Version: h.Server.Version, Protocol: string(h.Revision)}
	if h.Revision.IsStateless() {
		l.Supported = jsonrpc.Strings(jsonrpc.Get(h.Result, "supportedVersions"))
	}
	return l
}

func withoutQuery(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	u.RawQuery, u.User = "", nil
	return u.String()
}

// isHostAlone reports a URL without a path: a host, which may have its servers elsewhere.
func isHostAlone(text string) bool {
	u, err := url.Parse(text)
	return err == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == ""
}

// printDiscovery prints the searched places, the cards that were found, and their faults.
func (p *commands) printDiscovery(d *Discovered) {
	glyphs := p.palette().Glyphs
	label := "discovery"
	line := func(found bool, text string) {
		mark := p.Out.Faint(glyphs.Absent)
		if found {
			mark = p.Out.Good(glyphs.OKMark)
		}
		p.Out.Line(p.Out.Faint(fmt.Sprintf("%-*s", infoLabel, label)) + mark + " " + display.Sanitize(text))
		label = ""
	}
	for i := range d.Catalogs {
		c := &d.Catalogs[i]
		if !c.Found() {
			line(false, c.URL+"  "+c.Absent)
			continue
		}
		text := c.URL + "  " + phrase.Count(d.Entries, "server card")
		if d.Others > 0 {
			text += ", and " + phrase.Digits(d.Others) + " of other kinds"
		}
		line(true, text)
	}
	for i := range d.Cards {
		c := &d.Cards[i]
		if c.Card == nil {
			line(false, c.URL+"  "+c.Absent)
			continue
		}
		text := c.URL + "  " + strings.TrimSpace(c.Card.Name+" "+c.Card.Version)
		if c.Inline {
			text += "  in the catalog"
		}
		line(true, text)
	}
	for i := range d.Cards {
		c := &d.Cards[i]
		if c.Card == nil {
			continue
		}
		for _, r := range c.Card.Remotes {
			text := r.URL + "  " + r.Type
			if len(r.Versions) > 0 {
				text += "  " + strings.Join(r.Versions, ", ")
			}
			if len(r.Headers) > 0 {
				text += "  with the headers " + strings.Join(r.Names(), ", ")
			}
			p.printField("endpoint", display.Sanitize(text))
		}
	}
	for _, w := range d.Problems {
		mark := p.Out.Warn("!")
		if w.Level == "MUST" {
			mark = p.Out.Bad(glyphs.FailMark)
		}
		p.Out.Beside(p.Out.Faint(fmt.Sprintf("%-*s", infoLabel, "card"))+mark+" ", display.Sanitize(w.Message)+" ("+w.Rule+")", p.Out.Width)
	}
}

// infoHost implements mcptea info for a host without a server: it prints what the host publishes about its
// servers. done is false if it publishes nothing: then the host itself is tried.
func (p *commands) infoHost(t client.Target) (done bool, err error) {
	d, err := p.discover(t, nil)
	if err != nil {
		return true, err
	}
	there := false
	for i := range d.Cards {
		there = there || d.Cards[i].Card != nil
	}
	if !there && d.Entries == 0 {
		fmt.Fprintln(p.Err, p.Err.Faint("no catalog and no server card at "+p.Err.Safe(d.URL)+"; connecting to the host itself"))
		return false, nil
	}
	if p.JSON {
		return true, p.PrintDocument(Info{Target: d.URL, Discovery: d, Steps: []Step{}, Detection: client.EraDetection{Evidence: []string{}}})
	}
	p.printField("host", display.Sanitize(d.URL))
	p.printDiscovery(d)
	p.sayEndpoints(d)
	return true, nil
}

// sayEndpoints names the command that connects to an endpoint of a card, because mcptea does not do so by
// itself.
func (p *commands) sayEndpoints(d *Discovered) {
	for i := range d.Cards {
		c := d.Cards[i].Card
		if c == nil {
			continue
		}
		for _, r := range c.Remotes {
			if u, err := url.Parse(r.URL); err == nil && u.Host != "" && !strings.Contains(r.URL, "{") && (u.Scheme == "https" || u.Scheme == "http") {
				fmt.Fprintf(p.Err, "Nothing was connected. mcptea info --discover %s connects, and compares the card with the server.\n", p.Err.Safe(failure.CommandLine([]string{u.String()})))
				return
			}
		}
	}
}

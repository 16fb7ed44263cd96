package use

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"mcptea/check/modelview"
	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/offer"
	"mcptea/session/session"
	uiapp "mcptea/ui/app"
)

// ModelView is the output of info --as HOST --json.
type ModelView struct {
	Host           string         `json:"host"`             // id of the host or API, as with --as
	Name           string         `json:"name"`             // name of the host or API
	Server         string         `json:"server,omitempty"` // the server in the names of the tools: hosts use the name in their configuration
	modelview.Cost                // estimate of all tools that the model gets
	Tools          []ModelTool    `json:"tools"`    // tools in the order of the server
	Problems       []ModelProblem `json:"problems"` // the most severe ones first
	Facts          []ModelFact    `json:"facts"`    // all that is checked
}

// ModelTool is a tool as a model sees it.
type ModelTool struct {
	Name           string          `json:"name"`     // name as sent by the server
	Sent           string          `json:"sent"`     // the name that the model sees
	LeftOut        bool            `json:"left_out"` // the host does not hand the tool over
	modelview.Cost                 // estimate of the definition
	Share          int             `json:"share_percent"` // share in the cost of all tools
	Definition     json.RawMessage `json:"definition"`    // definition as the host sends it
}

// ModelFact is a known fact about a host.
type ModelFact struct {
	modelview.Fact
	Severity string `json:"severity"` // severity of a problem with this fact: "error", "warning" or "info"; uncertain problems are never errors
}

// ModelProblem is a fact about the host that concerns tools of the server.
type ModelProblem struct {
	ModelFact
	Places []modelview.Place `json:"places"`         // places of the problem
	More   int               `json:"more,omitempty"` // places that are not listed
}

// infoAs implements mcptea info --as HOST: the tools as a host passes them to a model.
func (p *commands) infoAs(cmd *cobra.Command, args []string, id string, all bool) error {
	if id == allHosts {
		return p.infoAsAll(cmd, args)
	}
	h := modelview.Named(id)
	if h == nil {
		return app.Usage(app.Suggest(id, modelview.IDs, "The hosts are "+strings.Join(modelview.IDs, ", ")+", and all for a table of them."), "--as: unknown host %q", id)
	}
	return p.withTools(cmd, args, func(named string, server modelview.Server) (misfit string, err error) {
		r := modelview.Build(h, server)
		if p.JSON {
			err = p.PrintDocument(viewOf(&r))
		} else {
			p.printModel(&r, all)
		}
		if r.Errors > 0 {
			misfit = fmt.Sprintf("the tools of %s do not fit %s: %s", p.Err.Safe(named), h.Name, phrase.Count(r.Errors, "error"))
		}
		return misfit, err
	})
}

// withTools reads the tools of the named server and calls show; named is the name and version of the server. If
// show returns problems, they end the command with exit code 1.
func (p *commands) withTools(cmd *cobra.Command, args []string, show func(named string, server modelview.Server) (misfit string, err error)) error {
	kinds := []client.ListKind{client.Tools}
	return p.withSession(cmd, args, func(words []string) ([]client.ListKind, error) {
		return kinds, p.target.MoreThanTarget(cmd, words)
	}, func(s *session.Session) error {
		lists, err := p.LoadLists(s, link.Nothing, kinds...)
		if err != nil {
			return err
		}
		list := lists[client.Tools.Name]
		if list.Err != nil && len(list.Items) == 0 { // the list could not be read
			return p.printListErrors(s, lists, kinds)
		}
		h := s.State().Handshake
		misfit, err := show(h.Server.String(), modelview.Server{Name: h.Server.Name, Instructions: h.Instructions, Initialize: h.InitializeResult(), Tools: raws(list)})
		if err != nil {
			return err
		}
		if missing := p.NotOffered(); len(missing) > 0 {
			words := "them"
			if len(missing) == 1 {
				words = "it"
			}
			fmt.Fprintln(p.Err, p.Err.Wrapped(fmt.Sprintf("These are the tools for a client without %s. For a host that offers %s: --answer %s=decline", strings.Join(missing, " and "), words, strings.Join(missing, "=decline --answer "))))
		}
		p.WarnOfViolations()
		if err := p.printListErrors(s, lists, kinds); err != nil || misfit == "" {
			return err
		}
		fmt.Fprintf(p.Err, "%s %s\n", p.Err.Bad("mcptea:"), misfit)
		return app.Silent(app.ExitError)
	})
}

func raws(l offer.List) (tools [][]byte) {
	for _, item := range l.Items {
		tools = append(tools, item.Raw)
	}
	return tools
}

// viewOf converts a report for JSON.
func viewOf(r *modelview.Report) ModelView {
	doc := ModelView{Host: r.Host.ID, Name: r.Host.Name, Server: r.Server, Cost: r.Cost, Tools: []ModelTool{}, Problems: []ModelProblem{}, Facts: []ModelFact{}}
	for i := range r.Tools {
		t := &r.Tools[i]
		doc.Tools = append(doc.Tools, ModelTool{t.Name, t.Sent, t.LeftOut, t.Cost, r.Share(t), t.Definition})
	}
	for _, f := range r.Host.Facts {
		doc.Facts = append(doc.Facts, ModelFact{f, f.Severity().String()})
	}
	for _, problem := range r.Problems {
		doc.Problems = append(doc.Problems, ModelProblem{ModelFact{*problem.Fact, problem.Severity().String()}, problem.Places, problem.More})
	}
	return doc
}

func (p *commands) printModel(r *modelview.Report, all bool) {
	p.Out.Beside("", r.Sentence(), p.Readable())
	if len(r.Tools) > 0 {
		p.Out.Line("")
	}
	t := app.Table{Out: p.Out, Looks: []lipgloss.Style{app.Plain, app.Name}, Right: []int{2, 3}, Head: true}
	head := ""
	if r.Host.Prefix != "" {
		head = "as"
	}
	t.Row(" ", "tool", "tokens", "share", head)
	glyphs := p.palette()
	for i := range r.Tools {
		tool := &r.Tools[i]
		sign, sent := " ", tool.Sent
		if tool.Concerned {
			sign = uiapp.SeveritySign(glyphs, tool.Severity)
		}
		if sent == tool.Name {
			sent = ""
		}
		if tool.LeftOut {
			sent = "left out"
		}
		t.Row(sign, tool.Name, tool.Tokens(), strconv.Itoa(r.Share(tool))+"%", sent)
	}
	if len(r.Tools) > 0 {
		t.Print()
	}
	for i := range r.Problems {
		p.printProblem(&r.Problems[i])
	}
	if !all {
		p.Out.Prose("\n" + p.Out.Faint(strconv.Itoa(len(r.Host.Facts))+" facts were checked; --all prints them, and the definitions."))
		return
	}
	p.Out.Line("\n" + p.Out.Strong("facts about "+r.Host.Name))
	for i := range r.Host.Facts {
		f := &r.Host.Facts[i]
		p.Out.Beside("  ", f.Says, p.Readable())
		p.Out.Beside("    ", f.Basis(), p.Readable())
	}
	p.Out.Line("\n" + p.Out.Strong("definitions"))
	for i := range r.Tools {
		p.Out.Line(p.Out.JSON(string(r.Tools[i].Definition)))
	}
}

// printProblem prints a problem: the fact, its places, the fix, and the source.
func (p *commands) printProblem(problem *modelview.Problem) {
	level := problem.Severity()
	word := level.String()
	color := map[lint.Severity]func(string) string{lint.Error: p.Out.Bad, lint.Warn: p.Out.Warn, lint.Info: p.Out.Faint}[level]
	p.Out.Line("")
	p.Out.Beside(color(word+strings.Repeat(" ", infoLabel-len(word))), problem.Says, p.Readable())
	label := "where"
	for _, line := range problem.Shown() {
		p.Out.Beside(p.Out.Faint(fmt.Sprintf("%-*s", infoLabel, label)), line, p.Readable())
		label = ""
	}
	p.Out.Beside(p.Out.Faint(fmt.Sprintf("%-*s", infoLabel, "change")), problem.Change, p.Readable())
	p.Out.Beside(p.Out.Faint(fmt.Sprintf("%-*s", infoLabel, "known")), problem.Basis(), p.Readable())
}

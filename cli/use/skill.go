package use

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/offer"
	"mcptea/offer/skill"
	"mcptea/session/session"
)

func (p *commands) skillCommand() *cobra.Command {
	var unverified bool
	cmd := &cobra.Command{
		Use:   "skill {NAME | URI} [FILE] TARGET",
		Short: "Read and verify a file of a skill (experimental)",
		Long: `Read a file of a skill (SEP-2640), compare it with the entry of the skill, and print it. The first word is the name of the skill or the URI of its SKILL.md; FILE is a path in its directory, and SKILL.md without it. No other file is read.

Size and digest of the file, and the front matter of a SKILL.md, must match the entry. If something differs, stderr names the difference, stdout is empty, and the exit code is 1. Digest and content come from the same server: they show that both are consistent, not that the content can be trusted. A skill whose files are dynamic cannot be verified.

With --json one object is printed, {"entry":…,"file":…,"verified":…,"failures":[…]}. "verified" is null for a dynamic skill.`,
		Example: `  mcptea list skills -- ./my-server
  mcptea skill refunds -- ./my-server
  mcptea skill refunds templates/mail.md -- ./my-server
  mcptea skill skill://acme/refunds/SKILL.md --json -- ./my-server | jq .verified`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.skill(cmd, args, unverified) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.BoolVar(&unverified, "unverified", false, "print the content although it differs from the entry")
	})
	p.target.AddRequest(cmd)
	return cmd
}

// Skill is the output of skill --json.
type Skill struct {
	Entry    json.RawMessage `json:"entry"`    // the skill of skills/get, as received
	File     string          `json:"file"`     // URI of the file
	Verified *bool           `json:"verified"` // null if it cannot be verified: the skill is dynamic
	Failures []skill.Failure `json:"failures"` // differences from the entry
	Doubts   []skill.Failure `json:"doubts"`   // fields that versions of YAML read differently
}

func (p *commands) skill(cmd *cobra.Command, args []string, unverified bool) error {
	if len(args) == 0 || cmd.ArgsLenAtDash() == 0 {
		return app.Usage("mcptea list skills lists them.", "skill requires the name or the URI of a skill")
	}
	name, file := "", skill.MainFile
	return p.withSession(cmd, args, func(words []string) ([]client.ListKind, error) {
		if len(words) > 2 {
			return nil, app.Usage("", "unexpected argument %q", words[2])
		}
		if name = words[0]; len(words) > 1 {
			file = words[1]
		}
		return nil, nil
	}, func(s *session.Session) error {
		if !s.State().Handshake.HasCapability(client.Skills.Capability()...) {
			return app.FailedWith("Its resources may have instructions nevertheless: mcptea list resources", "the server does not declare skills (the extension %s)", revision.SkillsExtension)
		}
		uri, err := p.skillURI(s, name)
		if err != nil {
			return err
		}
		return p.getSkill(s, uri, file, unverified)
	})
}

// skillURI returns the URI of a skill that is named by it or by its label.
func (p *commands) skillURI(s *session.Session, name string) (string, error) {
	if strings.Contains(name, "://") {
		return name, nil
	}
	s.Fetch(client.Skills)
	lists, err := p.LoadLists(s, link.Nothing, client.Skills)
	if err != nil {
		return "", err
	}
	list := lists[client.Skills.Name]
	entries := entriesOf(list.Items)
	labels := skill.Labels(entries)
	var found []string
	for i, e := range entries {
		if name == e.Name || name == labels[i] {
			found = append(found, e.URI)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", app.Usage("Write one of the URIs:\n  "+p.Err.Safe(strings.Join(found, "\n  ")), "%d skills have the name %q", len(found), name)
	case list.Err != nil:
		return "", p.Outcome(s, list.Err)
	}
	hint := "The list may be incomplete: the URI of an unlisted skill works too."
	if near := phrase.Nearest(name, labels); len(near) > 0 {
		hint = "Did you mean " + p.Err.Safe(strings.Join(near, ", ")) + "?"
	}
	return "", app.FailedWith(hint, "the server lists no skill with the name %q", name)
}

// maxShownURI bounds a URI in an error, in bytes.
const maxShownURI = 200

// getSkill reads one file of a skill, and prints it if it matches the entry.
func (p *commands) getSkill(s *session.Session, uri, file string, unverified bool) error {
	got, err := p.request(s, "skills/get", uri)
	if err != nil {
		return err
	}
	raw := jsonrpc.Get(got, "skill")
	if jsonrpc.TypeOf(raw) != "object" {
		return app.FailedWith("mcptea send skills/get prints it.", `the result of skills/get has no member "skill"`)
	}
	entry := skill.Parse(raw)
	if entry.URI != uri {
		return app.FailedWith("mcptea send skills/get prints it.", "the result of skills/get has the wrong skill: %s instead of %s", p.Err.Safe(phrase.Quote(entry.URI, maxShownURI)), p.Err.Safe(uri))
	}
	at := entry.FileURI(file)
	result, err := p.request(s, "resources/read", at)
	if err != nil {
		return err
	}
	_, v := s.VerifySkill(&entry, at, result)
	if p.JSON {
		return p.printSkill(&entry, at, v)
	}
	for _, d := range v.Doubts {
		p.Warning(fmt.Sprintf("%s: the entry has %s, and the file %s, which versions of YAML read differently", d.Field, d.Expected, d.Found))
	}
	switch {
	case v.State == skill.Unchecked:
		p.Warning("the files of this skill are dynamic, and cannot be verified")
	case v.State == skill.Differs && !unverified:
		return p.skillDiffers(&entry, at, v)
	case v.State == skill.Differs:
		_ = p.skillDiffers(&entry, at, v)
	}
	contents := skill.Contents(result, at)
	if contents == nil {
		return app.Silent(app.ExitError)
	}
	_, err = p.printContents(append(append([]byte(`{"contents":[`), contents...), "]}"...), "")
	return err
}

// request sends a request with a URI. An error response is printed.
func (p *commands) request(s *session.Session, method, uri string) ([]byte, error) {
	response, err := p.Do(s, method, client.Params(map[string]string{"uri": uri}), link.Nothing)
	if err == nil {
		err = response.Err()
	}
	if err != nil {
		return nil, p.Outcome(s, err)
	}
	return response.Result(), nil
}

func (p *commands) printSkill(e *skill.Entry, uri string, v skill.Verdict) error {
	doc := Skill{Entry: e.Raw, File: uri, Failures: append([]skill.Failure{}, v.Failures...), Doubts: append([]skill.Failure{}, v.Doubts...)}
	if v.State != skill.Unchecked {
		verified := v.State == skill.Verified
		doc.Verified = &verified
	}
	if err := p.PrintDocument(doc); err != nil || v.State != skill.Differs {
		return err
	}
	return app.Silent(app.ExitError)
}

// skillDiffers prints what differs, and returns the error of the command.
func (p *commands) skillDiffers(e *skill.Entry, uri string, v skill.Verdict) error {
	fmt.Fprintf(p.Err, "%s %s differs from its entry:\n", p.Err.Bad("mcptea:"), p.Err.Safe(e.Relative(uri)))
	for _, f := range v.Failures {
		fmt.Fprintf(p.Err, "  %s\n", p.Err.Safe(f.Sentence()))
	}
	fmt.Fprintln(p.Err, "The entry may be older than the file. --unverified prints the content.")
	return app.Silent(app.ExitError)
}

func entriesOf(items []offer.Item) []skill.Entry {
	entries := make([]skill.Entry, len(items))
	for i, item := range items {
		entries[i] = skill.Parse(item.Raw)
	}
	return entries
}

// skillRows adds a row for each skill: its name, its files and its description.
func skillRows(t *app.Table, items []offer.Item) {
	entries := entriesOf(items)
	labels := skill.Labels(entries)
	for i, e := range entries {
		files := "dynamic"
		if !e.Dynamic {
			files = phrase.Count(len(e.Files), "file") + ", " + phrase.Size(e.Size())
		}
		description := phrase.OneLine(e.Description)
		for _, f := range e.Faults() {
			if f.Kind.Invalid() {
				description = strings.TrimSpace(description + " (invalid: " + f.Text + ")")
				break
			}
		}
		t.Row(labels[i], files, description)
	}
}

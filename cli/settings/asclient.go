package settings

import (
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/client/jsonrpc"
	"mcptea/client/profile"
	"mcptea/internal/words/phrase"
	"mcptea/session/question"
	"mcptea/session/requests"
)

// declareAs declares the flags that select the client that mcptea impersonates.
func (f *Flags) declareAs(fs *pflag.FlagSet) {
	fs.StringVar(&f.asName, "as-client", "", "act as this client: "+strings.Join(hosts.ClientIDs, ", ")+", or a file that mcptea open RECORDING --save-client writes  `NAME|FILE`")
	fs.StringVar(&f.asInfo, "client-info", "", "send this clientInfo; @FILE reads it  `JSON`")
	fs.StringVar(&f.asCapabilities, "client-capabilities", "", "declare these capabilities; @FILE reads them  `JSON`")
}

// maxProfile bounds the file of a client, in bytes: a file is a few kB.
const maxProfile = 1 << 20

// readAsClient finds the client that the flags name, and applies its settings unless a flag sets them.
func (p *Settings) readAsClient(cmd *cobra.Command) error {
	f := &p.Flags
	if f.asName == "" && f.asInfo == "" && f.asCapabilities == "" {
		return nil
	}
	if f.Attach != "" {
		return app.Usage("Omit one of the flags.", "--attach uses a connection whose client has connected already; --as-client, --client-info and --client-capabilities are for a new one")
	}
	as, err := p.profileNamed(f.asName)
	if err != nil {
		return err
	}
	info, err := p.objectOf("client-info", f.asInfo)
	if err != nil {
		return err
	}
	if !info.IsZero() && (jsonrpc.Text(info.Bytes(), "name") == "" || jsonrpc.TypeOf(jsonrpc.Get(info.Bytes(), "version")) != "string") {
		return app.Usage(`Write it as '{"name":"my-host","version":"1.0"}'.`, `--client-info requires "name" and "version"`)
	}
	capabilities, err := p.objectOf("client-capabilities", f.asCapabilities)
	if err != nil {
		return err
	}
	f.As = as
	if !info.IsZero() || !capabilities.IsZero() {
		f.As = as.With(info, capabilities)
	}
	if (f.noApps || f.noSkills) && f.As.ClientCapabilities(false) != nil {
		return app.Usage("Omit --no-apps and --no-skills: the client determines the capabilities.", "--no-apps and --no-skills are for mcptea's own capabilities")
	}
	if t := f.As.Timeout(); t > 0 && !cmd.Flags().Changed("timeout") {
		f.Timeout = t
	}
	return nil
}

// profileNamed returns the client of a name of the catalogue, or of a file; nil for an empty name.
func (p *Settings) profileNamed(name string) (*profile.Profile, error) {
	if name == "" {
		return nil, nil
	}
	if as := hosts.Client(name); as != nil {
		return as, nil
	}
	if _, err := os.Stat(name); err != nil && !strings.ContainsAny(name, `/\.`) {
		return nil, app.Usage(app.Suggest(name, hosts.ClientIDs, "The clients are "+strings.Join(hosts.ClientIDs, ", ")+"; mcptea open RECORDING --save-client FILE writes the client of a recording."), "--as-client: unknown client %q", name)
	}
	text, err := app.ReadText(p.Ctx, name, maxProfile)
	if err != nil {
		return nil, app.InputError("", "--as-client", err)
	}
	as, err := profile.Parse(text, func(as *profile.Profile) error { return p.agreeToFrames(name, as) })
	if failed, ok := errors.AsType[*app.Error](err); ok {
		return nil, failed
	}
	if err != nil {
		return nil, app.Usage("mcptea open RECORDING --save-client FILE writes such a file.", "--as-client: %s is not the file of a client: %v", name, err)
	}
	return as, nil
}

// agreeToFrames asks whether to send the frames of a file that do more than connect and list.
func (p *Settings) agreeToFrames(file string, as *profile.Profile) error {
	frames := as.Surprises()
	c := question.Text{Short: "Send the frames of", Subject: file, Name: "frames", Blanks: true}
	c.Facts = append(c.Facts, question.Fact{Label: "file", Text: file, Strong: true})
	for _, f := range frames {
		c.Lines = append(c.Lines, string(f.Bytes()))
	}
	first := profile.Surprise(frames[0])
	switch {
	case !p.Err.Terminal || !p.InTerminal():
		return app.Usage("Remove them from the file, or run the command on a terminal, where mcptea shows them and asks.",
			"--as-client: %s sends %s that you have not agreed to: %s", p.Err.Safe(file), phrase.Count(len(frames), "frame"), p.Err.Safe(first))
	case c.IsLarge():
		return app.Usage("Remove them from the file.", "--as-client: %s has frames that are too long to be read and agreed to: %s", p.Err.Safe(file), p.Err.Safe(first))
	}
	agreed, err := p.Confirm("This file of a client also sends frames that neither connect nor list.", c)
	if err == nil && !agreed {
		err = app.Failed("nothing was sent")
	}
	return err
}

// objectOf returns the JSON object of a flag, or the zero value.
func (p *Settings) objectOf(flag, text string) (profile.Raw, error) {
	if text == "" {
		return profile.Raw{}, nil
	}
	raw := []byte(text)
	if file, ok := strings.CutPrefix(text, "@"); ok {
		var err error
		if raw, err = app.ReadText(p.Ctx, file, maxProfile); err != nil {
			return profile.Raw{}, app.InputError("", "--"+flag, err)
		}
	}
	object, err := profile.NewRaw(jsonrpc.Compact(raw))
	if err == nil && jsonrpc.TypeOf(object.Bytes()) != "object" {
		err = errors.New("it is not a JSON object")
	}
	if err != nil {
		return profile.Raw{}, app.Usage("Write it as JSON, such as '{\"elicitation\":{}}', or as @FILE.", "--%s: %v", flag, err)
	}
	return object, nil
}

// asClient makes mcptea respond to server requests as the client does, if the client declares them. If its
// responses are unknown, the user decides in the inspector, and a command cancels or returns an error.
func (f *Flags) asClient(all *requests.Policies, inspector bool, given map[string]bool) {
	if f.As.ClientCapabilities(false) == nil {
		return // mcptea's own capabilities, by the policies
	}
	for kind, policy := range map[string]*requests.Policy{"sampling": &all.Sampling, "elicitation": &all.Elicitation} {
		switch {
		case given[kind]:
		case !f.As.Declares(kind):
			*policy = requests.Policy{Mode: requests.PolicyNone}
		case f.As.Answers[kind] != "":
			*policy = requests.Policy{Mode: policyModes[f.As.Answers[kind]]}
			if kind == "sampling" && policy.Mode == requests.PolicyAccept {
				*policy = requests.Policy{Mode: requests.PolicyError} // only a model could respond
			}
		case inspector:
		case kind == "elicitation":
			policy.Mode = requests.PolicyCancel
		default:
			policy.Mode = requests.PolicyError
		}
	}
	if !given["roots"] && f.As.Answers["roots"] == "error" {
		all.Roots.Mode = requests.PolicyError
	}
}

// asHeaders sets the headers of the client that no -H has set.
func (f *Flags) asHeaders(t *client.Target) {
	if f.As == nil {
		return
	}
	given := func(name string) bool {
		return slices.ContainsFunc(f.Headers, func(h string) bool {
			header, _, _ := strings.Cut(h, ":")
			return strings.EqualFold(strings.TrimSpace(header), name)
		})
	}
	for name, value := range f.As.Headers {
		if !given(name) {
			t.Header[http.CanonicalHeaderKey(name)] = []string{value}
		}
	}
	for _, name := range f.As.Omits {
		if !given(name) {
			t.Header[http.CanonicalHeaderKey(name)] = nil
		}
	}
}

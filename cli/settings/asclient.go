package settings

import (
	"bytes"
	"encoding/json"
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
	"mcptea/session/requests"
)

// declareAs declares the flags that say which client mcptea is to the server.
func (f *Flags) declareAs(fs *pflag.FlagSet) {
	fs.StringVar(&f.asName, "as-client", "", "be this client to the server: "+strings.Join(hosts.ClientIDs, ", ")+", or the file of one, which mcptea open RECORDING --save-client writes  `NAME|FILE`")
	fs.StringVar(&f.asInfo, "client-info", "", "send this clientInfo; @FILE reads it  `JSON`")
	fs.StringVar(&f.asCapabilities, "client-capabilities", "", "declare these capabilities; @FILE reads them  `JSON`")
}

// maxProfile bounds the file of a client, in bytes: one is a few kB.
const maxProfile = 1 << 20

// readAsClient finds the client that the flags name, and takes over what it decides that no flag has
// set.
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
	if info != nil && (jsonrpc.Text(info, "name") == "" || jsonrpc.TypeOf(jsonrpc.Get(info, "version")) != "string") {
		return app.Usage(`Write it as '{"name":"my-host","version":"1.0"}'.`, `--client-info requires "name" and "version"`)
	}
	capabilities, err := p.objectOf("client-capabilities", f.asCapabilities)
	if err != nil {
		return err
	}
	f.As = as
	if info != nil || capabilities != nil {
		f.As = as.With(info, capabilities)
	}
	if (f.noApps || f.noSkills) && f.As.ClientCapabilities(false) != nil {
		return app.Usage("Omit --no-apps and --no-skills: the capabilities are those of the client.", "--no-apps and --no-skills are for mcptea's own capabilities")
	}
	if t := f.As.Timeout(); t > 0 && !cmd.Flags().Changed("timeout") {
		f.Timeout = t
	}
	return nil
}

// profileNamed is the client of a name of the catalogue, or of a file; nil for an empty name.
func (p *Settings) profileNamed(name string) (*profile.Profile, error) {
	if name == "" {
		return nil, nil
	}
	if as := hosts.Client(name); as != nil {
		return as, nil
	}
	if _, err := os.Stat(name); err != nil && !strings.ContainsAny(name, `/\.`) {
		return nil, app.Usage(app.Suggest(name, hosts.ClientIDs, "The clients are "+strings.Join(hosts.ClientIDs, ", ")+"; mcptea open RECORDING --save-client FILE writes the one of a recording."), "--as-client: unknown client %q", name)
	}
	text, err := app.ReadFile(p.Ctx, name, maxProfile)
	if err != nil {
		return nil, app.InputError("", "--as-client", err)
	}
	as, err := profile.Parse(text)
	if err != nil {
		return nil, app.Usage("mcptea open RECORDING --save-client FILE writes such a file.", "--as-client: %s is not the file of a client: %v", name, err)
	}
	return as, nil
}

// objectOf is the JSON object of a flag; nil without one.
func (p *Settings) objectOf(flag, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	raw := []byte(text)
	if file, ok := strings.CutPrefix(text, "@"); ok {
		var err error
		if raw, err = app.ReadFile(p.Ctx, file, maxProfile); err != nil {
			return nil, app.InputError("", "--"+flag, err)
		}
	}
	var one bytes.Buffer
	if json.Compact(&one, raw) != nil || jsonrpc.TypeOf(one.Bytes()) != "object" {
		return nil, app.Usage("Write it as JSON, such as '{\"elicitation\":{}}', or as @FILE.", "--%s: not a JSON object", flag)
	}
	return one.Bytes(), nil
}

// asClient has the server requests answered as the client does: those that it declares. Where that is
// not known, the user decides in the inspector; a command cancels, or returns an error.
func (f *Flags) asClient(all *requests.Policies, inspector bool, given map[string]bool) {
	if f.As.ClientCapabilities(false) == nil {
		return // those of mcptea, by the policies
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
			own, _, _ := strings.Cut(h, ":")
			return strings.EqualFold(strings.TrimSpace(own), name)
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

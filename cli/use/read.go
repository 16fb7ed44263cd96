package use

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/system"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/content"
	"mcptea/offer/invoke"
	"mcptea/session/session"
)

func (p *commands) readCommand() *cobra.Command {
	var uri, output string
	var meta metaFlags
	cmd := &cobra.Command{
		Use:   "read {URI | --uri URI} [NAME=VALUE…] TARGET",
		Short: "Read a resource",
		Long: `Read a resource and print its contents. The first word is the URI, or a URI template followed by a value for each variable.

Text is printed. For binary contents, a terminal shows the type and the size; a pipe receives the bytes if there is one item. -o writes the bytes to a file; "-o -" writes them to stdout.

With --json the result is printed as received, or {"error":…}. The exit code is 1 for an error response.`,
		Example: `  mcptea read demo://readme -- ./my-server
  mcptea read 'file:///logs/{day}' day=monday --url http://127.0.0.1:3000/mcp
  mcptea read demo://archive.gz -o archive.gz -- ./my-server`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.read(cmd, args, uri, output, &meta) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.StringVar(&uri, "uri", "", "`URI` of the resource; all words are then values")
		fs.StringVarP(&output, "output", "o", "", "write the bytes to this `FILE`; - is stdout")
	})
	meta.declare(cmd)
	p.target.AddRequest(cmd)
	_ = cmd.MarkFlagFilename("output")
	return cmd
}

func (p *commands) read(cmd *cobra.Command, args []string, uri, output string, meta *metaFlags) error {
	if output != "" && p.JSON {
		return app.Usage("Omit one of them.", "--output and --json exclude each other")
	}
	named := cmd.Flags().Changed("uri")
	if !named && (len(args) == 0 || cmd.ArgsLenAtDash() == 0) {
		return app.Usage("mcptea list resources lists them.", "read requires the URI of a resource")
	}
	members, err := meta.read(p)
	if err != nil {
		return err
	}
	return p.withSession(cmd, args, func(words []string) (_ []client.ListKind, err error) {
		if !named {
			uri, words = words[0], words[1:]
		}
		uri, err = expandURI(uri, words)
		return nil, err
	}, func(s *session.Session) error {
		return p.Send(s, link.Request{
			Method: "resources/read", Params: withMeta(client.Params(map[string]string{"uri": uri}), members), Name: uri,
			Lists: []client.ListKind{client.Resources, client.Templates},
			Print: func(result []byte) (bool, error) { return p.printContents(result, output) },
		})
	})
}

// expandURI expands a URI template with words of the form NAME=VALUE. A URI without
// variables takes no words.
func expandURI(uri string, words []string) (string, error) {
	names, err := invoke.TemplateVariables(uri)
	if err != nil || len(names) == 0 {
		if len(words) > 0 {
			return "", app.Usage("Only a URI template with variables such as {name} takes values.", "unexpected argument %q", words[0])
		}
		return uri, nil // the server decides about other URIs
	}
	values := map[string]string{}
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok || !slices.Contains(names, name) {
			return "", app.Usage("Write NAME=VALUE. The variables of the template are "+display.Sanitize(strings.Join(names, ", "))+".", "%q is not a variable of the template", w)
		}
		if _, twice := values[name]; twice {
			return "", app.Usage("", "the variable %s is set twice", name)
		}
		values[name] = value
	}
	if len(values) == 0 {
		return "", app.Usage("Write "+display.Sanitize(strings.Join(names, "=… "))+"=…", "%s is a URI template and requires values", uri)
	}
	expanded, err := invoke.ExpandTemplate(uri, values)
	if err != nil {
		return "", app.Usage("", "cannot expand the URI template: %v", err)
	}
	return expanded, nil
}

// printContents prints the contents of a resource, or writes their bytes to a file.
func (p *commands) printContents(result []byte, output string) (failed bool, err error) {
	if list, _ := jsonrpc.Member(result, "contents"); jsonrpc.TypeOf(list) != "array" {
		p.PrintResult("resources/read", result)
		return false, app.FailedWith("In the server: return contents, a list that may be empty, with the uri and the text or blob of each part.", "the result of resources/read has no list \"contents\"")
	}
	all := content.Contents(result)
	var data []byte
	if len(all) == 1 {
		data, err = all[0].Data()
	}
	switch {
	case output == "" && len(all) == 1 && err == nil && !all[0].IsText() && !p.Out.Terminal:
		output = "-"
	case output == "":
		return p.PrintResult("resources/read", result), nil
	case len(all) != 1:
		return false, app.FailedWith("--json prints them as received.", "the resource has %s, and -o writes one", phrase.Count(len(all), "content"))
	case err != nil:
		return false, app.FailedWith("--json prints them as received.", "cannot write the contents: %v", err)
	}
	if output == "-" {
		_, err := p.Out.Write(data)
		return false, err
	}
	if err := system.WriteFileBytes(output, data); err != nil {
		return false, app.FailedWith("", "cannot write the contents: %v", err)
	}
	what := phrase.Size(int64(len(data)))
	if all[0].MIME != "" {
		what += " of " + display.Sanitize(all[0].MIME)
	}
	fmt.Fprintf(p.Err, "Wrote %s to %s.\n", what, display.Sanitize(output))
	return false, nil
}

package probes

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
	"mcptea/lint"
)

// argument is an argument of a prompt.
type argument struct {
	name     string
	required bool
}

func argumentsOf(prompt []byte) []argument {
	var all []argument
	list, _ := jsonrpc.Member(prompt, "arguments")
	for a := range jsonrpc.Elements(list) {
		required, _ := jsonrpc.Member(a, "required")
		all = append(all, argument{jsonrpc.Text(a, "name"), string(required) == "true"})
	}
	return all
}

func promptRefusals(r *probe.Run) {
	job{Run: r}.run("P-075")
	for _, p := range r.Server.Items(client.Prompts) {
		name := jsonrpc.Text(p, "name")
		required := ""
		for _, a := range argumentsOf(p) {
			if a.required {
				required = a.name
			}
		}
		if required == "" {
			continue
		}
		job{Run: r}.run("P-075 required", "prompt", name, "argument", required, "quoted", strconv.Quote(name), "quoted_argument", strconv.Quote(required))
		return
	}
}

const maxPrompts = 5

// promptArguments returns arguments for a prompt: the first completion, or a word.
func promptArguments(r *probe.Run, c *probe.Conn, prompt []byte) string {
	var parts []string
	name := jsonrpc.Text(prompt, "name")
	for _, a := range argumentsOf(prompt) {
		value := probe.TextFor(a.name)
		if r.Server.Has("completions") {
			o := r.Ask(c, "completion of "+a.name+" of "+name, c.Request("completion/complete", completion(`{"type":"ref/prompt","name":`+probe.JSON(name)+`}`, a.name, "")))
			for v := range jsonrpc.Elements(o.Member("completion", "values")) {
				if text, ok := jsonrpc.Unquote(v); ok {
					value = text
				}
				break
			}
		}
		parts = append(parts, probe.JSON(a.name)+":"+probe.JSON(value))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func getValid(r *probe.Run) {
	items, c := r.Server.Items(client.Prompts), r.Shared()
	for _, p := range items[:min(len(items), maxPrompts)] {
		name := jsonrpc.Text(p, "name")
		arguments := promptArguments(r, c, p)
		o := r.Ask(c, "prompts/get of "+name, c.Request("prompts/get", `{"name":`+probe.JSON(name)+`,"arguments":`+arguments+`}`))
		messages := ""
		if raw := o.Member("messages"); raw != nil && raw[0] == '[' {
			messages = name
		}
		plain := ""
		if arguments == "{}" { // others have values that mcptea has chosen
			plain = name
		}
		job{Run: r}.judge("P-076", o, "what", name, "subject", "prompt:"+name, "messages", messages, "plain", plain)
	}
}

func completion(ref, name, value string) string {
	return `{"ref":` + ref + `,"argument":{"name":` + probe.JSON(name) + `,"value":` + probe.JSON(value) + `}}`
}

var templateName = lazyregexp.New(`\{[+#./;?&]?([A-Za-z0-9_.%]+)[*:,0-9]*\}`)

const maxCompletions = 10

// completable is an argument that a server may complete: of a prompt, or of the URI of a template.
type completable struct{ ref, name, subject string }

// completables returns the arguments of the listed prompts and templates.
func completables(r *probe.Run) (all []completable) {
	for _, p := range r.Server.Items(client.Prompts) {
		for _, a := range argumentsOf(p) {
			name := jsonrpc.Text(p, "name")
			all = append(all, completable{`{"type":"ref/prompt","name":` + probe.JSON(name) + `}`, a.name, "prompt:" + name})
		}
	}
	for _, t := range r.Server.Items(client.Templates) {
		template := jsonrpc.Text(t, "uriTemplate")
		for _, m := range templateName().FindAllStringSubmatch(template, -1) {
			all = append(all, completable{`{"type":"ref/resource","uri":` + probe.JSON(template) + `}`, m[1], "resource:" + template})
		}
	}
	return all
}

func completionValid(r *probe.Run) {
	all, c := completables(r), r.Shared()
	if r.SkipIf(len(all) == 0, "no arguments of prompts or templates") {
		return
	}
	for _, q := range all[:min(len(all), maxCompletions)] {
		o := r.Ask(c, "completion of "+q.name, c.Request("completion/complete", completion(q.ref, q.name, "")))
		switch {
		case o.IsError(jsonrpc.CodeInternalError):
			r.Of(o).Named("internal-error").About(lint.Warn, "", "The completion of a listed argument fails with the internal error %s: %s", o.ShownCode(), o.Message)
		case o.Kind == probe.Error:
			r.Of(o).About(lint.Info, q.subject, "completion/complete of %s fails with error %s: %s", q.name, o.ShownCode(), o.Message)
		}
	}
}

// read returns a request for a URI.
func read(c *probe.Conn, uri string) []byte {
	return c.Request("resources/read", `{"uri":`+probe.JSON(uri)+`}`)
}

// hasElements reports an array that is not empty.
func hasElements(array []byte) bool {
	for range jsonrpc.Elements(array) {
		return true
	}
	return false
}

// maxRead is the number of resources that are read.
const maxRead = 5

func readListed(r *probe.Run) {
	items, c := r.Server.Items(client.Resources), r.Shared()
	for _, item := range items[:min(len(items), maxRead)] {
		uri := jsonrpc.Text(item, "uri")
		subject := "resource:" + uri
		o := r.Ask(c, "resources/read of "+uri, read(c, uri))
		job{Run: r}.judge("P-067", o, "what", uri, "subject", subject)
		for i, content := range lint.Indexed(o.Member("contents")) {
			checkContent(r.Of(o.At(fmt.Sprintf("/result/contents/%d", i))), subject, uri, item, content)
		}
	}
}

func checkContent(about probe.Judgment, subject, uri string, item, content []byte) {
	text, hasText := jsonrpc.Member(content, "text")
	size, ok := jsonrpc.Member(item, "size")
	if n, isNumber := jsonrpc.Integer(size); ok && isNumber && hasText && jsonrpc.Text(content, "uri") == uri {
		if s, _ := jsonrpc.Unquote(text); int64(len(s)) != n {
			about.About(lint.Warn, subject, "The resource %s has size %d in the list, and %d bytes.", uri, n, len(s))
		}
	}
}

var variable = lazyregexp.New(`\{[+#./;?&]?([A-Za-z0-9_.,%*:]+)\}`)

// expand replaces each variable of a template with a value. Reserved characters are escaped, as in simple
// expansion.
func expand(template, value string) string {
	return variable().ReplaceAllString(template, url.PathEscape(value))
}

func templateValues(r *probe.Run) {
	templates, c := r.Server.Items(client.Templates), r.Shared()
	values := []string{"1", "mcptea", "../../mcptea", "..%2F..%2Fmcptea", "a/b?c#d", "{x}", strings.Repeat("a", 4096), "\x00"}
	for _, t := range templates[:min(len(templates), maxRead)] {
		template := jsonrpc.Text(t, "uriTemplate")
		for _, v := range values {
			uri := expand(template, v)
			shown := strconv.Quote(v)
			if len(v) > 40 {
				shown = "4,096 letters"
			}
			o := r.Ask(c, "the template "+template+" with "+shown, read(c, uri))
			for content := range jsonrpc.Elements(o.Member("contents")) {
				if got := jsonrpc.Text(content, "uri"); strings.Contains(v, "..") && !strings.Contains(got, "..") && !strings.Contains(got, "%2") && got != "" && !strings.HasPrefix(got, uri) {
					r.Of(o).Named("outside").About(lint.Error, "resource:"+template, "The template %s with %s returns the resource %s, which is outside of it.", template, shown, got)
				}
			}
			if o.IsError(jsonrpc.CodeInternalError) {
				r.Of(o).About(lint.Info, "resource:"+template, "The template %s with %s returns the internal error -32603.", template, shown)
			}
		}
		completed(r, c, template)
	}
}

// maxCompleted is the number of proposed values that are read.
const maxCompleted = 3

// completed reads the resources with the values that the server proposes for the only variable of a template:
// lint rule R014 judges them.
func completed(r *probe.Run, c *probe.Conn, template string) {
	variables := variable().FindAllStringSubmatch(template, -1)
	if len(variables) != 1 || !r.Server.Has("completions") {
		return
	}
	name := variables[0][1]
	o := r.Ask(c, "the completion of "+name+" of the template "+template, c.Request("completion/complete",
		`{"ref":{"type":"ref/resource","uri":`+probe.JSON(template)+`},"argument":{"name":`+probe.JSON(name)+`,"value":""}}`))
	n := 0
	for v := range jsonrpc.Elements(o.Member("completion", "values")) {
		if text, ok := jsonrpc.Unquote(v); ok && text != "" && n < maxCompleted {
			n++
			r.Ask(c, "the template "+template+" with the proposed value "+strconv.Quote(text), read(c, expand(template, text)))
		}
	}
}

func traversal(r *probe.Run) {
	base := ""
	for _, item := range r.Server.Items(client.Resources) {
		if uri := jsonrpc.Text(item, "uri"); strings.HasPrefix(uri, "file:") {
			base = uri[:strings.LastIndexByte(uri, '/')]
			break
		}
	}
	for _, t := range r.Server.Items(client.Templates) {
		if template := jsonrpc.Text(t, "uriTemplate"); base == "" && strings.HasPrefix(template, "file:") {
			base = strings.TrimSuffix(variable().ReplaceAllString(template, ""), "/")
		}
	}
	if r.SkipIf(base == "", "no file: resource or template") {
		return
	}
	canary := rand.Text()
	file, err := os.CreateTemp("", "mcptea-canary-")
	if err != nil {
		r.Unjudged("cannot create the canary file: %v", err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.WriteString(canary)
	if closed := file.Close(); err != nil || closed != nil {
		r.Unjudged("cannot write the canary file")
	}
	absolute, rooted := uriPaths(file.Name(), filepath.VolumeName(file.Name()))
	up := func(part string) string { return base + strings.Repeat(part, 12) + rooted }
	c := r.Shared()
	for i, uri := range []string{
		"file://" + absolute, up("/.."), up("/%2e%2e"), up("/%252e%252e"), up("/..%5c"), up("/..") + "%00.txt", "file://localhost" + absolute,
	} {
		o := r.Ask(c, "resources/read of a file outside of the list", read(c, uri))
		if !strings.Contains(string(o.Frame), canary) {
			continue
		}
		if i == 0 || i == 6 {
			r.Of(o).Named("any-file").Warn("The server reads any file by its URI: %s is in no list.", uri)
		} else {
			r.Of(o).Named("outside").Error("The server reads a file outside of the served folder by %s.", uri)
		}
	}
}

// uriPaths returns the path of a file in a file: URI, and the path relative to the root of its drive, where
// enough ".." lead: "/C:/tmp/x" and "/tmp/x" for a file on the drive "C:". Without a drive, both are the same.
func uriPaths(file, drive string) (absolute, rooted string) {
	if drive == "" {
		return file, file
	}
	rooted = strings.ReplaceAll(strings.TrimPrefix(file, drive), `\`, "/")
	return "/" + drive + rooted, rooted
}

// subscribe causes updates. A rule checks them.
func subscribe(r *probe.Run) {
	c, uri := r.Ready(), jsonrpc.Text(r.Server.Items(client.Resources)[0], "uri")
	params := `{"uri":` + probe.JSON(uri) + `}`
	job{Run: r, conn: c}.run("P-070", "uri", uri)
	r.Ask(c, "a second resources/unsubscribe", c.Request("resources/unsubscribe", params))
	if o := r.Ask(c, "resources/subscribe of an unknown URI", c.Request("resources/subscribe", `{"uri":"mcptea-probe://no-such"}`)); o.Kind == probe.Result {
		r.Of(o).Info("resources/subscribe accepts an unknown URI.")
		r.Ask(c, "resources/unsubscribe of an unknown URI", c.Request("resources/unsubscribe", `{"uri":"mcptea-probe://no-such"}`))
	}
	r.Linger()
	if all := changes(r, uri); len(all) > 0 {
		updates(r, uri, all)
	}
}

// updates makes calls that may change a resource while it is subscribed and after that: an update before the end of the
// subscription is right, and one after it is not.
func updates(r *probe.Run, uri string, all []probe.Subject) {
	c, params := r.Linted(true), `{"uri":`+probe.JSON(uri)+`}`
	r.Ask(c, "resources/subscribe before a change", c.Request("resources/subscribe", params))
	if change(r, c, all) {
		r.Quiet()
		r.Ask(c, "resources/unsubscribe after a change", c.Request("resources/unsubscribe", params))
		change(r, c, all)
	}
	r.Linger()
}

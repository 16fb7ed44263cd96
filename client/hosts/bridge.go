package hosts

import (
	"net/url"
	"slices"
	"strings"

	"mcptea/client/hosts/syntax"
	"mcptea/client/secret"
)

// tokenVariable is the variable that mcptea reads an access token from: the arguments of a process are
// visible to other users.
const tokenVariable = "MCPTEA_TOKEN"

// bridge returns an edit that makes the host start mcptea tap URL instead of connecting to the URL
// of the entry. The error is a [*RefusedError].
func (s *Server) bridge(o WrapOptions) (*Edit, error) {
	refuse := func(reason, text string) error {
		return &RefusedError{Server: s.ID(), Verb: "wrap", Reason: reason, Text: text}
	}
	args, env, why := s.bridgeLaunch()
	address := s.mapped["url"]
	switch {
	case why != "":
		return nil, refuse("headers", why)
	case s.Source.Format == syntax.YAML:
		return nil, s.byHand(Launch{Command: o.Mcptea, Args: args}, "wrap")
	case address == nil || s.mapped["nested"] != nil || !slices.Contains(s.body.Members, address):
		return nil, refuse("layout", "the layout of the entry is not one that mcptea edits")
	}
	w := s.splicer()
	w.putCommand(s, address, o.Mcptea, args)
	if kind := s.mapped["type"]; kind != nil {
		w.replace(kind, w.quote(kind, s.file.dialect.stdioName()))
	}
	if headers := s.mapped["headers"]; headers != nil {
		w.splices = append(w.splices, splice{headers.At, headers.End, w.member(s.file.dialect.keyOf("env"), w.object(env))})
	}
	keys := make([]string, 0, 4)
	for _, r := range []role{"url", "type", "headers"} {
		if m := s.mapped[r]; m != nil {
			keys = append(keys, m.Key)
		}
	}
	for _, r := range []role{"command", "env"} {
		keys = append(keys, s.file.dialect.keyOf(r))
	}
	e, err := w.edit(s, "wrap", s.Written.Env, keys...)
	if err != nil {
		return nil, err
	}
	r := &record{Version: recordVersion, File: s.Source.File, Host: s.Host, Name: s.Name, Pointer: s.Source.Pointer, Project: s.Project}
	r.Entry, r.Wrapped = w.written(s.node), textOf(e)
	if s.Source.Format == syntax.TOML {
		r.Entry, r.Wrapped = w.changed(e)
	}
	r.Before, r.After = sum(e.Before), sum(e.After)
	e.record, e.wraps = r, true
	return e, nil
}

// changed returns the bytes from the first to the last one that an edit changes, before and after it: a table
// of TOML has no end.
func (w *splicer) changed(e *Edit) (before, after string) {
	start, end := len(w.data), 0
	for _, s := range w.splices {
		start, end = min(start, s.start), max(end, s.end)
	}
	if start > end {
		return "", ""
	}
	return string(e.Before[start:end]), string(e.After[start : end+len(e.After)-len(e.Before)])
}

// textOf returns the edited entry as written, or "" for a table of TOML.
func textOf(e *Edit) string {
	n := e.edited.node
	if n.End <= n.Start || n.End > len(e.After) {
		return ""
	}
	return string(e.After[n.Start:n.End])
}

// bridgeLaunch returns the arguments of mcptea, and the variables, that have the effect of the entry, or the
// reason why there are none.
func (s *Server) bridgeLaunch() (args []string, env []Field, why string) {
	args = []string{"tap", "--as", s.ID()}
	const listen = "; with --listen PORT the host sends them"
	if s.HeadersHelper != "" || s.BearerEnv != "" || len(s.HeaderEnv) > 0 {
		return nil, nil, "its headers come from another place than the entry" + listen
	}
	for _, h := range s.Written.Headers {
		token, isBearer := strings.CutPrefix(h.Value, "Bearer ")
		in := s.file.dialect.VarsIn
		switch {
		case strings.EqualFold(h.Name, "Authorization") && isBearer && s.mapped["env"] == nil && (len(in) == 0 || slices.Contains(in, "env") || !hasReference(token)):
			env = append(env, Field{Name: tokenVariable, Value: token})
		case hasReference(h.Value) || secret.IsName(h.Name) || len(secretIn(h.Name, h.Value)) > 0 || strings.EqualFold(h.Name, "Authorization"):
			return nil, nil, "the header " + h.Name + " would be visible in the arguments of a process" + listen
		default:
			args = append(args, "--header", h.Name+": "+h.Value)
		}
	}
	if s.mapped["headers"] != nil && s.mapped["env"] != nil {
		return nil, nil, "it has headers and variables" + listen
	}
	if s.OAuth != nil && s.OAuth.ClientID != "" {
		args = append(args, "--client-id", s.OAuth.ClientID)
	}
	if s.Transport == SSE {
		args = append(args, "--transport", "sse")
	}
	return append(args, s.Written.URL), env, ""
}

// putCommand replaces a URL with a command and its arguments.
func (w *splicer) putCommand(s *Server, at *syntax.Node, command string, args []string) {
	d := s.file.dialect
	key := d.keyOf("command")
	if d.CommandList {
		w.splices = append(w.splices, splice{at.At, at.End, w.member(key, "["+strings.Join(w.quoteAll(append([]string{command}, args...)), ", ")+"]")})
		return
	}
	first := w.member(key, w.quote(nil, command))
	second := w.member(argsKey(s), "["+strings.Join(w.quoteAll(args), ", ")+"]")
	indent, ownLine := w.data.Indentation(at.At)
	switch {
	case w.format != syntax.TOML && ownLine:
		first += "," + w.newline + indent
	case w.format != syntax.TOML || s.body.Flow:
		first += ", "
	default: // the text before the key has the other parts of a dotted key
		first += w.newline + string(w.data[w.data.LineStart(at.At):at.At])
	}
	w.splices = append(w.splices, splice{at.At, at.End, first + second})
}

// stdioName returns the spelling of the type of an entry with a command.
func (d *dialect) stdioName() string {
	best := ""
	for name, t := range d.Types {
		if t == Stdio && (best == "" || name == "stdio") {
			best = name
		}
	}
	if best == "" {
		return "stdio"
	}
	return best
}

// bridged returns the launch behind mcptea tap URL, and its transport. ok is false for other arguments.
func bridged(l Launch) (direct Launch, over Transport, ok bool) {
	n := len(l.Args)
	if n < 4 || l.Args[1] != "--as" {
		return l, "", false
	}
	u, err := url.Parse(l.Args[n-1])
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return l, "", false
	}
	over, direct = HTTP, Launch{URL: l.Args[n-1], Dir: l.Dir, EnvFile: l.EnvFile}
	for i := 3; i+1 < n-1; i += 2 {
		if l.Args[i] == "--transport" && l.Args[i+1] == "sse" {
			over = SSE
		}
		if name, value, ok := strings.Cut(l.Args[i+1], ": "); ok && l.Args[i] == "--header" {
			direct.Headers = append(direct.Headers, Field{Name: name, Value: value})
		}
	}
	for _, f := range l.Env {
		if f.Name == tokenVariable {
			direct.Headers = append(direct.Headers, Field{Name: "Authorization", Value: "Bearer " + f.Value})
		} else {
			direct.Env = append(direct.Env, f)
		}
	}
	return direct, over, true
}

// unbridge returns the edit that restores the entry from before the wrapping, or nil if another part of the
// entry has changed or the record does not contain it.
func (s *Server) unbridge(r *record) *Edit {
	w := s.splicer()
	switch {
	case r == nil || r.Entry == "" || r.Wrapped == "":
		return nil
	case s.Source.Format == syntax.TOML:
		if at := s.whereIs(r.Wrapped, w.data); at >= 0 {
			w.splices = append(w.splices, splice{at, at + len(r.Wrapped), r.Entry})
			break
		}
		return nil
	case w.written(s.node) != r.Wrapped:
		return nil
	default:
		w.replace(s.node, r.Entry)
	}
	after := w.apply()
	if w.failed {
		return nil
	}
	return &Edit{Server: s, File: s.Source.File, Before: w.data, After: after, record: r}
}

// whereIs returns the offset of a text in the file that starts with a member of the entry, or with the value of
// one, or -1.
func (s *Server) whereIs(text string, data syntax.Text) int {
	for _, m := range s.body.Members {
		for _, at := range []int{m.At, m.Start} {
			if at >= 0 && at <= len(data) && strings.HasPrefix(string(data[at:]), text) {
				return at
			}
		}
	}
	return -1
}

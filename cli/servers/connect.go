package servers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// Connected is a line of servers --connect --json: an entry, and the outcome of connecting to it.
type Connected struct {
	ID        string          `json:"id"`                  // HOST/NAME, as in --server
	OK        bool            `json:"ok"`                  // mcptea has connected, and tools/list has a result
	State     string          `json:"state"`               // "connected", "failed", "disabled", "missing" (inputs or variables), "unconfirmed" (of a project) or "unauthorized"
	Transport hosts.Transport `json:"transport,omitempty"` // transport of the entry: "stdio", "http" or "sse"
	Took      phrase.Millis   `json:"ms,omitzero"`         // time to the end of the handshake
	Tools     *int            `json:"tools,omitempty"`     // number of tools in tools/list
	Protocol  string          `json:"protocol,omitempty"`  // the negotiated version
	Error     string          `json:"error,omitempty"`     // why it is not connected, in one sentence
	Cause     string          `json:"cause,omitempty"`     // the likely cause
	Try       string          `json:"try,omitempty"`       // advice for the user
	Found     []Found         `json:"found,omitempty"`     // tools that contain the words of --find
	items     []offer.Item    // the tools of a connected server, for --find
	server    *hosts.Server
	target    client.Target
	link      *link.Link // link with the settings of the entry
}

// connectsAtOnce bounds how many servers are started concurrently: each may be an npx.
const connectsAtOnce = 4

// connectTimeout is the default of --connect-timeout here.
const connectTimeout = 10 * time.Second

// connectTo connects to the servers that applications use: to all, to those of the named hosts, or
// to those with the names HOST/NAME. timeout is the value of --connect-timeout. If find is not nil,
// it lists tools instead of servers.
func (p *commands) connectTo(cmd *cobra.Command, words []string, timeout time.Duration, find *finder) error {
	if kind := p.Origins["connect-timeout"].Kind; !cmd.Flags().Changed("connect-timeout") && kind != settings.FromDefault {
		timeout = p.Flags.ConnectTimeout
	}
	p.Flags.ConnectTimeout, p.Flags.Timeout = timeout, timeout
	servers, broken, err := p.effective(words)
	if err != nil {
		return err
	}
	rows := make([]*Connected, len(servers))
	for i, s := range servers { // all questions come before the first server starts
		if rows[i], err = p.row(s, broken); err != nil {
			return err
		}
	}
	if unread := broken.unread; len(unread) > 0 && len(words) == 0 {
		if len(rows) == 0 {
			return app.Failed("no configured server can be read:\n%s", strings.Join(unread, "\n"))
		}
		defer func() { // below the rows
			for _, line := range unread {
				p.Warning(fmt.Sprintf("the servers of this file are unknown: %s", line))
			}
		}()
		if err := p.connectRows(rows, find); err != nil {
			return err
		}
		return app.Silent(app.ExitError)
	}
	return p.connectRows(rows, find)
}

// brokenFiles are the configuration files that their hosts do not load, with the reason.
type brokenFiles struct {
	machine *hosts.Machine
	files   []hosts.Problem // first error of each file
	unread  []string        // lines about files that cannot be searched for entries
}

func newBrokenFiles(c *hosts.Configuration, m *hosts.Machine) (b brokenFiles) {
	b.machine, b.unread = m, target.Unread(c, m)
	for _, q := range c.Problems {
		if q.Severity == hosts.Error && !slices.ContainsFunc(b.files, func(other hosts.Problem) bool { return other.File == q.File }) {
			b.files = append(b.files, q)
		}
	}
	return b
}

// reason returns why the file of an entry is not loaded. It returns "" if the entry is loaded or another entry
// overrides it.
func (b brokenFiles) reason(s *hosts.Server) string {
	i := slices.IndexFunc(b.files, func(q hosts.Problem) bool { return q.File == s.Source.File })
	if s.Loaded || i < 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s", target.PlaceOf(b.machine, &b.files[i]), b.files[i].Message)
}

// effective returns the entries that their hosts use, disabled entries, and entries of files that the hosts do
// not load.
func (p *commands) effective(words []string) (found []*hosts.Server, broken brokenFiles, err error) {
	c, m, err := target.Discover(p.Ctx)
	if p.Ctx.Err() != nil {
		return nil, broken, context.Cause(p.Ctx)
	}
	if err != nil {
		return nil, broken, app.Failed("cannot read the configuration of other applications: %v", err)
	}
	p.AddOwn(c)
	broken = newBrokenFiles(c, m)
	used := map[string]bool{}
	for _, s := range c.Servers {
		named := len(words) == 0 && s.Scope != hosts.Catalog && s.Scope != hosts.Manifest
		for _, word := range words {
			if word == s.Host || word == s.ID() {
				named, used[word] = true, true
			}
		}
		if named && !s.Fragment && (s.Loaded && (s.Effective || s.Disabled) || broken.reason(s) != "") {
			found = append(found, s)
		}
	}
	for _, word := range words {
		host, name, _ := strings.Cut(word, "/")
		switch {
		case !used[word] && !slices.Contains(hosts.IDs(), host) && host != settings.OwnHost:
			return nil, broken, unknownHost(host)
		case !used[word] && name != "":
			return nil, broken, app.Usage("mcptea servers lists them.", "no entry is named %q", word)
		}
	}
	return found, broken, nil
}

// row returns the row of an entry before connecting. For an entry of a project it asks the user. The error is a
// signal.
func (p *commands) row(s *hosts.Server, broken brokenFiles) (*Connected, error) {
	c := &Connected{ID: s.ID(), Transport: s.Transport, server: s}
	if why := broken.reason(s); why != "" {
		c.State, c.Error, c.Try = "failed", fmt.Sprintf("%s does not load the file of the entry: %s", hosts.HostName(s.Host), why), "Correct the file."
		return c, nil
	}
	if s.Disabled {
		c.State, c.Error = "disabled", fmt.Sprintf("%s does not start it.", hosts.HostName(s.Host))
		return c, nil
	}
	here, missing, err := p.ForEntry(s)
	c.link = p.link.With(here.Settings)
	var confirmed bool
	switch {
	case err != nil:
	case missing != "":
		c.State, c.Error = "missing", missing
		return c, nil
	default:
		c.target, confirmed, err = here.Entry(s)
	}
	if p.Ctx.Err() != nil {
		return nil, context.Cause(p.Ctx)
	}
	var refused *app.Error
	if errors.As(err, &refused) {
		c.State, c.Error, c.Try = "failed", refused.Text, refused.Hint
		if !confirmed {
			c.State = "unconfirmed"
		}
		return c, nil
	}
	return c, err
}

// connectRows connects concurrently and prints the rows in order, each as soon as all rows before it are
// printed, or what find lists.
func (p *commands) connectRows(rows []*Connected, find *finder) error {
	if len(rows) == 0 && !p.JSON {
		return p.Out.Line("No configured servers.")
	}
	done := p.connectAll(rows)
	list := func() error { return p.printRows(rows, done) }
	if find != nil {
		list = func() error { return p.printFound(rows, done, find) }
	}
	if err := list(); err != nil {
		return err
	}
	switch {
	case p.Ctx.Err() != nil:
		return context.Cause(p.Ctx)
	case slices.ContainsFunc(rows, func(c *Connected) bool { return c.State == "failed" }):
		return app.Silent(app.ExitError)
	}
	return nil
}

// connectAll connects to the servers of rows without a state, a few at a time, and returns immediately. A
// channel is closed when its row is complete, or when the context ends.
func (p *commands) connectAll(rows []*Connected) (done []chan struct{}) {
	free := make(chan struct{}, connectsAtOnce)
	done = make([]chan struct{}, len(rows))
	for i := range rows {
		done[i] = make(chan struct{})
	}
	go func() {
		for i, c := range rows {
			if c.State != "" {
				close(done[i])
				continue
			}
			free <- struct{}{}
			go func() {
				defer close(done[i])
				p.connect(c)
				<-free
			}()
		}
	}()
	return done
}

// printRows prints rows in order, each when it is done, and how to try the entries of project files. A nil done
// means that all are.
func (p *commands) printRows(rows []*Connected, done []chan struct{}) error {
	width := 0
	for _, c := range rows {
		width = max(width, min(display.Width(c.ID), 40))
	}
	var untried []*Connected
	for i, c := range rows {
		if done != nil {
			<-done[i]
		}
		if c.State == "" {
			continue // the check was interrupted
		}
		if c.State == "unconfirmed" && c.Try != "" {
			untried = append(untried, c)
		}
		if err := p.printConnected(c, width); err != nil {
			return err
		}
	}
	return p.printUntried(untried)
}

// connect connects to one server, and fetches its tools. No tool is called.
func (p *commands) connect(c *Connected) {
	if p.Ctx.Err() != nil {
		return
	}
	s, err := c.link.PrepareWith(c.target, nil, client.Tools)
	if err != nil {
		c.fail(err, nil)
		return
	}
	defer func() {
		ctx, stop := context.WithTimeout(p.ForceCtx, app.ShutdownTimeout)
		defer stop()
		_ = s.Close(ctx) // nothing is recorded, so the error does not matter
	}()
	start := time.Now()
	err = s.Connect(p.Ctx)
	c.Took = phrase.Millis(time.Since(start))
	if err == nil {
		lists, failed := p.link.LoadLists(s, link.Nothing, client.Tools)
		if err = failed; err == nil {
			tools := lists[client.Tools.Name]
			c.Tools, c.items, err = new(len(tools.Items)), tools.Items, tools.Err
		}
	}
	switch {
	case p.Ctx.Err() != nil:
	case err != nil:
		c.fail(err, s)
	default:
		c.OK, c.State, c.Protocol = true, "connected", string(s.State().Handshake.Revision)
	}
}

// fail sets why the row is not connected. s is nil before there is a session.
func (c *Connected) fail(err error, s *session.Session) {
	var facts failure.Facts
	if s != nil {
		facts = failure.FactsOf(s)
	}
	e := failure.Explain(err, facts)
	c.State, c.Error, c.Cause, c.Try = "failed", e.Sentence, e.Cause(), e.Try()
	if link.ConnectCode(err, e) == app.ExitAuth {
		c.State = "unauthorized"
	}
}

func (p *commands) printConnected(c *Connected, width int) error {
	if p.JSON {
		return p.PrintDocument(c)
	}
	mark := p.Out.Faint("·")
	text := display.Sanitize(c.Error)
	switch c.State {
	case "connected":
		mark = p.Out.Good("✓")
		text = fmt.Sprintf("%s  %s  %s", phrase.Took(time.Duration(c.Took)), phrase.Count(*c.Tools, "tool"), c.Protocol)
	case "failed":
		mark = p.Out.Bad("✗")
	case "unconfirmed":
		text = "not tried: " + display.Sanitize(c.server.Written.Redacted().String())
	}
	name := display.Cut(display.Sanitize(c.ID), 40)
	label := mark + " " + p.Out.Name(name) + strings.Repeat(" ", max(0, width-display.Width(name))+2)
	err := p.Out.Line(p.Out.Labeled(label, text, p.Out.Width))
	for _, more := range [][2]string{{"cause", c.Cause}, {"try", c.Try}} {
		if more[1] != "" && c.State == "failed" {
			err = p.Out.Line(p.Out.Labeled(strings.Repeat(" ", width+4)+p.Out.Faint(more[0])+" ", display.Sanitize(more[1]), p.Out.Width))
		}
	}
	return err
}

// printUntried explains once why entries of project files were not tried, and how to try them.
func (p *commands) printUntried(rows []*Connected) error {
	if len(rows) == 0 || p.JSON {
		return nil
	}
	var files []string
	for _, c := range rows {
		if file := c.server.Source.File; !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	entries, what := "1 entry", "it starts"
	if len(rows) > 1 {
		entries, what = phrase.Digits(len(rows))+" entries", "they start"
	}
	text := fmt.Sprintf("Not tried: %s of %s, %s of the project. Look at what %s, then add --yes.", entries, strings.Join(files, ", "), [...]string{"a file", "files"}[min(len(files)-1, 1)], what)
	return p.Out.Line("\n" + p.Out.Labeled("", display.Sanitize(text), p.Out.Width))
}

// Package skills implements the pane of a server's skills: their entries, and the files that the user has
// read and verified. It reads a file only when the user presses a key.
//
// Tests: ui/pane/skills_test.go
package skills

import (
	"cmp"
	"context"
	"maps"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/internal/words/search"
	"mcptea/offer"
	"mcptea/offer/skill"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/result"
	"mcptea/ui/widget"
)

// Session is the part of a session that the pane uses.
type Session interface {
	// Ask sends a request and waits for the response; an error response is an error.
	Ask(ctx context.Context, method string, params []byte) (result []byte, err error)
	VerifySkill(e *skill.Entry, uri string, result []byte) (content []byte, v skill.Verdict)
}

// Live is a session for the pane.
type Live struct{ *session.Session }

// Ask implements [Session].
func (l Live) Ask(ctx context.Context, method string, params []byte) ([]byte, error) {
	return l.Start(method, params).Wait(ctx)
}

// Pane is the list of the skills, with the selected one in full.
type Pane struct {
	page.Page[*row, string]
	app app.App
	s   Session

	latest           offer.List             // at the last refresh
	entries          map[string]skill.Entry // entries from skills/get, by URI; newer than the list
	read             map[string]*file       // files by the URI of the skill and of the file
	compared         map[string]string      // differences from the directories, by the URI of the skill
	news             map[string]string      // differences of the newest entry from the previous one
	rows             []*row
	offered          bool
	readsDirectories bool
	files            widget.Rows[*node, string] // files of the selected skill
	of               string                     // the skill that they are of
}

// row is a skill of the list.
type row struct {
	skill.Entry
	label  string
	faults []skill.Fault
	nodes  []node          // the tree of its files
	folded map[string]bool // directories whose files are not shown, by URI
}

// file is a file that was read.
type file struct {
	verdict skill.Verdict
	err     error
	busy    bool
	view    *result.View // nil unless the content may be shown
}

// maxRead bounds the files whose contents are kept; then all are forgotten.
const maxRead = 100

// New returns the pane over the skills of a session.
func New(a app.App, s Session) *Pane {
	p := &Pane{app: a, s: s, entries: map[string]skill.Entry{}, read: map[string]*file{}, compared: map[string]string{}, news: map[string]string{}}
	p.Init(page.Spec[*row, string]{
		Noun: "skill", Title: func() []paint.Span { return []paint.Span{{Text: "Skills"}} }, Note: p.note, Empty: p.empty,
		Len: func() int { return len(p.rows) }, At: func(i int) *row { return p.rows[i] }, Key: func(r *row) string { return r.URI },
		Sign: func(r *row, pal *paint.Palette) paint.Span { return mark(pal, p.state(r)) }, Spaced: true,
		Columns: []widget.Column[*row]{
			{Cell: name, Below: pathAndDescription},
			{Width: 12, Right: true, Cell: filesOf},
		},
		Match: func(words string) func(*row) bool {
			typed := search.Of(words)
			return func(r *row) bool { return typed.In(r.URI, r.label, r.Description) }
		},
		Detail: func(r *row) app.Pane { return detail{p, r} }, Open: func(*row) { p.Enter() },
		Needs: p.needs, Foot: p.legend,
		Layout: page.Layout{Beside: 70, Alone: 100},
	})
	p.files.Init(func() int { return len(p.current().nodes) }, func(i int) *node { return &p.current().nodes[i] }, func(n *node) string { return n.uri }, p.fileColumns()...)
	again := p.Do(keys.Command{ID: "again", Verb: keys.Again, Label: "reload", Help: "Request the entry of the skill again, and show what has changed", Words: "skills/get refresh update", Footer: 14}, p.again)
	compare := p.Do(keys.Command{ID: "diff", Verb: keys.Diff, Label: "directories", Help: "Compare the files of the entry with the directories of the skill", Words: "resources/directory/read difference", Footer: 16}, p.compare, p.cannotCompare)
	p.Name, p.Own = "skills", []keys.Command{
		p.Do(keys.Command{ID: "skill.open", Keys: keys.On("enter right"), Label: "files", Help: "Go to the files of the skill", Footer: 10}, func(*row) { p.Enter() }),
		again, compare,
		p.Do(keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy URI", Help: "Copy the URI of the skill", Words: "clipboard", Footer: 18}, func(r *row) { a.Copy(r.URI, nil, "URI of the skill") }),
		{ID: "filter", Keys: keys.On("/"), Label: "filter", Help: "Filter the skills by words", Footer: 20, Run: p.StartFilter},
	}
	p.Inner = keys.Section{Name: "files of a skill", Commands: []keys.Command{
		p.Do(keys.Command{ID: "skill.read", Keys: keys.On("enter"), Label: "read", Help: "Read the file, and compare it with the entry; fold a directory", Words: "verify resources/read digest", Footer: 10}, p.readFile, p.noFile),
		again, compare,
		p.Do(keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy URI", Help: "Copy the URI of the file", Words: "clipboard", Footer: 18}, func(*row) {
			uri, _ := p.files.Key()
			a.Copy(strings.TrimSuffix(uri, "/"), nil, "URI of the file")
		}, p.noFile),
	}}
	return p
}

// Present reports whether the server has skills.
func (p *Pane) Present() bool { return len(p.rows) > 0 || p.offered }

// Empty reports whether there are no skills.
func (p *Pane) Empty() bool { return len(p.rows) == 0 }

// Badge returns the number of skills.
func (p *Pane) Badge() string { return phrase.Digits(len(p.rows)) }

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) (busy bool) {
	l := t.State.Lists[client.Skills.Name]
	p.offered = l.Offered
	p.readsDirectories = t.State.Handshake.HasCapability(client.Skills.Capability("directoryRead")...)
	if !l.HasItemsOf(p.latest) {
		p.latest = l
		clear(p.entries) // the list is newer
		p.rows = nil
		for _, item := range l.Items {
			p.rows = append(p.rows, &row{Entry: skill.Parse(item.Raw)})
		}
		p.named()
	}
	p.Changed()
	if r, ok := p.Selected(); ok && r.URI != p.of {
		p.of = r.URI
		p.files.SelectFirst(0)
	}
	p.files.Refresh()
	if len(p.read) > maxRead {
		clear(p.read)
	}
	return p.Page.Refresh(t)
}

// named sets the labels of the rows.
func (p *Pane) named() {
	entries := make([]skill.Entry, len(p.rows))
	for i, r := range p.rows {
		r.faults = r.Faults()
		r.grow()
		entries[i] = r.Entry
	}
	for i, label := range skill.Labels(entries) {
		p.rows[i].label = label
	}
}

var none row

// current returns the selected skill, or an empty one.
func (p *Pane) current() *row {
	if r, ok := p.Selected(); ok {
		return r
	}
	return &none
}

// shown returns the selected file, if it was read.
func (p *Pane) shown() *file {
	uri, _ := p.files.Key()
	return p.read[p.current().URI+" "+uri]
}

// noFile returns why there is no file to read, or "".
func (p *Pane) noFile(r *row) string {
	return keys.Reason(len(r.nodes) == 0, "The entry lists no files.")
}

// readFile reads the selected file, and compares it with the entry; it folds a directory.
func (p *Pane) readFile(r *row) {
	uri, ok := p.files.Key()
	if !ok {
		return
	}
	if r.nodes[p.files.Index()].dir {
		r.fold(uri)
		p.files.Refresh()
		return
	}
	p.app.Online("Read a file of the skill", func() {
		f := &file{busy: true}
		p.read[r.URI+" "+uri] = f
		entry := r.Entry
		p.app.Go(func(ctx context.Context) func() {
			got, err := p.s.Ask(ctx, "resources/read", client.Params(map[string]string{"uri": uri}))
			var content []byte
			var v skill.Verdict
			if err == nil {
				content, v = p.s.VerifySkill(&entry, uri, got)
			}
			return func() {
				f.busy, f.err, f.verdict = false, err, v
				if content != nil {
					f.view = p.viewOf(&entry, uri, got, content)
				}
			}
		})
	})
}

// viewOf returns a view of the content of a file, without the rest of the result. SKILL.md is shown without its
// front matter, which is already visible.
func (p *Pane) viewOf(e *skill.Entry, uri string, got, content []byte) *result.View {
	item := skill.Contents(got, uri)
	if uri == e.URI {
		item = jsonrpc.AppendMember([]byte(`{"mimeType":"text/markdown"`), "uri", []byte(`"without its front matter"`))
		item = append(jsonrpc.AppendMember(item, "text", []byte(jsonrpc.Quote(string(skill.Body(content))))), '}')
	}
	frame := jsonrpc.EncodeResult(jsonrpc.IntID(0), append(append([]byte(`{"contents":[`), item...), "]}"...))
	return result.New(p.app, "resources/read", client.Response{Frame: frame, Envelope: jsonrpc.Scan(frame)}, nil, func() int32 { return -1 })
}

// again requests the entry of a skill again.
func (p *Pane) again(r *row) {
	p.app.Online("Request the entry of the skill", func() {
		dialog.Try(p.app, func(ctx context.Context) ([]byte, error) {
			return p.s.Ask(ctx, "skills/get", client.Params(map[string]string{"uri": r.URI}))
		}, func(got []byte) {
			now := skill.Parse(jsonrpc.Get(got, "skill"))
			if now.URI != r.URI {
				p.app.Fail("The result of skills/get has another skill.")
				return
			}
			changed := r.Changes(&now)
			if p.news[r.URI] = changed; changed != "" {
				maps.DeleteFunc(p.read, func(key string, _ *file) bool { return strings.HasPrefix(key, r.URI+" ") })
				delete(p.compared, r.URI)
			}
			r.Entry, r.faults = now, now.Faults()
			r.grow()
			p.files.Refresh()
			p.app.Say("The entry of the skill has " + [...]string{"not changed.", "changed: " + display.Sanitize(changed) + "."}[min(len(changed), 1)])
		})
	})
}

func (p *Pane) cannotCompare(r *row) string {
	switch {
	case !p.readsDirectories:
		return "The server does not declare directoryRead for its skills."
	case r.Dynamic:
		return "The entry lists no files."
	}
	return ""
}

// compare reads the directories of a skill, and compares them with its entry.
func (p *Pane) compare(r *row) {
	p.app.Online("Read the directories of the skill", func() {
		entry := r.Entry
		dialog.Try(p.app, func(ctx context.Context) (string, error) { return entry.CompareDirectories(ctx, p.s.Ask) },
			func(difference string) { p.compared[entry.URI] = cmp.Or(difference, same) })
	})
}

// same is the text for directories that have exactly the files of the entry.
const same = "same files"

func (p *Pane) note(pal *paint.Palette) []paint.Span {
	wrong := 0
	for _, r := range p.rows {
		if p.state(r) == skill.Differs {
			wrong++
		}
	}
	spans := []paint.Span{{Style: pal.Muted, Text: phrase.Digits(p.Count())}}
	if wrong > 0 {
		spans = append([]paint.Span{{Style: pal.Error, Text: pal.FailMark + " " + phrase.Digits(wrong) + "  "}}, spans...)
	}
	return spans
}

func (p *Pane) empty(d *doc.Doc) {
	d.Text(d.Pal.Muted, "No skills in the list. The list may be incomplete: mcptea skill URI TARGET reads any skill.", 4)
}

// legend adds the meaning of the marks.
func (p *Pane) legend(d *doc.Doc) {
	if len(p.rows) == 0 {
		return
	}
	first := d.Blocks()
	d.Blank()
	d.Rule(paint.Span{Style: d.Pal.Muted, Text: "marks"})
	for _, m := range []struct {
		state skill.State
		text  string
	}{{skill.NotRead, "not read"}, {skill.Verified, "verified"}, {skill.Differs, "differs, not shown"}, {skill.Unchecked, "dynamic, no digest"}} {
		d.Row(mark(d.Pal, m.state), paint.Span{Style: d.Pal.Muted, Text: "  " + m.text})
	}
	d.GiveAll(first, 9)
}

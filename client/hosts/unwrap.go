package hosts

import (
	"slices"

	"mcptea/client/hosts/syntax"
)

// unwrap returns the edit that removes mcptea from an entry. r is the record of the wrapping, or nil if there
// is none, so that only the form of the entry is known.
func (s *Server) unwrap(r *record) (*Edit, error) {
	refuse := func(reason, text string) error {
		return &RefusedError{Server: s.ID(), Reason: reason, Text: text, Verb: "unwrap"}
	}
	w := s.splicer()
	switch {
	case s.Wrapped && s.Transport != Stdio && s.Tap == "":
		if e := s.unbridge(r); e != nil {
			return e, nil
		}
		return nil, refuse("layout", "the entry has changed since it was wrapped, so mcptea does not restore it: write its URL instead of the command, and remove the command and its arguments")
	case s.Wrapped && s.Source.Format == syntax.YAML:
		return nil, s.byHand(s.Written, "unwrap")
	case s.Wrapped && s.Transport == Stdio:
		w.unwrapCommand(s, r)
	case r != nil && r.URL != "" && s.mapped["url"] != nil && s.mapped["url"].Text == r.URL:
		w.replace(s.mapped["url"], r.Scalar)
	default:
		return nil, refuse("not-wrapped", "the entry does not run through mcptea tap")
	}
	e, err := w.edit(s, "unwrap", s.Written.Env)
	if err != nil {
		return nil, err
	}
	e.record = r
	return e, nil
}

// unwrapCommand removes mcptea from a command and its arguments.
func (w *splicer) unwrapCommand(s *Server, r *record) {
	command, args := s.mapped["command"], s.mapped["args"]
	if s.file.dialect.CommandList {
		w.removeItems(command, dashes(command)+1)
		return
	}
	n := dashes(args) + 2
	if args == nil || n > len(args.Items) {
		w.failed = true
		return
	}
	original := args.Items[n-1]
	raw := w.quote(command, original.Text)
	switch {
	case r != nil && w.meaning(r.Scalar) == original.Text:
		raw = r.Scalar
	case w.format != syntax.TOML:
		raw = w.written(original)
	}
	w.replace(command, raw)
	if r != nil && !r.HadArgs && n == len(args.Items) {
		from := command.End
		if w.format == syntax.TOML && !s.body.Flow {
			from = w.data.LineEnd(command.End)
		}
		w.remove(from, args.End) // the member was inserted
		return
	}
	w.removeItems(args, n)
}

// dashes returns the index of the item "--" in a list.
func dashes(list *syntax.Node) int {
	if list == nil {
		return -1
	}
	return slices.IndexFunc(list.Items, func(n *syntax.Node) bool { return n.Text == "--" })
}

// removeItems removes the first n items of a list.
func (w *splicer) removeItems(list *syntax.Node, n int) {
	if n < 1 || n > len(list.Items) {
		w.failed = true
		return
	}
	first, last := list.Items[0], list.Items[n-1]
	_, ownLine := w.data.Indentation(first.Start)
	end := last.End
	switch {
	case ownLine && w.data.LineStart(last.Start) > list.Start:
		w.remove(w.data.LineStart(first.Start), w.data.NextLine(last.End))
		return
	case n < len(list.Items):
		end = list.Items[n].Start
	}
	w.remove(first.Start, end)
}

func (w *splicer) remove(start, end int) { w.splices = append(w.splices, splice{start, end, ""}) }

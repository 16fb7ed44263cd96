package markdown

import (
	"bytes"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

// MaxSize is the size, in bytes, up to which a text is laid out.
const MaxSize = 64 << 10

// maxDepth is the nesting depth of blocks and emphasis up to which a text is laid out.
const maxDepth = 64

// Document is a laid out text. It may be made by one goroutine and used by another,
// and is not safe for concurrent use.
type Document struct{ lines []line }

// line is a line of the layout; each is wrapped separately.
type line struct {
	first, rest []run // markers before the first row, and before the rows that it wraps into
	runs        []run
	code        *paint.Source // line n of the code
	table       *table
	n           int
	rule        bool
}

// style is a role of text; the palette has its colors.
type style uint8

const (
	plain style = iota
	strong
	emphasis
	literal // code in a line
	title
	subtitle
	link
	muted
	marker // of list items
)

// run is a piece of sanitized text in one style.
type run struct {
	style style
	text  string
}

var newParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
})

// Parse lays out an untrusted text. It returns nil for a text that is larger than [MaxSize], nested too deeply,
// or made to keep the parser busy.
func Parse(source string) *Document {
	if len(source) > MaxSize || isCostly(source) {
		return nil
	}
	d, deep := parse(strings.ReplaceAll(source, "\r\n", "\n"), false)
	if deep {
		return nil
	}
	return d
}

// ParsePage lays out a page of the program's documentation, of any size. Because it is certainly Markdown, the
// lines of a paragraph are joined.
func ParsePage(source string) *Document {
	d, _ := parse(source, true)
	return d
}

// parse lays out a text, with paragraphs in one line if it is a page, and reports whether it is
// nested too deeply.
func parse(source string, page bool) (d *Document, deep bool) {
	b := builder{source: []byte(source), page: page}
	b.blocks(newParser().Parse(text.NewReader(b.source)), 0, false)
	return &Document{lines: b.lines}, b.deep
}

// The parser takes quadratic time in brackets and in the depth of nested blocks, so
// both have maxima: at these it takes some 10 ms.
const maxBrackets = 1500

var nested = lazyregexp.New(`(?m)^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){` + strconv.Itoa(maxDepth) + `}`)

// isCostly reports whether parsing a text could take long.
func isCostly(source string) bool {
	return strings.Count(source, "[") > maxBrackets || nested().MatchString(source)
}

// Len returns the number of lines. [Document.Rows] wraps each of them.
func (d *Document) Len() int { return len(d.lines) }

// IsCode reports whether line i is one of a block of code.
func (d *Document) IsCode(i int) bool { return d.lines[i].code != nil }

// builder walks over the syntax tree.
type builder struct {
	source []byte
	page   bool // the lines of a paragraph are one
	lines  []line
	runs   []run // runs of the line being built
	first  []run // markers that the next line begins with
	rest   []run // start of each line of the block
	deep   bool  // a part was nested too deeply, and left out
}

// blocks lays out the children of a container. Blocks are separated by an empty line, unless
// they are tight.
func (b *builder) blocks(parent ast.Node, depth int, tight bool) {
	if depth > maxDepth {
		b.deep = true
		return
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n.PreviousSibling() != nil && !tight {
			b.emit(line{})
		}
		b.block(n, depth)
	}
}

func (b *builder) block(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Heading:
		st := strong
		switch n.Level {
		case 1:
			st = title
		case 2:
			st = subtitle
		}
		b.inline(n, st, depth)
		b.flush()
	case *ast.Paragraph, *ast.TextBlock:
		b.inline(n, plain, depth)
		t := newTable(b.split())
		if t == nil {
			if b.page {
				b.join()
			}
			b.flush()
			return
		}
		b.runs = nil
		for i := range t.rows {
			b.emit(line{table: t, n: i})
		}
	case *ast.List:
		b.list(n, depth)
	case *ast.Blockquote:
		b.within([]run{{muted, quoteMark}}, []run{{muted, quoteMark}}, func() { b.blocks(n, depth+1, false) })
	case *ast.FencedCodeBlock:
		b.code(string(n.Language(b.source)), n.Lines())
	case *ast.CodeBlock:
		b.code("", n.Lines())
	case *ast.ThematicBreak:
		b.emit(line{rule: true})
	case *ast.HTMLBlock:
		b.add(muted, bytes.TrimSuffix(n.Lines().Value(b.source), []byte("\n")))
		b.flush()
		if n.HasClosure() {
			b.add(muted, n.ClosureLine.Value(b.source))
			b.flush()
		}
	default:
		b.blocks(n, depth+1, false)
	}
}

func (b *builder) list(n *ast.List, depth int) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if item.PreviousSibling() != nil && !n.IsTight {
			b.emit(line{})
		}
		mark := bulletMark
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		blank := strings.Repeat(" ", display.Width(mark))
		b.within([]run{{marker, mark}}, []run{{plain, blank}}, func() { b.blocks(item, depth+1, n.IsTight) })
	}
}

// within lays out blocks after a marker. Later lines start with blanks of the same width.
func (b *builder) within(first, rest []run, do func()) {
	outer := b.rest
	if b.first == nil {
		b.first = outer
	}
	b.first = append(b.first[:len(b.first):len(b.first)], first...)
	b.rest = append(outer[:len(outer):len(outer)], rest...)
	do()
	if b.first != nil {
		b.emit(line{}) // an empty item has its marker
	}
	b.rest = outer
}

// emit appends a line after the markers of its block.
func (b *builder) emit(l line) {
	l.first, l.rest = b.rest, b.rest
	if b.first != nil {
		l.first, b.first = b.first, nil
	}
	b.lines = append(b.lines, l)
}

func (b *builder) code(language string, lines *text.Segments) {
	c := &paint.Source{Kind: language, Text: strings.TrimSuffix(string(lines.Value(b.source)), "\n")}
	for i := range strings.Count(c.Text, "\n") + 1 {
		b.emit(line{code: c, n: i})
	}
}

// flush emits the added text, line by line.
func (b *builder) flush() {
	for _, runs := range b.split() {
		b.emit(line{runs: runs})
	}
	b.runs = nil
}

// join joins the added runs into one line.
func (b *builder) join() {
	for i, r := range b.runs {
		b.runs[i].text = strings.ReplaceAll(r.text, "\n", " ")
	}
}

// split cuts the added text at its line ends.
func (b *builder) split() [][]run {
	lines := [][]run{nil}
	for _, r := range b.runs {
		for i, part := range strings.Split(r.text, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			if part != "" {
				last := len(lines) - 1
				lines[last] = append(lines[last], run{r.style, part})
			}
		}
	}
	return lines
}

var tabs = strings.NewReplacer("\t", "    ")

// add appends untrusted text.
func (b *builder) add(st style, s []byte) {
	b.runs = append(b.runs, run{st, display.SanitizeLines(tabs.Replace(string(s)))})
}

// inline adds the text of a block or of a part of it.
func (b *builder) inline(parent ast.Node, st style, depth int) {
	if depth > maxDepth {
		b.deep = true
		return
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			b.add(st, unescaped(n.Value(b.source)))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.add(st, []byte("\n"))
			}
		case *ast.String:
			b.add(st, n.Value)
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					b.add(literal, t.Value(b.source))
				}
			}
		case *ast.Emphasis:
			inner := emphasis
			if n.Level >= 2 || st == strong {
				inner = strong
			}
			if st != plain && st != emphasis {
				inner = st
			}
			b.inline(n, inner, depth+1)
		case *ast.Link:
			from := len(b.runs)
			b.inline(n, link, depth+1)
			b.destination(from, n.Destination)
		case *ast.Image:
			b.add(muted, []byte("image: "))
			from := len(b.runs)
			b.inline(n, link, depth+1)
			b.destination(from, n.Destination)
		case *ast.AutoLink:
			b.add(link, n.Label(b.source))
		case *ast.RawHTML:
			b.add(muted, n.Segments.Value(b.source))
		default:
			b.inline(n, st, depth+1)
		}
	}
}

// destination adds the URL of a link if its text, starting at run from, does not contain it.
func (b *builder) destination(from int, url []byte) {
	text := ""
	for _, r := range b.runs[from:] {
		text += r.text
	}
	if len(url) > 0 && text != string(url) {
		b.add(muted, []byte(" ("+string(url)+")"))
	}
}

// unescaped returns text without backslashes before punctuation, and with references such as &amp; replaced.
func unescaped(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 && bytes.IndexByte(s, '&') < 0 {
		return s
	}
	return util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(s)))
}

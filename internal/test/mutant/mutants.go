package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
)

// A mutant is a source file with a change at one place.
type mutant struct {
	file     string
	line     int
	from, to int    // bytes of the file, the second one exclusive
	was, is  string // the text of the place, before and after
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d: %s → %s", m.file, m.line, short(m.was), short(m.is))
}

// short returns a text within a line of output.
func short(text string) string {
	text = strconv.Quote(text)
	text = text[1 : len(text)-1]
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:59]) + "…"
	}
	return text
}

// apply returns the source of the file with the mutant.
func (m mutant) apply(source []byte) []byte {
	return slices.Concat(source[:m.from], []byte(m.is), source[m.to:])
}

// otherOperator maps operators to their replacements. Limits move by one; == and the connectives become their
// opposites.
var otherOperator = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD,
}

// mutantsOf returns the mutants of a source file, in its order: comparisons, connectives, sums,
// conditions that are negated, boolean constants, numbers, texts, and last results that become the
// zero value of their type. Not all of them compile.
func mutantsOf(file string, source []byte) ([]mutant, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := finder{file: file, source: source, set: set}
	f.find(tree, nil)
	return f.found, nil
}

// A finder collects the mutants of a file.
type finder struct {
	file   string
	source []byte
	set    *token.FileSet
	found  []mutant
}

// find collects the mutants of a node in a function of a type, which is nil outside of functions.
func (f *finder) find(root ast.Node, in *ast.FuncType) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				f.find(n.Body, n.Type)
			}
			return false
		case *ast.FuncLit:
			f.find(n.Body, n.Type)
			return false
		case *ast.ImportSpec:
			return false
		case *ast.Field: // tags are read by reflection
			return false
		case *ast.BinaryExpr:
			if other, ok := otherOperator[n.Op]; ok {
				f.add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), other.String())
			}
		case *ast.IfStmt:
			f.negate(n.Cond)
		case *ast.ForStmt:
			f.negate(n.Cond)
		case *ast.Ident:
			f.identifier(n)
		case *ast.BasicLit:
			f.literal(n)
		case *ast.ReturnStmt:
			f.result(n, in)
		}
		return true
	})
}

func (f *finder) add(from, to token.Pos, is string) {
	at := f.set.Position(from)
	end := f.set.Position(to).Offset
	was := string(f.source[at.Offset:end])
	if was != is {
		f.found = append(f.found, mutant{f.file, at.Line, at.Offset, end, was, is})
	}
}

// negate negates a condition, unless changing its operator already negates it.
func (f *finder) negate(cond ast.Expr) {
	if cond == nil {
		return
	}
	if b, ok := cond.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		return
	}
	text := f.source[f.set.Position(cond.Pos()).Offset:f.set.Position(cond.End()).Offset]
	f.add(cond.Pos(), cond.End(), "!("+string(text)+")")
}

func (f *finder) identifier(n *ast.Ident) {
	switch n.Name {
	case "true":
		f.add(n.Pos(), n.End(), "false")
	case "false":
		f.add(n.Pos(), n.End(), "true")
	}
}

func (f *finder) literal(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT, token.FLOAT:
		f.add(n.Pos(), n.End(), "("+n.Value+" + 1)")
	case token.STRING:
		if n.Value != `""` {
			f.add(n.Pos(), n.End(), strconv.Quote("mutant"))
		}
	}
}

// result makes the last result of a return statement the zero value of its type.
func (f *finder) result(n *ast.ReturnStmt, in *ast.FuncType) {
	if in == nil || in.Results == nil || len(n.Results) != in.Results.NumFields() {
		return // the results of a call, or named results
	}
	last := n.Results[len(n.Results)-1]
	if is := zero(in.Results.List[len(in.Results.List)-1].Type); is != "" {
		switch last := last.(type) {
		case *ast.BasicLit: // a mutant of its own
			return
		case *ast.Ident:
			if last.Name == "true" || last.Name == "false" {
				return
			}
		}
		f.add(last.Pos(), last.End(), is)
	}
}

// zero writes the zero value of a type, if the expression of the type determines it.
func zero(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr, *ast.MapType, *ast.FuncType, *ast.ChanType:
		return "nil"
	case *ast.ArrayType:
		if t.Len == nil {
			return "nil"
		}
	case *ast.Ident:
		switch t.Name {
		case "error", "any":
			return "nil"
		case "bool":
			return "false"
		case "string":
			return `""`
		case "int", "int32", "int64", "float64":
			return "0"
		}
	}
	return ""
}

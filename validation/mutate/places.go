package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
)

// place is a stretch of a file with what may stand there instead.
type place struct {
	file      string
	at, end   int // bytes
	line, col int
	changes   []string
}

// operators are what an operator may become: another one of its kind, and a comparison one step off.
var operators = map[token.Token][]string{
	token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"/"}, token.QUO: {"*"}, token.REM: {"/"},
	token.LSS: {"<=", ">"}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<"}, token.GEQ: {">", "<"},
	token.EQL: {"!="}, token.NEQ: {"=="}, token.LAND: {"||"}, token.LOR: {"&&"},
	token.ADD_ASSIGN: {"-="}, token.SUB_ASSIGN: {"+="}, token.MUL_ASSIGN: {"/="}, token.QUO_ASSIGN: {"*="},
	token.INC: {"--"}, token.DEC: {"++"},
}

// placesOf finds what may be changed in a file: operators of arithmetic, comparison and logic, negations, and numbers.
// Struct tags, imports and numbers that size arrays or buffers are left alone, and so are texts.
func placesOf(file string) ([]place, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, text, 0)
	if err != nil {
		return nil, err
	}
	var out []place
	add := func(at token.Pos, old string, changes []string) {
		p := fset.Position(at)
		if len(changes) > 0 && strings.HasPrefix(string(text[p.Offset:]), old) {
			out = append(out, place{file, p.Offset, p.Offset + len(old), p.Line, p.Column, changes})
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ImportSpec, *ast.ArrayType:
			return false
		case *ast.CallExpr:
			if f, ok := x.Fun.(*ast.Ident); ok && (f.Name == "make" || f.Name == "panic") {
				return false // how much is set aside, and what is said of bugs, changes nothing
			}
		case *ast.BinaryExpr:
			if !isText(x.X) && !isText(x.Y) {
				add(x.OpPos, x.Op.String(), operators[x.Op])
			}
		case *ast.AssignStmt:
			if len(x.Rhs) == 1 && !isText(x.Rhs[0]) {
				add(x.TokPos, x.Tok.String(), operators[x.Tok])
			}
		case *ast.IncDecStmt:
			add(x.TokPos, x.Tok.String(), operators[x.Tok])
		case *ast.UnaryExpr:
			if x.Op == token.NOT {
				add(x.OpPos, "!", []string{""})
			}
			if x.Op == token.SUB {
				add(x.OpPos, "-", []string{"+"})
			}
		case *ast.BasicLit:
			if x.Kind == token.INT || x.Kind == token.FLOAT {
				add(x.ValuePos, x.Value, numbers(x.Value))
			}
		}
		return true
	})
	return out, nil
}

// isText says whether an expression is a text for certain; + of others joins them too, and then does not compile as −.
func isText(x ast.Expr) bool {
	lit, ok := x.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING
}

// numbers are what a number may become: one more, or one less; a fraction by a tenth of itself.
func numbers(text string) []string {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return []string{strconv.FormatInt(n+1, 10), "(" + strconv.FormatInt(n-1, 10) + ")"}
	}
	if v, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64); err == nil && v != 0 {
		return []string{strconv.FormatFloat(v*1.1, 'g', -1, 64), strconv.FormatFloat(v*0.9, 'g', -1, 64)}
	}
	return nil
}

package lang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func inChinese(t *testing.T) {
	t.Helper()
	if err := Use("zh"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = Use("en") })
}

func TestT(t *testing.T) {
	if got := T("rack power"); got != "rack power" || Tag() != "en" {
		t.Errorf("English says %q", got)
	}
	if Use("xx") == nil {
		t.Error("a language that there is not")
	}
	inChinese(t)
	for en, want := range map[string]string{
		"":                             "",
		"rack power":                   "机柜功率",
		"48.0 kW":                      "48.0 kW",
		"1,234 servers":                "1,234 台服务器",
		"12.5 d":                       "12.5 天",
		"rack power, 12 racks":         "机柜功率，12 个机柜",
		"Rack power; No GPU throttles": "机柜功率；无 GPU 降频",
		// A name stays a name, whole, though a part of it has a message.
		"One hall, 48 kW racks, air": "One hall, 48 kW racks, air",
		"pretrain (training)":        "pretrain（训练）",
		// Sentences without a message stay as they are, with no word exchanged.
		"the loss of a rack and of another, at once": "the loss of a rack and of another, at once",
		"2 of 7 units": "2 of 7 units",
		"One hall, 48 kW racks, air · basis: nameplate · seed 1 · run 4b6149c4": "One hall, 48 kW racks, air · 口径：铭牌 · 种子 1 · 运行 4b6149c4",
		"31 Dec 2026": "2026年12月31日",
	} {
		if got := T(en); got != want {
			t.Errorf("%q: got %q, want %q", en, got, want)
		}
	}
	if got := fmt.Sprintf(Format("Of %s submitted jobs %s are done"), "9", "7"); got != "提交 9 个作业，完成 7 个" {
		t.Errorf("got %q", got)
	}
}

// What was said is not said again in other words, and no text breaks anything.
func TestTIsSettled(t *testing.T) {
	inChinese(t)
	list := Messages()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if rapid.Bool().Draw(t, "known") {
			text = list[rapid.IntRange(0, len(list)-1).Draw(t, "message")][0] + rapid.SampledFrom([]string{"", ", ", "; ", " (x)", "."}).Draw(t, "joint") + text
		}
		once := T(text)
		if twice := T(once); twice != once {
			t.Fatalf("%q, then %q", once, twice)
		}
	})
}

// Every message can be filled in with what its English text is filled in with, stands once, and uses no place twice.
func TestMessagesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Messages() {
		if seen[m[0]] {
			t.Errorf("%q stands twice", m[0])
		}
		seen[m[0]] = true
		var args []any
		for _, v := range verb.FindAllStringSubmatch(m[0], -1) {
			switch v[4] {
			case "d":
				args = append(args, 7)
			case "f":
				args = append(args, 7.5)
			case "%":
			default:
				args = append(args, "x")
			}
		}
		if len(args) > 0 && !strings.Contains(strings.ReplaceAll(m[0], "%%", ""), "% ") && !strings.HasSuffix(m[0], "%") {
			if text := fmt.Sprintf(m[1], args...); strings.Contains(text, "%!") {
				t.Errorf("%q: %s", m[0], text)
			}
		}
		if strings.Count(m[0], "**") != strings.Count(m[1], "**") {
			t.Errorf("%q: other words stand out", m[0])
		}
		if !strings.ContainsFunc(m[1], func(r rune) bool { return r > 0x2e80 }) && English(m[1]) != nil {
			t.Errorf("%q: %q is no Chinese", m[0], m[1])
		}
	}
	if len(seen) < 500 {
		t.Errorf("only %d messages", len(seen))
	}
}

// No message is stale: what it says in English stands in the source.
func TestMessagesStandInTheSource(t *testing.T) {
	var said strings.Builder
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != ".") {
			return fs.SkipDir
		}
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil {
					said.WriteString(s + "\n")
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := said.String()
	lower := strings.ToLower(all)
	for _, m := range Messages() {
		for _, piece := range verb.Split(m[0], -1) {
			piece = strings.Trim(strings.ReplaceAll(piece, "**", ""), " .,;:()[]·–×…%+−")
			if len(piece) < 3 || strings.Contains(all, piece) || strings.Contains(all, strings.TrimSuffix(piece, "s")) {
				continue
			}
			// Put together of parts, as "rack power at nameplate" is: every word is in the source.
			for _, w := range strings.FieldsFunc(piece, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '\'' || r == '-') }) {
				w = strings.ToLower(w)
				if !strings.Contains(lower, w) && !strings.Contains(lower, strings.TrimSuffix(w, "s")) && !slices.Contains(monthNames, w) {
					t.Errorf("stale: %q: nothing in the source says %q", m[0], w)
				}
			}
		}
	}
}

var monthNames = strings.Fields("january february march april may june july august september october november december jan feb mar apr jun jul aug sep oct nov dec")

package show

import (
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"
)

func written(t interface{ Fatal(...any) }, x *Table, width int) string {
	var b strings.Builder
	if err := x.Write(&b, width); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTable(t *testing.T) {
	x := &Table{
		Heads: []string{"rack", ">power", "stopped by", ">free"},
		Rows:  [][]string{{"A01", "48.0 kW", "the rack's own power limit", "7.20 kW"}, {"机柜二", "9 kW", "space", "−1 W"}},
		Keep:  1,
	}
	for width, want := range map[int]string{
		0: `rack      power  stopped by                     free
A01     48.0 kW  the rack's own power limit  7.20 kW
机柜二     9 kW  space                          −1 W
`,
		44: `rack      power  stopped by          free
A01     48.0 kW  the rack's own   7.20 kW
                 power limit
机柜二     9 kW  space               −1 W
`,
		30: `rack      power
A01     48.0 kW
机柜二     9 kW
(2 more columns below: the screen has 30 columns)

rack    stopped by
A01     the rack's own power
        limit
机柜二  space

rack       free
A01     7.20 kW
机柜二     −1 W
`,
	} {
		got := written(t, x, width)
		// How a column is narrowed by a cell more or less is not what is tested.
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("width %d:\n%s\nwant\n%s", width, got, want)
		}
	}
}

// No line is wider than asked for while a kept column and one more fit, and no cell is lost.
func TestTableFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "columns")
		x := &Table{Keep: 1}
		for i := range n {
			h := rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "head")
			if i > 0 && rapid.Bool().Draw(t, "right") {
				h = ">" + h
			}
			x.Heads = append(x.Heads, h)
		}
		cells := 0
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			var row []string
			for i := range n {
				text := `([a-z机]{1,6} ){0,6}[a-z机]{1,6}`
				if x.Heads[i][0] == '>' || i == 0 {
					text = `[0-9]{1,9}`
				}
				row = append(row, rapid.StringMatching(text).Draw(t, "cell"))
				if i > 0 {
					cells += len(strings.Join(strings.Fields(row[i]), ""))
				}
			}
			x.Rows = append(x.Rows, row)
		}
		width := rapid.IntRange(40, 200).Draw(t, "width")
		got := written(t, x, width)
		for _, line := range strings.Split(got, "\n") {
			if w := runewidth.StringWidth(line); w > width && !strings.HasPrefix(line, "(") {
				t.Fatalf("a line of %d in %d:\n%s", w, width, got)
			}
		}
		if len(got) < cells {
			t.Fatalf("%d bytes printed of cells with %d:\n%s", len(got), cells, got)
		}
	})
}

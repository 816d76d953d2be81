package workbook

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"headroom/plots/document"
)

func write(t interface {
	Helper()
	Fatal(...any)
}, d *document.Document,
) ([]byte, *excelize.File) {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, d); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), f
}

func sample(name string) *document.Document {
	d := &document.Document{Title: document.Str("Hall")}
	d.Section("Answer")
	d.Para(document.T("**4 servers** fit."))
	d.Add(&document.Table{
		Name: "racks", Columns: document.Columns("rack", ">power", ">value", ">servers"),
		Rows: [][]document.Cell{
			document.Row(document.Words(name), document.Num("40.8 kW", 40800.5, "W"), document.Num("12 h", 12, "h"), document.Num("1,234", 1234, "")),
			document.Row(document.Words("B"), document.Num("unknown", math.NaN(), "W"), document.Num("3 °C", 3, "°C"), document.Num("–", math.NaN(), "")),
		},
		Foot: [][]document.Cell{document.Row(document.Strong("all"), document.Num("40.8 kW", 40800.5, "W"))},
	})
	return d
}

func TestWorkbook(t *testing.T) {
	data, f := write(t, sample("=HYPERLINK(\"http://x\")"))
	defer f.Close()
	rows, err := f.GetRows("racks", excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"rack", "power (W)", "value", "value unit", "servers"},
		{"=HYPERLINK(\"http://x\")", "40800.5", "12", "h", "1234"},
		{"B", "unknown", "3", "°C", "–"},
		{"all", "40800.5"},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	for cell, want := range map[string]excelize.CellType{"A2": excelize.CellTypeSharedString, "B2": excelize.CellTypeUnset, "B3": excelize.CellTypeSharedString} {
		if got, _ := f.GetCellType("racks", cell); got != want {
			t.Errorf("%s is of type %v, want %v", cell, got, want)
		}
	}
	if panes, _ := f.GetPanes("racks"); !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("the heading is not frozen: %+v", panes)
	}
	if _, again := write(t, sample("x")); again.SheetCount != 2 {
		t.Errorf("%d sheets", again.SheetCount)
	}
	time.Sleep(1100 * time.Millisecond) // a zip's times go by seconds
	second, _ := write(t, sample("=HYPERLINK(\"http://x\")"))
	if !bytes.Equal(data, second) {
		t.Error("two writings differ")
	}
}

// Whatever text begins with, it stays text.
func TestTextIsNeverAFormula(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"=", "+", "-", "@", "\t=", "'", ""}).Draw(rt, "start") + rapid.String().Draw(rt, "rest")
		_, f := write(rt, sample(name))
		defer f.Close()
		if formula, _ := f.GetCellFormula("racks", "A2"); formula != "" {
			rt.Fatalf("%q became the formula %q", name, formula)
		}
		want := document.Clean(name)
		if got, _ := f.GetCellValue("racks", "A2"); got != want && !strings.ContainsAny(want, "\ufffe\uffff_\ufffd") {
			rt.Fatalf("%q reads back as %q", want, got)
		}
	})
}

func TestNamesOfSheets(t *testing.T) {
	d := &document.Document{}
	for _, name := range []string{"report", "a/b", "A B", strings.Repeat("长", 40), strings.Repeat("长", 40), "", "[x]:*?'"} {
		d.Add(&document.Table{Name: name, Columns: document.Columns("x"), Rows: [][]document.Cell{document.Row(document.Words("y"))}})
	}
	_, f := write(t, d)
	defer f.Close()
	want := []string{"report", "report 2", "a b", "A B 2", strings.Repeat("长", 31), strings.Repeat("长", 29) + " 2", "table", "x"}
	if diff := cmp.Diff(want, f.GetSheetList()); diff != "" {
		t.Error(diff)
	}
}

func TestTableWithoutColumns(t *testing.T) {
	d := &document.Document{}
	d.Add(&document.Table{Name: "empty"}, &document.Table{Name: "heads", Columns: document.Columns("a", "b")})
	_, f := write(t, d)
	f.Close()
}

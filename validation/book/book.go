package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"headroom/validation"
)

// book is what the rows and the checked-in table say together.
type book struct {
	rows   []validation.Row // by id
	absent []string         // ids of the table whose data was not there
	wrong  []string         // what may not be written without being told to
}

// assemble judges rows against the table. Without the folder of real data the rows that need it are absent; with it they
// have to be there like all others.
func assemble(rows []validation.Row, table map[string]validation.Accepted, data bool) *book {
	b := &book{rows: rows}
	seen := map[string]bool{}
	for _, r := range rows {
		seen[r.ID] = true
		used := r.Used(r.Simulated)
		a, known := table[r.ID]
		switch {
		case !strings.Contains(r.ID, "/"):
			b.wrong = append(b.wrong, r.ID+": an id is area/name")
		case r.Source == "":
			b.wrong = append(b.wrong, r.ID+": names no source")
		case !known && r.Miss():
			b.wrong = append(b.wrong, fmt.Sprintf("%s: a new target that is missed: %s, allowed %s", r.ID, number(r.Simulated), allowed(r)))
		case known && r.Miss() && a.Used <= 1:
			b.wrong = append(b.wrong, fmt.Sprintf("%s: a new miss: %s, allowed %s", r.ID, number(r.Simulated), allowed(r)))
		case known && a.Wider(used):
			b.wrong = append(b.wrong, fmt.Sprintf("%s: the error grew from %.2f to %.2f of what is allowed", r.ID, a.Used, used))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(table)) {
		switch {
		case seen[id]:
		case table[id].Measured && !data:
			b.absent = append(b.absent, id)
		default:
			b.wrong = append(b.wrong, id+": no test compares it any more")
		}
	}
	return b
}

// misses returns the rows outside what is allowed, the worst first.
func (b *book) misses() []validation.Row {
	var out []validation.Row
	for _, r := range b.rows {
		if r.Miss() {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b validation.Row) int {
		x, y := a.Used(a.Simulated), b.Used(b.Simulated)
		return -strings.Compare(fmt.Sprintf("%020.6f", x), fmt.Sprintf("%020.6f", y))
	})
	return out
}

// table returns the checked-in table.
func (b *book) table() []byte {
	var out bytes.Buffer
	out.WriteString("# id\tused share of what is allowed (over 1: a named miss)\treal data needed\n")
	for _, r := range b.rows {
		data := "-"
		if r.Measured {
			data = "real"
		}
		fmt.Fprintf(&out, "%s\t%.3f\t%s\n", r.ID, r.Used(r.Simulated), data)
	}
	return out.Bytes()
}

// areas are the chapters in the order of the book; an area that is not here comes after them by name.
var areas = []struct{ id, title string }{
	{"server-power", "Server power"},
	{"temperature", "Die temperature and throttling"},
	{"psychrometrics", "Moist air"},
	{"chiller", "Chillers"},
	{"tower", "Towers and dry coolers"},
	{"ups", "UPS and supplies"},
	{"pue", "PUE and water by plant and climate"},
	{"climate", "Built-in climates against weather files"},
	{"liquid-study", "From air to liquid"},
	{"ride-through", "Ride-through after a loss of cooling"},
	{"placement", "Placement"},
	{"failover", "Failover"},
	{"queueing", "Queueing theory"},
	{"traces", "Job traces"},
	{"packing", "GPU packing"},
	{"tokens", "Token throughput"},
	{"training", "Training"},
	{"frontier", "Frontier"},
	{"failures", "Failures"},
	{"money", "Money"},
}

func areaOf(id string) string { return id[:strings.IndexByte(id, '/')] }

// chapters returns the ids of the areas that have rows, in the order of the book.
func (b *book) chapters() []string {
	rank := map[string]int{}
	for i, a := range areas {
		rank[a.id] = i + 1
	}
	seen := map[string]bool{}
	var out []string
	for _, r := range b.rows {
		if a := areaOf(r.ID); !seen[a] {
			seen[a] = true
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(x, y string) int {
		rx, ry := rank[x], rank[y]
		switch {
		case rx == 0 && ry == 0:
			return strings.Compare(x, y)
		case rx == 0:
			return 1
		case ry == 0:
			return -1
		}
		return rx - ry
	})
	return out
}

func titleOf(area string) string {
	for _, a := range areas {
		if a.id == area {
			return a.title
		}
	}
	return area
}

// markdown returns the book.
func (b *book) markdown() []byte {
	var out bytes.Buffer
	misses := b.misses()
	fmt.Fprintf(&out, `# The validation book

Every published or measured number that Headroom is held against, what Headroom says, how far off that is, how far off it
may be, and where the number is from. %d numbers: %d agree, %d are missed. A test compares each of them whenever the
tests run, and fails on a new miss or a wider error; `+"`make validate`"+` runs those tests and writes this page. Rows marked
* read the folder of real data and are not checked where it is absent.

![How much of what is allowed each comparison uses](images/validation.png)

`, len(b.rows), len(b.rows)-len(misses), len(misses))
	out.WriteString("## Misses\n\n")
	if len(misses) == 0 {
		out.WriteString("None.\n\n")
	} else {
		out.WriteString("The worst first, by the error as a multiple of what is allowed.\n\n")
		writeRows(&out, misses, true)
	}
	for _, area := range b.chapters() {
		fmt.Fprintf(&out, "## %s\n\n", titleOf(area))
		var rows []validation.Row
		for _, r := range b.rows {
			if areaOf(r.ID) == area {
				rows = append(rows, r)
			}
		}
		writeRows(&out, rows, false)
		sources(&out, rows)
	}
	return append(bytes.TrimRight(out.Bytes(), "\n"), '\n')
}

func writeRows(out *bytes.Buffer, rows []validation.Row, withSource bool) {
	head, rule := "| | unit | published | Headroom | off | allowed | |", "| --- | --- | ---: | ---: | ---: | --- | --- |"
	if withSource {
		head, rule = "| | unit | published | Headroom | off | allowed | source |", "| --- | --- | ---: | ---: | ---: | --- | --- |"
	}
	fmt.Fprintln(out, head)
	fmt.Fprintln(out, rule)
	for _, r := range rows {
		mark := ""
		if r.Measured {
			mark = " *"
		}
		verdict := "agrees"
		if r.Miss() {
			verdict = "**missed**"
		}
		if withSource {
			verdict = escape(r.Source)
		}
		published := "range"
		if !math.IsNaN(r.Published) {
			published = number(r.Published)
		}
		fmt.Fprintf(out, "| %s%s | %s | %s | %s | %s | %s | %s |\n", escape(r.What), mark, escape(r.Unit), published, number(r.Simulated), off(r), allowed(r), verdict)
	}
	fmt.Fprintln(out)
}

// sources lists the sources of a chapter, each once.
func sources(out *bytes.Buffer, rows []validation.Row) {
	var list []string
	for _, r := range rows {
		if !slices.Contains(list, r.Source) {
			list = append(list, r.Source)
		}
	}
	if len(list) == 1 {
		fmt.Fprintf(out, "Source: %s.\n\n", escape(list[0]))
		return
	}
	fmt.Fprintln(out, "Sources:")
	fmt.Fprintln(out)
	for _, s := range list {
		fmt.Fprintf(out, "- %s\n", escape(s))
	}
	fmt.Fprintln(out)
}

// off says how far the simulated value is from the published one.
func off(r validation.Row) string {
	if math.IsNaN(r.Published) {
		switch {
		case r.Simulated < r.Low:
			return number(r.Simulated-r.Low) + " under"
		case r.Simulated > r.High:
			return number(r.Simulated-r.High) + " over"
		}
		return "inside"
	}
	d := r.Simulated - r.Published
	if relative(r) {
		return fmt.Sprintf("%+.2f %%", 100*d/math.Abs(r.Published))
	}
	if math.Abs(d) < 1e-12*math.Max(1, math.Abs(r.Published)) {
		return "0"
	}
	return fmt.Sprintf("%+.3g", d)
}

// relative says whether a row's error reads better in percent: its allowance is a share, or its unit no temperature.
func relative(r validation.Row) bool {
	return r.Published != 0 && r.Unit != "°C" && r.Unit != "K" && r.Unit != "points" && r.Unit != "%" && r.Unit != ""
}

func allowed(r validation.Row) string {
	if math.IsNaN(r.Published) || math.Abs((r.High-r.Published)-(r.Published-r.Low)) > 1e-9*math.Max(1, math.Abs(r.Published)) {
		return number(r.Low) + " … " + number(r.High)
	}
	half := r.High - r.Published
	if half == 0 {
		return "none"
	}
	if relative(r) {
		return "± " + number(round3(100*half/math.Abs(r.Published))) + " %"
	}
	return "± " + number(round3(half))
}

// round3 keeps three digits, so that a share times a number reads as it was meant.
func round3(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return v
	}
	return r
}

// number prints six digits at most, with thousands told apart.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'g', 6, 64)
	if a := math.Abs(v); a >= 1e6 && a < 1e15 || a >= 1000 && a < 1e6 && v == math.Trunc(v) {
		s = strconv.FormatFloat(v, 'f', 0, 64)
	}
	whole, rest, dot := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	if strings.ContainsAny(s, "e") {
		return s
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if dot {
		whole += "." + rest
	}
	return sign + whole
}

func escape(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

package validation

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// WorkedExample is a row of the table of worked examples with known answers that planners check a tool by.
type WorkedExample struct{ ID, Group, Expected string }

// WorkedExamples reads the table, which lies beside the folder of real data. Where it is not there the test is skipped
// aloud; under CI=true it fails.
func WorkedExamples(tb testing.TB) []WorkedExample {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(DataDir(tb), "..", "reference", "acceptance.tsv"))
	if err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatalf("NO WORKED EXAMPLES: %v", err)
		}
		tb.Skipf("SKIPPED, NO WORKED EXAMPLES, nothing is compared with them: %v", err)
	}
	r := csv.NewReader(strings.NewReader(string(text)))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	var list []WorkedExample
	for _, cells := range rows[1:] {
		list = append(list, WorkedExample{cells[0], cells[1], cells[3]})
	}
	return list
}

// Figure is a number of a text with half a unit of its last digit.
type Figure struct{ Value, Half float64 }

var (
	partOfName = regexp.MustCompile(`([A-Za-wyzη][A-Za-z]*|N\+|A-|Rated |class |EN )[0-9][0-9A-Za-z]*`)
	numeral    = regexp.MustCompile(`[0-9][0-9,]*(\.[0-9]+)?|\.[0-9]+`)
)

// Figures are the numbers of what a row expects, in its order; parts of names (L1, N+1, m2) are none.
func (w WorkedExample) Figures() (list []Figure) {
	for _, s := range numeral.FindAllString(partOfName.ReplaceAllString(strings.ReplaceAll(w.Expected, "..", " to "), " "), -1) {
		s = strings.ReplaceAll(s, ",", "")
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			continue
		}
		_, decimals, _ := strings.Cut(s, ".")
		list = append(list, Figure{x, 0.5 * math.Pow10(-len(decimals)) * (1 + 1e-9)})
	}
	return list
}

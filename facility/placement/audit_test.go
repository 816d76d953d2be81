package placement

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// workedExamples are the worked examples with known answers that planners check a tool by, by what they are about.
// Each is named where it is tested.
var workedExamples = map[string]string{
	"circuits":         "W001 W002 W003 W004 W005 W007 W008 W009 W011 W012 W015",
	"phases":           "W016 W018 W019 W022",
	"supplies, feeds":  "W024 W026 W027 W028 W030 W031 W032",
	"racks":            "W034 W035 W036 W038 W039 W042 W043 W044 W047",
	"sites":            "W049 W050 W051 W053",
	"pods":             "W054 W055 W057 W058",
	"UPS":              "W061 W062 W064 W065 W068 W070 W071",
	"air":              "W072 W073 W075 W076 W078 W080 W082 W084",
	"liquid":           "W085 W087",
	"weight":           "W095 W097",
	"environment":      "W098 W099 W100",
	"rules in China":   "W106 W107 W108",
	"forecast":         "W109",
	"open rack shelfs": "W111 W112",
}

func TestEveryWorkedExampleIsTested(t *testing.T) {
	named := regexp.MustCompile(`\bW[01]\d\d\b`)
	seen := map[string]bool{}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != ".":
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "audit_test.go"):
			return nil
		}
		text, err := fs.ReadFile(os.DirFS("../.."), path)
		for _, id := range named.FindAllString(string(text), -1) {
			seen[id] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for what, ids := range workedExamples {
		for _, id := range strings.Fields(ids) {
			if !seen[id] {
				t.Errorf("%s: no test names %s", what, id)
			}
		}
	}
}

package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"headroom/validation"
)

func at(t validation.Target, simulated float64) validation.Row {
	return validation.Row{Target: t, Simulated: simulated}
}

func TestAssembleFindsWhatIsWrong(t *testing.T) {
	met := at(validation.Share("server-power/idle", "idle", "W", 2385, 0.05, "a log"), 2390)
	grown := at(validation.Share("server-power/full", "full", "W", 8000, 0.05, "a log"), 8300)
	missed := at(validation.Share("pue/city", "PUE", "", 1.5, 0.01, "a study"), 1.6)
	known := at(validation.Share("pue/other", "PUE", "", 1.5, 0.01, "a study"), 1.53)
	odd := at(validation.Share("alone", "it", "", 1, 0.01, ""), 1)
	table := map[string]validation.Accepted{
		"server-power/idle": {Used: 0.04}, "server-power/full": {Used: 0.1}, "pue/other": {Used: 2},
		"queueing/gone": {Used: 0.1}, "traces/philly": {Used: 0.1, Measured: true},
	}
	b := assemble([]validation.Row{met, grown, missed, known, odd}, table, false)
	text := strings.Join(b.wrong, "\n")
	for _, want := range []string{"server-power/full: the error grew from 0.10 to 0.75", "pue/city: a new target that is missed: 1.6", "alone: an id is area/name", "queueing/gone: no test compares it"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, not := range []string{"server-power/idle", "pue/other", "traces/philly"} {
		if strings.Contains(text, not) {
			t.Errorf("%s is complained of in\n%s", not, text)
		}
	}
	if len(b.absent) != 1 || b.absent[0] != "traces/philly" {
		t.Errorf("absent: %v", b.absent)
	}
	if m := b.misses(); len(m) != 2 || m[0].ID != "pue/city" {
		t.Errorf("misses: %v", m)
	}
}

func TestTheBookReads(t *testing.T) {
	b := assemble([]validation.Row{
		at(validation.Range("server-power/idle", "8x H200 idle", "W", 2360, 2410, "MLPerf Inference v4.1"), 2390),
		at(validation.Share("server-power/peak", "peak", "W", 11837, 0.05, "MLPerf Inference v5.1").FromData(), 10757),
		at(validation.Within("psychrometrics/wet-bulb-35-50", "wet bulb of 35 °C, 50 %", "°C", 26.14, 0.05, "a psychrometric solution"), 26.13),
	}, nil, true)
	text := string(b.markdown())
	for _, want := range []string{
		"3 numbers: 2 agree, 1 are missed", "| peak * | W | 11,837 | 10,757 | -9.12 % | ± 5 % | MLPerf Inference v5.1 |",
		"| 8x H200 idle | W | range | 2,390 | inside | 2,360 … 2,410 | agrees |", "| wet bulb of 35 °C, 50 % | °C | 26.14 | 26.13 | -0.01 | ± 0.05 | agrees |",
		"## Server power\n", "- MLPerf Inference v5.1", "Source: a psychrometric solution.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Index(text, "## Misses") > strings.Index(text, "## Server power") {
		t.Error("misses are not first")
	}
	png, err := b.chart()
	if err != nil || !bytes.HasPrefix(png, []byte("\x89PNG")) {
		t.Errorf("chart: %v", err)
	}
}

func TestRunWritesOnlyWhatAgrees(t *testing.T) {
	rows, root := t.TempDir(), t.TempDir()
	for _, d := range []string{"docs/images", "validation"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	line, err := at(validation.Share("pue/nowhere", "PUE", "", 1.5, 0.01, "a study"), 1.7).Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(rows, "1.jsonl"), append(line, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run([]string{"-rows", rows, "-root", root}, &out, &errs); code != 1 || !strings.Contains(errs.String(), "pue/nowhere: a new target that is missed") {
		t.Errorf("code %d, %s", code, errs.String())
	}
	if _, err := os.Stat(filepath.Join(root, "docs/validation.md")); err == nil {
		t.Error("the book was written all the same")
	}
	// Without the folder of real data it says what it could not check, and writes nothing.
	t.Setenv("HEADROOM_DATA", filepath.Join(root, "nowhere"))
	if code := run([]string{"-rows", rows, "-root", root, "-accept"}, &out, &errs); code != 0 || !strings.Contains(out.String(), "not checked, real data is absent: packing/default-fgd") || !strings.Contains(errs.String(), "nothing is written") {
		t.Errorf("code %d, %s%s", code, out.String(), errs.String())
	}
	if _, err := os.Stat(filepath.Join(root, "docs/validation.md")); err == nil {
		t.Error("the book was written although rows could not be checked")
	}
	t.Setenv("HEADROOM_DATA", t.TempDir())
	if b := assemble(nil, map[string]validation.Accepted{"traces/philly": {Measured: true}}, true); len(b.wrong) != 1 || len(b.absent) != 0 {
		t.Errorf("a row that is gone although its data is there: wrong %v, absent %v", b.wrong, b.absent)
	}
	if code := run([]string{"-rows", rows, "-root", root, "-accept"}, &out, &errs); code != 0 {
		t.Errorf("code %d, %s", code, errs.String())
	}
	if text, err := os.ReadFile(filepath.Join(root, "validation/accepted.tsv")); err != nil || !strings.Contains(string(text), "pue/nowhere\t13.333\t-") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{2360: "2,360", 1.07469: "1.07469", 117734: "117,734", -3.5: "−3.5", 12127904: "12,127,904", 0.0389: "0.0389", 7999.9387: "7,999.94", 1e-9: "1e-09"} {
		if got := number(v); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
	if math.Abs(round3(0.0500000001)-0.05) > 1e-15 {
		t.Error("round3")
	}
}

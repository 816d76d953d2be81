package scenarios

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestWarnings(t *testing.T) {
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(hall) }
	for _, c := range []struct {
		name, text string
		set        []string
		want       string
	}{
		{
			"breaker under the rack limit", hall,
			[]string{"racks[A].power=78 kW"},
			"‹100 A›: racks[A].power: the rack limit of 78.0 kW is out of reach: a 100 A breaker at 415 V L-L carries 56.4 kW (71.9 kVA × 80 % derate × power factor 0.98) after the loss of one of 2",
		},
		{
			"sides with one parent", replace("ups: {sides: [A, B], modules: 2", "ups: {modules: 2"), nil,
			"sides A and B share ups, so they are not 2N",
		},
		{
			"liquid limit without a loop", replace("power: 48 kW", "power: 48 kW, liquid: 40 kW"), nil,
			"‹40 kW›: racks[A].liquid: a liquid limit without a liquid loop",
		},
		{
			"liquid server without liquid", replace("dgx-h100", "hgx-h100-liquid"), nil,
			"‹hgx-h100-liquid›: servers[0].model: hgx-h100-liquid is liquid-cooled, and no rack has liquid",
		},
		{"narrow inlet", hall, nil, "‹dgx-h100›: servers[0].model: dgx-h100 allows 5 to 30 °C at its inlet, narrower than class A2 (10 to 35 °C)"},
		{
			"work larger than the hall", hall + "workload:\n  - {name: big, kind: training, gpus: 1024, arrivals: 1/week, length: 1 h}\n", nil,
			"‹1024›: workload[big].gpus: 1024 GPUs are more than the hall can hold (at most 384): such jobs are unplaceable",
		},
		{
			"more work than the hall", hall + "workload:\n  - {name: many, kind: batch, gpus: 100, arrivals: 10/day, length: 20 h}\n", nil,
			"‹{name: many›: workload: the work asks for 833 GPUs on average, more than the hall can hold (at most 384)",
		},
		{"sized plant", hall, nil, "‹{type›: plants.cw.capacity: sized: 1.08 MW a unit, so that 1 of 2 units carry 1.08 MW"},
		{"no derate", replace(", derate: 80%", ""), nil, "power.busways.derate: no derate is stated: 80% of busways is used continuously (NEC); IEC practice allows 100%"},
		{"no breaker", replace(", feeds: {breaker: 100 A}", ""), nil, "racks[A].feeds.breaker: no breaker is stated"},
		{"small busway", replace("2000 A", "400 A"), nil, "‹{per: row›: power.busways: busways[A].A carries 225.4 kW, less than the 576.0 kW that the 12 racks of its row may draw together"},
		{
			"warm coolant", hall,
			[]string{"cooling.liquid={cdus: 2, capacity: 1 MW, plant: dry}", "plants.dry={type: dry-cooler, count: 3, design: 40 C}", "servers[0].model=hgx-h100-liquid"},
			"on the design day (40.0 °C outdoors) the loop runs at 47.0 °C, above the 45 °C that hgx-h100-liquid allows",
		},
	} {
		s := load(t, c.text, Options{Set: c.set})
		want := placed(t, c.text, c.want)
		found := false
		var all []string
		for _, w := range s.Warnings() {
			all = append(all, w.String())
			found = found || strings.Contains(w.String(), want)
		}
		if !found {
			t.Errorf("%s: no warning\n%s\nin\n%s", c.name, want, strings.Join(all, "\n"))
		}
	}
}

func TestWarnsOfTraceLargerThanTheHall(t *testing.T) {
	text := hall + "replay: [{name: old, trace: jobs.csv}]\n"
	s := load(t, text, Options{FS: exampleFS(), Set: []string{"servers[0].count=1"}})
	found := false
	for _, w := range s.Warnings() {
		found = found || w.Msg == "1 of 2 jobs ask for more GPUs than the hall can hold (up to 16 of 8): they are unplaceable"
	}
	if !found {
		t.Errorf("no warning of the job of 16 GPUs: %v", s.Warnings())
	}
}

// What the breaker allows is no warning where it allows the rack limit.
func TestNoWarningWhereNoneIsDue(t *testing.T) {
	for _, v := range []string{"", "liquid-48", "liquid-78"} {
		for _, w := range load(t, block1, Options{Variant: v}).Warnings() {
			if strings.Contains(w.Msg, "out of reach") || strings.Contains(w.Msg, "more than the hall") {
				t.Errorf("%s: %s", v, w)
			}
		}
	}
	var found bool
	s := load(t, block1, Options{Variant: "liquid-78", Set: []string{"racks[A].feeds.breaker=100 A"}})
	for _, w := range s.Warnings() {
		found = found || strings.Contains(w.Msg, "the rack limit of 78.0 kW is out of reach: a 100 A breaker")
	}
	if !found {
		t.Error("78 kW on a 100 A breaker is not told")
	}
}

// Hours that a weather file lacks are told.
func TestWeatherCoverage(t *testing.T) {
	var b strings.Builder
	b.WriteString("year,month,day,hour,temp_c,rh_pct\n")
	for day := 1; day <= 2; day++ {
		for hour := 0; hour < 24; hour++ {
			if day == 1 && hour == 5 {
				continue
			}
			b.WriteString("2026,7," + string('0'+rune(day)) + "," + twoDigits(hour) + ",20,50\n")
		}
	}
	text := strings.Replace(hall, "climate: shanghai", "weather: july.csv, altitude: 4 m", 1) + "run: {length: 2 d}\n"
	files := fstest.MapFS{"july.csv": {Data: []byte(b.String())}}
	s, err := Load("hall.yaml", []byte(text), Options{FS: files})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, w := range s.Warnings() {
		found = found || strings.Contains(w.Msg, "1 were filled")
	}
	if !found {
		t.Errorf("no warning of the hour that is missing: %v", s.Warnings())
	}
	c, err := s.Configure(nil)
	if err != nil || c.Start.Month() != 7 {
		t.Errorf("start %v, %v; want that of the weather", c.Start, err)
	}
	// A run longer than dated weather is refused.
	_, err = Load("hall.yaml", []byte(strings.Replace(text, "2 d", "3 d", 1)), Options{FS: files})
	if err == nil || !strings.Contains(err.Error(), "run.start: ") {
		t.Errorf("a run longer than its weather: %v", err)
	}
}

func twoDigits(i int) string { return string([]byte{'0' + byte(i/10), '0' + byte(i%10)}) }

package catalog

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"headroom/facility/units"
)

func TestEmbeddedFilesLoad(t *testing.T) {
	if _, err := builtin(); err != nil {
		t.Fatal(err)
	}
}

// Every figure has a unit, a grade and a source that is spelled out; every server's GPU and supply exist.
func TestEveryFigureIsAttributed(t *testing.T) {
	c := Default()
	figures := 0
	check := func(where string, f Figure) {
		if !f.Known() {
			if f.Text != "" || !math.IsNaN(f.Value) {
				t.Errorf("%s: unknown figure with a value: %+v", where, f)
			}
			return
		}
		figures++
		if !slices.Contains(grades, string(f.Grade)) || f.Grade == Stated {
			t.Errorf("%s: grade %q", where, f.Grade)
		}
		if cite, ok := c.sources[f.Source]; !ok || len(cite) < 15 {
			t.Errorf("%s: source %q is not spelled out", where, f.Source)
		}
		if f.Grade == Measured && (f.Source == "general" || f.Source == "choice") || f.Grade == Datasheet && (f.Source == "general" || f.Source == "choice") {
			t.Errorf("%s: graded %s on the source %q", where, f.Grade, f.Source)
		}
		if v, err := units.Parse(f.Dimension, f.Text); err != nil || v != f.Value {
			t.Errorf("%s: %q is %v, %v", where, f.Text, v, err)
		}
	}
	used := map[string]bool{}
	for _, kind := range c.Kinds() {
		for _, name := range c.Names(kind) {
			e := c.kinds[kind][name]
			for _, f := range e.fields() {
				where := kind + "." + name + "." + f.key
				switch {
				case f.key == "title" && *f.text == "":
					t.Errorf("%s is empty", where)
				case f.figure != nil:
					check(where, *f.figure)
					used[f.figure.Source] = true
				case f.points != nil:
					for _, p := range *f.points {
						check(where, p.Efficiency)
						used[p.Efficiency.Source] = true
					}
				}
			}
			if s, ok := e.(*Server); ok {
				if _, err := c.GPU(s.GPU); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if _, err := c.PSU(s.PSU); err != nil && s.PSU != "" {
					t.Errorf("%s: %v", name, err)
				}
				if !s.GPUs.Known() {
					t.Errorf("%s: number of GPUs unknown", name)
				}
			}
		}
	}
	if figures < 1500 {
		t.Errorf("only %d figures", figures)
	}
	for _, key := range slices.Sorted(maps.Keys(c.sources)) {
		if !used[key] {
			t.Errorf("source %q is not used", key)
		}
	}
}

func TestHoldsWhatPlannersName(t *testing.T) {
	c := Default()
	for kind, names := range map[string]string{
		"gpus": `v100 v100-pcie t4 a10 a10g l4 l40s rtx4090 a100-40 a100 a100-pcie a800 h100 h100-pcie h100-nvl h800 h20 h20-141
			h200 h200-nvl gh200 b100 b200 b300 gb200 gb300 mi250x mi300x mi325x mi350x mi355x gaudi3 tpu-v5p tpu-v5e
			ascend-910b ascend-910c ascend-950dt mlu590`,
		"servers": `dgx-v100 hgx-v100-air dgx-a100 hgx-a100-air hgx-a100-liquid hgx-a800-air hgx-a800-liquid dgx-h100 dgx-h200
			hgx-h100-air hgx-h100-liquid hgx-h200-air hgx-h200-liquid hgx-h800-air hgx-h800-liquid hgx-h20-air hgx-h20-liquid
			dgx-b200 dgx-b300 hgx-b100-air hgx-b200-air hgx-b200-liquid hgx-b300-air hgx-b300-liquid gb200-nvl72 gb300-nvl72 gb200-tray
			mi300x-air mi300x-liquid mi325x-air mi325x-liquid mi355x-air mi355x-liquid gaudi3-air gaudi3-liquid
			ascend-910b-air ascend-910c-air ascend-910c-liquid cloudmatrix-384-rack mlu590-air
			a10-pcie l4-pcie l40s-pcie t4-pcie rtx4090-pcie tpu-v5p-host
			dell-xe9680 dell-xe9680l supermicro-821ge supermicro-421ge-lcc supermicro-8125gs supermicro-a126gs supermicro-a21ge
			lenovo-sr680a-h200 lenovo-sr680a-b200 lenovo-sr780a-b200 aws-p5.48xlarge vera-rubin-nvl8 frontier-node`,
		"psus":         "titanium platinum ruby shelf-54v",
		"ups":          "double-conversion eco transformerless legacy",
		"transformers": "dry dry-low-loss dry-old",
		"distribution": "busway pdu-transformer busbar-54v",
		"switches":     "qm9700 sn5600 sn4600c sn2201",
		"racks":        "42u 48u 52u",
	} {
		have := c.Names(kind)
		for _, name := range strings.Fields(names) {
			if !slices.Contains(have, name) {
				t.Errorf("no %s among %s", name, kind)
			}
		}
	}
}

func TestFiguresAsPublished(t *testing.T) {
	c := Default()
	h100, err := c.GPU("h100")
	if err != nil {
		t.Fatal(err)
	}
	dgx, err := c.Server("dgx-h100")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		what      string
		got, want float64
	}{
		{"H100 TDP", h100.TDP.Value, 700},
		{"H100 limit", h100.Limit.Value, 87},
		{"H100 shutdown", h100.Shutdown.Value, 95},
		{"H100 BF16", h100.BF16.Value, 989},
		{"H100 bandwidth", h100.Bandwidth.Value, 3350},
		{"DGX H100 nameplate", dgx.Nameplate.Value, 10200},
		{"DGX H100 mass", dgx.Mass.Value, 130.45},
		{"DGX H100 height", dgx.Height.Value, 8},
		{"DGX H100 airflow", dgx.Airflow.Value, 1105 / 2118.88},
	} {
		if math.Abs(tt.got-tt.want) > 0.005*tt.want {
			t.Errorf("%s is %v, want %v", tt.what, tt.got, tt.want)
		}
	}
	if h100.FP4.Known() || !math.IsNaN(h100.FP4.Value) || h100.FP4.Or(-1) != -1 {
		t.Errorf("FP4 of H100: %+v, want unknown", h100.FP4)
	}
}

// The published efficiency points of each UPS come back from its fitted loss curve within 0.2 points.
func TestUPSCurvesMeetTheirPoints(t *testing.T) {
	for name, points := range map[string][][2]float64{
		"double-conversion": {{0.10, 94.1}, {0.25, 97.0}, {0.5, 97.3}, {0.75, 97.0}, {1, 96.4}},
		"eco":               {{0.25, 98.4}, {0.5, 99.0}, {0.75, 99.2}, {1, 99.2}},
		"transformerless":   {{0.25, 95.0}, {0.5, 96.5}, {0.75, 96.5}, {1, 96.0}},
		"legacy":            {{0.25, 88}, {0.5, 91.5}, {0.75, 93}, {1, 93.5}},
	} {
		u, err := Default().UPS(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range points {
			x := p[0]
			eff := 100 * x / (x + u.A.Value + u.B.Value*x + u.C.Value*x*x)
			if math.Abs(eff-p[1]) > 0.2 {
				t.Errorf("%s at %g: %.2f %%, published %.1f %%", name, x, eff, p[1])
			}
		}
	}
}

func TestRows(t *testing.T) {
	c := Default()
	rows, err := c.Rows("gpus", "h100")
	if err != nil {
		t.Fatal(err)
	}
	again, _ := c.Rows("gpus", "h100")
	if !slices.Equal(rows, again) {
		t.Error("two calls differ")
	}
	want := Row{"tdp", "700", "W", "measured", c.Source("smi")}
	if !slices.Contains(rows, want) {
		t.Errorf("no %+v in %+v", want, rows)
	}
	if !slices.Contains(rows, Row{Field: "fp4", Value: "unknown"}) {
		t.Error("an unknown figure is not shown as unknown")
	}
	for _, tt := range []struct{ kind, name, near string }{
		{"gpu", "h100", "gpus"}, {"gpus", "h10", "h100"}, {"servers", "dgx_h100", "dgx-h100"}, {"psus", "titanum", "titanium"},
	} {
		_, err := c.Rows(tt.kind, tt.name)
		var e *NotFoundError
		if !errors.As(err, &e) || !slices.Contains(e.Near, tt.near) {
			t.Errorf("%s %s: %v; want near %s", tt.kind, tt.name, err, tt.near)
		}
	}
	for _, kind := range c.Kinds() {
		if names := c.Names(kind); len(names) == 0 || !slices.IsSorted(names) {
			t.Errorf("%s: %v", kind, names)
		}
		for _, name := range c.Names(kind) {
			if _, err := c.Rows(kind, name); err != nil || c.Title(kind, name) == "" {
				t.Errorf("%s %s: %v", kind, name, err)
			}
		}
	}
	eff, _ := c.Rows("psus", "titanium")
	if !slices.Contains(eff, Row{"efficiency at 50%", "96", "%", "datasheet", c.Source("80plus")}) {
		t.Errorf("titanium: %+v", eff)
	}
}

func TestAddLayersWithoutTouchingTheBase(t *testing.T) {
	base := Default()
	c, err := base.Add("user.yaml", strings.NewReader(`
sources: {label: "Type label of our own machine"}
gpus:
  x1: {title: Mine, tdp: 500 W, limit: [85 C, measured, label], memory: {value: 64 GB, grade: datasheet, source: "Maker's page 3"}}
servers:
  mine:
    like: dgx-h100
    gpu: x1
    nameplate: 9.5 kW
    board: null
ups:
  double-conversion: {title: Ours, loss-fixed: 0.01, loss-linear: 0, loss-square: 0.02}
`))
	if err != nil {
		t.Fatal(err)
	}
	x1, _ := c.GPU("x1")
	if x1.TDP.Value != 500 || x1.TDP.Grade != Stated || x1.TDP.Source != "user.yaml" {
		t.Errorf("tdp %+v", x1.TDP)
	}
	if c.Source(x1.Limit.Source) != "Type label of our own machine" || c.Source(x1.Memory.Source) != "Maker's page 3" {
		t.Errorf("sources %+v %+v", x1.Limit, x1.Memory)
	}
	mine, _ := c.Server("mine")
	if mine.Nameplate.Value != 9500 || mine.Airflow.Value != must(base.Server("dgx-h100")).Airflow.Value || mine.GPU != "x1" || mine.Board.Known() {
		t.Errorf("mine %+v", mine)
	}
	if u, _ := c.UPS("double-conversion"); u.A.Value != 0.01 {
		t.Errorf("override %+v", u)
	}
	if u, _ := base.UPS("double-conversion"); u.A.Value != 0.006 {
		t.Errorf("the base changed: %+v", u)
	}
	if _, err := base.GPU("x1"); err == nil {
		t.Error("the base has the user's GPU")
	}
	if s, _ := base.Server("dgx-h100"); s.Nameplate.Value != 10200 || !s.Board.Known() {
		t.Error("like changed the entry it copied")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestAddRefusesAllAtOnce(t *testing.T) {
	_, err := Default().Add("bad.yaml", strings.NewReader(`gpus:
  a: {tdp: 700, limits: 87 C}
  b: {tdp: [700 W, guess, x], idle: [70 W, measured]}
  b: {tdp: 1 W}
  c: {limit: 90 C, slowdown: 80 C, clock-max: NaN MHz, clock-min: -5 MHz}
server: {}
servers:
  d: {gpu: h10, gpus: 2.5, liquid: maybe, like: dgx-h10}
  e: 5
psus:
  f: {efficiency: [{load: 50%, efficiency: 96%}, {load: 20%, efficiency: 94%}]}
ups:
  g: {loss-fixed: -0.1, loss-linear: 0, loss-square: 0}
`))
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{
		`bad.yaml:2:12: gpus.a.tdp: "700": the unit is missing`,
		`bad.yaml:2:17: gpus.a.limits: unknown key; did you mean "limit"?`,
		`bad.yaml:3:12: gpus.b.tdp: unknown grade "guess"`,
		`bad.yaml:3:37: gpus.b.idle: want [value, grade, source]`,
		`bad.yaml:4:3: gpus.b: stands twice, first on line 3`,
		`gpus.c: limit, slowdown and shutdown do not ascend`,
		`gpus.c.clock-max: "NaN MHz"`,
		`gpus.c.clock-min: "-5 MHz"`,
		`bad.yaml:6:1: server: unknown section; did you mean "servers"?`,
		`gpu: no "h10" among the gpus`,
		`gpus: "2.5" is not a whole number`,
		`servers.d.liquid: want yes or no, not "maybe"`,
		`servers.d.like: no "dgx-h10" among the servers of the catalogue; did you mean "dgx-h100"?`,
		`servers.e: want keys with values, not "5"`,
		`psus.f.efficiency[1]: loads must ascend`,
		`ups.g: the loss is below zero`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
	for i := 1; i < len(e.Problems); i++ {
		if e.Problems[i].Line < e.Problems[i-1].Line {
			t.Errorf("problems are not in file order:\n%v", err)
		}
	}
	for _, text := range []string{"", "# nothing\n", "a: [", "- 1", "gpus: {a: &x {tdp: 5 W}, b: *x}", "gpus: {? [1] : 2}", "\x00", "gpus: null"} {
		if _, err := Default().Add("bad.yaml", strings.NewReader(text)); err == nil {
			t.Errorf("%q was accepted", text)
		} else if !strings.HasPrefix(err.Error(), "bad.yaml") {
			t.Errorf("%q: %v names no file", text, err)
		}
	}
}

func FuzzAdd(f *testing.F) {
	f.Add("gpus:\n  x: {tdp: [5 W, measured, s]}\n")
	f.Add("servers: {x: {like: dgx-h100, gpus: 4}}")
	f.Add("psus: {f: {efficiency: [{load: 50%, efficiency: 96%}]}}")
	f.Add("sources: {a: b}\nups: {u: {loss-fixed: 0, loss-linear: 0, loss-square: 0}}")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Default().Add("f", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, kind := range c.Kinds() {
			for _, name := range c.Names(kind) {
				if _, err := Default().Rows(kind, name); err == nil {
					continue
				}
				rows, err := c.Rows(kind, name)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range rows {
					if r.Value == "NaN" {
						t.Fatalf("%s %s: %+v", kind, name, r)
					}
				}
			}
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	text := "servers: {x: {like: dgx-h100, gpus: 4}}"
	for b.Loop() {
		if _, err := Default().Add("user.yaml", strings.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}

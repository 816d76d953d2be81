package facility

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"headroom/facility/catalog"
	"headroom/facility/units"
	"headroom/validation"
)

func newModel(t testing.TB, name string) *Model {
	t.Helper()
	m, err := NewModel(catalog.Default(), name)
	if err != nil {
		t.Fatal(err)
	}
	return &m
}

// atGPU is the wall power with every GPU at the same power, 25 °C inlet.
func atGPU(m *Model, gpuW float64) float64 {
	return m.WallW(float64(m.GPUs)*gpuW, m.FanShare(gpuW, 25))
}

func atIdle(m *Model) float64 { return atGPU(m, m.FloorW+m.LeakAt(m.IdleC)) }

// row is one measured or published wall power.
type row struct {
	model  string
	what   string
	gpuW   float64 // 0: idle
	wallW  float64
	within float64 // share
}

func checkRows(t *testing.T, source string, rows []row) {
	t.Helper()
	for _, r := range rows {
		m := newModel(t, r.model)
		got, what := atIdle(m), r.model+", idle"
		if r.gpuW > 0 {
			got, what = atGPU(m, r.gpuW), fmt.Sprintf("%s, %s, %g W a GPU", r.model, r.what, r.gpuW)
		}
		id := "server-power/" + r.model + "-" + strings.ReplaceAll(strings.ToLower(r.what), " ", "-")
		validation.Share(id, what, "W", r.wallW, r.within, source).Check(t, got)
	}
}

// MLPerf Inference v4.1, 8x H200 air, MaxQ: average wall power by GPU cap.
func TestH200AgainstMLPerfRows(t *testing.T) {
	for _, model := range []string{"dgx-h200", "hgx-h200-air"} {
		checkRows(t, "MLPerf Inference v4.1 power logs, NVIDIA 8x H200 MaxQ, mean wall power under a cap on each GPU", []row{
			{model, "3d-unet", 350, 4614, 0.06},
			{model, "gptj offline", 350, 4775, 0.06},
			{model, "gptj server", 350, 4723, 0.06},
			{model, "resnet50 offline", 350, 4954, 0.06},
			{model, "resnet50 server", 400, 5014, 0.06},
			{model, "retinanet offline", 350, 5019, 0.06},
			{model, "retinanet server", 400, 4987, 0.06},
			{model, "bert-99 offline", 400, 5531, 0.06},
			{model, "bert-99 server", 400, 5236, 0.06},
			{model, "bert-99.9 offline", 450, 5629, 0.06},
			{model, "bert-99.9 server", 450, 5639, 0.06},
			{model, "sdxl offline", 450, 5574, 0.06},
			{model, "sdxl server", 450, 5488, 0.06},
			{model, "dlrm-v2 lowest", 500, 6000, 0.06},
			{model, "dlrm-v2 highest", 500, 6069, 0.06},
			{model, "mixtral offline", 500, 6155, 0.06},
			{model, "mixtral server", 500, 6175, 0.06},
			{model, "llama2 offline", 500, 6153, 0.06},
			{model, "llama2 server", 500, 6280, 0.06},
			{model, "fit of the rows", 700, 7852, 0.03},
		})
		validation.Range("server-power/"+model+"-idle", model+", idle", "W", 2360, 2410, "MLPerf Inference v4.1 power logs, NVIDIA 8x H200 MaxQ, before and after the run").
			Check(t, atIdle(newModel(t, model)))
	}
}

// MLPerf Inference v5.1, Lenovo SR680a (air) and SR780a (water), 8x B200.
func TestB200AgainstMLPerfRows(t *testing.T) {
	checkRows(t, "MLPerf Inference v5.1 power logs, Lenovo SR680a V3 (air) and SR780a V3 (water), 8x B200", []row{
		{"dgx-b200", "llama2 offline", 1000, 10401, 0.03},
		{"dgx-b200", "llama2 server", 1000, 10442, 0.03},
		{"hgx-b200-air", "llama2 offline", 1000, 10401, 0.03},
		{"dgx-b200", "idle", 0, 2860, 0.01},
		{"hgx-b200-liquid", "405b offline", 1000, 9892, 0.03},
		{"hgx-b200-liquid", "405b server", 1000, 9566, 0.03},
		{"hgx-b200-liquid", "8b offline", 1000, 9436, 0.03},
		{"hgx-b200-liquid", "sdxl", 1000, 9514, 0.03},
		{"hgx-b200-liquid", "idle", 0, 2350, 0.005},
	})
}

// powerX is SemiAnalysis' chassis model: an independent oracle for full load.
func powerX(fixedW, fanW, fullW, psuW, networkW, gpuW float64) float64 {
	preFan := fixedW + 8*gpuW
	pwm := math.Min(0.80, 0.22+0.58*math.Min(1, preFan/fullW))
	dc := preFan + fanW*pwm*pwm*pwm
	x := []float64{0.05, 0.1, 0.2, 0.5, 1}
	eff := []float64{0.8864, 0.9238, 0.9448, 0.964, 0.9556}
	load, e := dc/psuW, eff[len(eff)-1]
	for i := 1; i < len(x); i++ {
		if load <= x[i] {
			e = eff[i-1] + (eff[i]-eff[i-1])*(load-x[i-1])/(x[i]-x[i-1])
			break
		}
	}
	return dc/e + networkW
}

func TestAgainstPowerXChassis(t *testing.T) {
	h100 := powerX(1271.6, 835.305, 7214, 6*3300, 405, 700)
	b200 := powerX(1271.6, 1113.2, 9614, 15750, 405, 1000)
	mi300x := powerX(911.6, 839.937, 7254, 6*3000, 281.0625, 750)
	for _, o := range []struct{ got, want float64 }{{h100, 7999.9387}, {b200, 10591.1391}, {mi300x, 7900.433}} {
		if math.Abs(o.got-o.want) > 0.01 {
			t.Errorf("the oracle gives %.4f, published %.4f", o.got, o.want)
		}
	}
	checkRows(t, "SemiAnalysis' chassis model (PowerX): fans, supplies and network bottom up", []row{
		{"dgx-h100", "PowerX", 700, h100, 0.05},
		{"hgx-h100-air", "PowerX", 700, h100, 0.05},
		{"dgx-h200", "PowerX", 700, h100, 0.05},
		{"dgx-b200", "PowerX", 1000, b200, 0.05},
		{"hgx-b200-air", "PowerX", 1000, b200, 0.05},
		{"mi300x-air", "PowerX", 750, mi300x, 0.05},
	})
}

func TestOtherBuildsAgainstPublishedFigures(t *testing.T) {
	checkRows(t, "the H200's measured slope on an assumed board of 1,300 W", []row{{"dgx-a100", "slope of 1.097", 400, 1300 + 1.097*3200, 0.02}})
	checkRows(t, "AcmeTrace (NSDI 2024), node power, 10th to 30th percentile", []row{{"dgx-a100", "idle", 0, 1590, 0.06}}) // 1,512 to 1,827 W
	checkRows(t, "MLPerf Training v4.0 power logs, Sustainable Metal Cloud, immersion without fans", []row{{"hgx-h100-liquid", "plateau", 700, 7180, 0.03}})
	checkRows(t, "NVIDIA: 120 to 132 kW a rack", []row{{"gb200-nvl72", "rack", 1200, 126000, 0.05}})
	checkRows(t, "NVIDIA: 132 to 142 kW a rack", []row{{"gb300-nvl72", "rack", 1400, 137000, 0.04}})
}

// The measured files behind the rows: wall power in the benchmark's window, and idle around it.
func TestAgainstMeasuredPowerLogs(t *testing.T) {
	const h200, b200air, b200water = "mlperf_inference_v4.1_h200x8_maxq", "mlperf_inference_v5.1_b200x8_lenovo_sr680a_v3", "mlperf_inference_v5.1_b200x8_lenovo_sr780a_v3"
	for _, tt := range []struct {
		folder, file, model string
		gpuW                float64
		within              float64
	}{
		{h200, "llama2-70b-99__Offline__run_1", "hgx-h200-air", 500, 0.06},
		{h200, "llama2-70b-99__Server__run_1", "hgx-h200-air", 500, 0.06},
		{h200, "resnet50__Offline__run_1", "hgx-h200-air", 350, 0.06},
		{h200, "retinanet__Server__run_1", "hgx-h200-air", 400, 0.06},
		{h200, "stable-diffusion-xl__Server__run_1", "hgx-h200-air", 450, 0.06},
		{b200air, "llama2-70b-99__Server__run_1", "hgx-b200-air", 1000, 0.03},
		{b200water, "llama3.1-405b__Server__run_1", "hgx-b200-liquid", 1000, 0.03},
		{b200water, "llama3.1-8b__Offline__run_1", "hgx-b200-liquid", 1000, 0.03},
		{b200water, "stable-diffusion-xl__Server__run_1", "hgx-b200-liquid", 1000, 0.03},
	} {
		loaded, idle := readPowerLog(t, filepath.Join(validation.DataDir(t), "power", tt.folder, tt.file+".csv.gz"))
		m := newModel(t, tt.model)
		id := "server-power/log-" + tt.model + "-" + strings.ToLower(strings.ReplaceAll(tt.file, "__", "-"))
		source := "MLPerf Inference power log " + tt.folder + "/" + tt.file
		validation.Share(id, tt.model+" under load, "+tt.file, "W", loaded, tt.within, source).FromData().Check(t, atGPU(m, tt.gpuW))
		validation.Share(id+"-idle", tt.model+" at rest around it, "+tt.file, "W", idle, 0.05, source).FromData().Check(t, atIdle(m))
	}
}

// What supplies lose, from a machine metered on both sides of them. It has shelves of large rectifiers where the
// catalogue's server has 80 PLUS Titanium supplies at the floor of their label.
func TestAgainstMeasuredSupplies(t *testing.T) {
	const file = "mlperf_training_v4.0_smc_h100x8/llama2_70b_lora__result_4951-240509201759121728742_1.csv"
	rows, err := csv.NewReader(validation.DataFile(t, "power/"+file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	var acW, dcW, n float64
	for _, r := range rows[1:] {
		ac, err1 := strconv.ParseFloat(r[column["node_ac_w"]], 64)
		dc, err2 := strconv.ParseFloat(r[column["node_dc_w"]], 64)
		if err1 == nil && err2 == nil && r[column["in_timed_run"]] == "1" && dc > 6500 {
			acW, dcW, n = acW+ac, dcW+dc, n+1
		}
	}
	if n < 100 {
		t.Fatalf("%g readings", n)
	}
	m := newModel(t, "hgx-h100-liquid")
	validation.Within("ups/supplies-8xh100-plateau", "8x H100 training, supplies at the plateau: output over input", "%", 100*dcW/acW, 1.5, "MLPerf Training v4.0 power logs, Sustainable Metal Cloud: AC and DC at the power shelves of "+file).
		FromData().Check(t, 100*m.Efficiency(dcW/n, m.PSUs))
}

// readPowerLog returns the mean wall power inside the measured window and the fifth lowest reading of the whole
// log, which is the machine at rest before and after.
func readPowerLog(t *testing.T, path string) (loadedW, idleW float64) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(unzipped).ReadAll()
	if err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range lines[0] {
		column[name] = i
	}
	var sum float64
	var n int
	var all []float64
	for _, line := range lines[1:] {
		w, err := strconv.ParseFloat(line[column["server_ac_w"]], 64)
		if err != nil || w <= 0 { // over-range of the meter
			continue
		}
		all = append(all, w)
		if line[column["in_power_window"]] == "1" {
			sum += w
			n++
		}
	}
	if n == 0 {
		t.Fatalf("%s has no measured window", path)
	}
	sort.Float64s(all)
	return sum / float64(n), all[min(4, len(all)-1)]
}

func TestH100AirThrottleInlets(t *testing.T) {
	m := newModel(t, "dgx-h100")
	if sum := m.Resistance(1); math.Abs(sum-0.060) > 1e-9 {
		t.Errorf("mean slot at rated airflow %.4f K/W, want 0.060", sum)
	}
	// Rated airflow, 27 °C inlet, 700 W: no slot reaches the limit.
	if worst := 27 + 700*m.Resistance(1)*m.WorstSlot; worst >= m.LimitC {
		t.Errorf("worst slot at 27 °C inlet and rated airflow is %.1f °C, limit %.0f", worst, m.LimitC)
	}
	half := m.Resistance(0.5)
	for _, tt := range []struct {
		id, slot          string
		r, wantC, withinK float64
	}{
		{"mean-half-airflow", "mean slot, half airflow", half, 24, 1},
		{"worst-half-airflow", "worst slot, half airflow", half * m.WorstSlot, 17, 2},
		{"worst-rated-airflow", "worst slot, rated airflow", m.Resistance(1) * m.WorstSlot, 40, 1},
		{"mean-rated-airflow", "mean slot, rated airflow", m.Resistance(1), 45, 1},
	} {
		validation.Within("temperature/h100-throttle-inlet-"+tt.id, "H100 at 700 W reaches its limit at an inlet of, "+tt.slot, "°C", tt.wantC, tt.withinK,
			"arithmetic on die temperatures published for H100 in air (arXiv 2507.16781), inlet of 25 °C assumed").Check(t, m.LimitC-700*tt.r)
	}
}

// Half the clock takes twice as long only where nothing waits for memory.
func TestHalfClock(t *testing.T) {
	for _, c := range []struct {
		id          string
		memoryBound float64
		seconds     float64
	}{{"no-memory", 0, 20}, {"training", 0.15, 18.5}, {"decode", 0.75, 12.5}} {
		validation.Within("temperature/half-clock-"+c.id, fmt.Sprintf("10,000 units at 1,000 a second, at half the clock with %g %% bound by memory", 100*c.memoryBound), "s", c.seconds, 1e-9,
			"1/(m + (1−m)·f0/f), after a request to CloudSim Plus for a job that takes twice as long").Check(t, 10000/(1000*WorkRate(c.memoryBound, 0.5)))
	}
}

func TestColdPlateReachesItsLimitWithoutFlow(t *testing.T) {
	m := newModel(t, "hgx-h100-liquid")
	for _, tt := range []struct{ coolantC, wantS float64 }{{25, 17.0}, {40, 10.5}} {
		start := tt.coolantC + 700*m.Resistance(1)
		got := (m.LimitC - start) * m.GPUHeatJPerK / 700
		validation.Share(fmt.Sprintf("temperature/cold-plate-without-flow-%g", tt.coolantC), fmt.Sprintf("H100 cold plate at 700 W, %g °C coolant: to its limit after the flow stops", tt.coolantC), "s", tt.wantS, 0.1,
			"(limit − start)·C/P with 300 J/K").Check(t, got)
	}
}

// models are all servers of the catalogue that can be simulated.
func models(t testing.TB) []*Model {
	t.Helper()
	c := catalog.Default()
	var all []*Model
	for _, name := range c.Names("servers") {
		m, err := NewModel(c, name)
		if missing := (*MissingError)(nil); errors.As(err, &missing) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all = append(all, &m)
	}
	return all
}

func TestOnlyUnpublishedServersCannotBeSimulated(t *testing.T) {
	c := catalog.Default()
	var without []string
	for _, name := range c.Names("servers") {
		if _, err := NewModel(c, name); err != nil {
			without = append(without, name)
			t.Log(err)
		}
	}
	if got := strings.Join(without, " "); got != "frontier-node vera-rubin-nvl8" {
		t.Errorf("cannot be simulated: %s", got)
	}
}

func TestEveryServerIsSensible(t *testing.T) {
	for _, m := range models(t) {
		last := math.Inf(-1)
		for inletC := 18.0; inletC <= 35; inletC++ {
			for _, gpuW := range []float64{m.IdleW, m.TDPW} {
				s := m.FanShare(gpuW, inletC)
				if s < m.FanMin || s > m.FanMax || math.IsNaN(s) {
					t.Errorf("%s: airflow share %v outside [%v, %v]", m.Name, s, m.FanMin, m.FanMax)
				}
				if m.Liquid {
					continue
				}
				worstC := inletC + gpuW*m.Resistance(s)*m.WorstSlot
				if worstC > m.TargetC+1e-6 && s < m.FanMax {
					t.Errorf("%s at %.0f W, %.0f °C: worst slot %.1f °C over the target %.0f with fans at %.2f", m.Name, gpuW, inletC, worstC, m.TargetC, s)
				}
				if worstC >= m.LimitC {
					t.Errorf("%s at %.0f W throttles at %.0f °C inlet: %.1f °C", m.Name, gpuW, inletC, worstC)
				}
			}
			s := m.FanShare(m.TDPW, inletC)
			wall := m.WallW(float64(m.GPUs)*m.TDPW, s)
			if wall < last-1e-9 {
				t.Errorf("%s: power falls as the inlet warms to %.0f °C", m.Name, inletC)
			}
			last = wall
			if inletC <= m.InletMaxC && wall > float64(m.NameplateW) {
				t.Errorf("%s at %.0f °C draws %.0f W, nameplate %d", m.Name, inletC, wall, m.NameplateW)
			}
			if rise := wall * (1 - m.LiquidShare) / (1191 * m.AirflowM3s * s); rise < 3 || rise > 30 {
				t.Errorf("%s at %.0f °C: the air warms by %.1f K", m.Name, inletC, rise)
			}
		}
		if m.Liquid {
			if worstC := m.CoolantMaxC + m.TDPW*m.Resistance(1)*m.WorstSlot; worstC >= m.LimitC {
				t.Errorf("%s throttles at its own coolant limit of %.0f °C: %.1f °C", m.Name, m.CoolantMaxC, worstC)
			}
			if rise := float64(m.SustainedW) * m.LiquidShare / (m.FlowLPM / 60 * 3970); rise < 5 || rise > 15 { // PG25, J/(L K)
				t.Errorf("%s: the coolant warms by %.1f K at rated flow", m.Name, rise)
			}
		}
		if idle := atIdle(m); idle <= 0 || idle > 0.6*float64(m.SustainedW) {
			t.Errorf("%s idles at %.0f W of %d", m.Name, idle, m.SustainedW)
		}
		if got := m.GPUW(1, 1, 65); math.Abs(got-m.TDPW) > 1e-9 {
			t.Errorf("%s: GPU at full activity, full clock and 65 °C draws %v W, TDP %v", m.Name, got, m.TDPW)
		}
		if got := m.GPUW(0, 1, m.IdleC); math.Abs(got-m.IdleW) > 1e-9 {
			t.Errorf("%s: idle GPU draws %v W, catalogue %v", m.Name, got, m.IdleW)
		}
	}
}

// Fans, temperature and leakage answer to each other; from any start they must settle at one point.
func TestFansSettle(t *testing.T) {
	for _, m := range models(t) {
		if m.Liquid {
			continue
		}
		for _, inletC := range []float64{18, 25, 30, 35} {
			for _, u := range []float64{0, 0.5, 1} {
				var ends [2]float64
				for i, dieC := range []float64{inletC, m.LimitC} {
					for range 60 {
						p := math.Min(m.TDPW, m.GPUW(u, 1, dieC))
						dieC = inletC + p*m.WorstSlot*m.Resistance(m.FanShare(p, inletC))
					}
					p := math.Min(m.TDPW, m.GPUW(u, 1, dieC))
					again := inletC + p*m.WorstSlot*m.Resistance(m.FanShare(p, inletC))
					if math.Abs(again-dieC) > 1e-3 {
						t.Errorf("%s at %.0f °C, activity %.1f does not settle: %.3f then %.3f °C", m.Name, inletC, u, dieC, again)
					}
					ends[i] = again
				}
				if math.Abs(ends[0]-ends[1]) > 1e-2 {
					t.Errorf("%s at %.0f °C, activity %.1f settles at %.2f or %.2f °C", m.Name, inletC, u, ends[0], ends[1])
				}
			}
		}
	}
}

func TestPlanIsSplitWithoutLoss(t *testing.T) {
	all := models(t)
	rapid.Check(t, func(t *rapid.T) {
		m := *rapid.SampledFrom(all).Draw(t, "model")
		planW := rapid.Int64Range(0, 200000).Draw(t, "plan")
		m.SetPlan(planW)
		if sum := m.PlanLiquidW + m.PlanAirW; m.PlanW != planW || sum < planW || sum > planW+1 {
			t.Fatalf("%s: plan %d W split into %d + %d", m.Name, planW, m.PlanLiquidW, m.PlanAirW)
		}
	})
	m := newModel(t, "dgx-h100")
	if m.PlanW != 10200 || m.PlanAirW != 10200 || m.PlanLiquidW != 0 {
		t.Errorf("dgx-h100 plan %d air %d liquid %d", m.PlanW, m.PlanAirW, m.PlanLiquidW)
	}
	if !math.IsInf(m.ServerCapW, 1) || !math.IsInf(m.GPUCapW, 1) {
		t.Error("a new model is capped")
	}
	if newModel(t, "dgx-b200").NameplateW*3 != 42900 {
		t.Error("three DGX B200 are not 42.9 kW")
	}
}

func TestUnknownWeightStaysUnknown(t *testing.T) {
	if m := newModel(t, "hgx-b200-liquid"); !math.IsNaN(m.WeightKg) {
		t.Errorf("weight %v, want NaN", m.WeightKg)
	}
	if m := newModel(t, "dgx-h100"); m.WeightKg != 130.45 {
		t.Errorf("weight %v, want 130.45", m.WeightKg)
	}
}

func TestNewModelRefuses(t *testing.T) {
	base := catalog.Default()
	for _, tt := range []struct{ name, file, want string }{
		{"missing", "servers: {x: {like: dgx-h100, board: null, airflow: null}}", "unknown board, airflow"},
		{"nameplate", "servers: {x: {like: dgx-h100, nameplate: 7 kW}}", "more than its nameplate"},
		{"fans", "servers: {x: {like: dgx-h100, fan-min: 2}}", "fan-max less fan-min"},
		{"zero vrm", "servers: {x: {like: dgx-h100, vrm: 0}}", "vrm must be above 0"},
		{"target", "servers: {x: {like: dgx-h100, target: 20 C}}", "target"},
		{"liquid", "servers: {x: {like: hgx-h100-liquid, flow: 0 L/min}}", "flow"},
		{"gpu", "gpus: {y: {like: h100, tdp: 70 W, cap-min: 50 W}}\nservers: {x: {like: dgx-h100, gpu: y}}", "tdp less idle"},
	} {
		c, err := base.Add("user.yaml", strings.NewReader(tt.file))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if m, err := NewModel(c, "x"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v W, %v; want an error with %q", tt.name, m.SustainedW, err, tt.want)
		}
	}
	if _, err := NewModel(base, "dgx-h10"); err == nil || !strings.Contains(err.Error(), `"dgx-h100"`) {
		t.Errorf("dgx-h10: %v", err)
	}
}

func TestUsersOwnServer(t *testing.T) {
	c, err := catalog.Default().Add("user.yaml", strings.NewReader("servers:\n  mine: {like: dgx-h100, nameplate: 9.5 kW, height: 6U}\n"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel(c, "mine")
	if err != nil {
		t.Fatal(err)
	}
	if m.NameplateW != 9500 || m.HeightU != 6 || m.GPUs != 8 || m.SustainedW != newModel(t, "dgx-h100").SustainedW {
		t.Errorf("mine: %+v", m)
	}
	if got := units.Format(units.Power, float64(m.NameplateW)); got != "9.5 kW" {
		t.Error(got)
	}
}

func BenchmarkNewModel(b *testing.B) {
	c := catalog.Default()
	for b.Loop() {
		if _, err := NewModel(c, "dgx-h100"); err != nil {
			b.Fatal(err)
		}
	}
}

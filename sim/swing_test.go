package sim

import (
	"math"
	"testing"
	"time"

	"headroom/sim/workload"
)

func TestCoincidence(t *testing.T) {
	if got := coincidence(1); got != 1 {
		t.Errorf("one server reaches %.4f of its own peak", got)
	}
	if got := coincidence(64); math.Abs(got-0.9875) > 1e-12 {
		t.Errorf("64 servers reach %.4f of the sum of their peaks, measured 0.9875", got)
	}
	for n := 2; n < 2000; n++ {
		if coincidence(n) > coincidence(n-1) {
			t.Fatalf("%d servers coincide more than %d", n, n-1)
		}
	}
}

// One job over all servers swings as one; as many small jobs swing apart, and inference doesn't swing.
func TestSwings(t *testing.T) {
	peak := func(kind workload.Kind, jobs, gpus int) (mean, swing float64) {
		c := config(3 * time.Hour)
		classes, _ := forever(1, kind)
		c.Classes = classes
		var list []workload.Job
		for range jobs {
			list = append(list, workload.Job{GPUs: int32(gpus), WorkS: math.Inf(1), Activity: 1, MemoryBound: 0.15})
		}
		c.Replays = [][]workload.Job{list}
		r := mustRun(t, hall{racks: 4, perRack: 4}.layout(t), c)
		return float64(r.Energy.PeakITW), float64(r.Energy.PeakITSwingW)
	}
	w, one := peak(workload.Training, 1, 128)
	if want := w * (1.07*coincidence(16) - 1); math.Abs(one-w-want) > 0.02*want {
		t.Errorf("one job over 16 servers swings by %.0f W, want %.0f W", one-w, want)
	}
	w, many := peak(workload.Training, 16, 8)
	if want := w * 0.07 / 4; math.Abs(many-w-want) > 0.02*want { // √16 of a sixteenth
		t.Errorf("16 jobs swing by %.0f W together, want %.0f W", many-w, want)
	}
	if w, none := peak(workload.Inference, 16, 8); none != w {
		t.Errorf("inference swings by %.0f W", none-w)
	}
}

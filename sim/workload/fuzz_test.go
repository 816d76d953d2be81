package workload

import (
	"bytes"
	"math"
	"testing"
)

// FuzzOpenTrace reads a trace as a run does, as a stream, with every column, filter, window and scale a scenario can
// name: whatever comes is in order and in range.
func FuzzOpenTrace(f *testing.F) {
	full := []byte("submit,gpus,milli,cpu,mem,type,begin,finish,tenant,qos,pri,vc\n0,1,500,1000,2048,V100|A100,5,65,u1,LS,3,a\n10,8,1000,1,1,,20,,u2,BE,1,b\n")
	f.Add(full, uint8(0), 0.0, 0.0, 0.0)
	f.Add(full, uint8(0xff), 5.0, 100.0, 3600.0)
	f.Add([]byte("arrival_s,num_gpus,duration_s\n0,8,3600\n12.5,1,0\n"), uint8(1), 0.5, 1e9, 60.0)
	f.Add([]byte("; c\n"+swfLine), uint8(8), 0.0, 0.0, 1.0)
	f.Fuzz(func(t *testing.T, data []byte, which uint8, startS, endS, reorderS float64) {
		bad := func(v float64) bool { return math.IsNaN(v) || v < 0 || v > 1e9 }
		if bad(startS) || bad(endS) || bad(reorderS) {
			return // a scenario refuses them
		}
		o := TraceOptions{StartS: startS, EndS: endS, ReorderS: reorderS, FromFirst: which&1 != 0, SkipNoGPU: which&2 != 0}
		if which&4 != 0 {
			o.Speed, o.RateScale, o.SizeScale = 2, 0.5, 1.5
		}
		if which&8 != 0 {
			o.TimeUnit = Dates
		}
		if which&16 != 0 {
			o.Columns = TraceColumns{
				Arrival: "submit", GPUs: "gpus", Duration: "length", Milli: "milli", CPUMilli: "cpu", MemMiB: "mem",
				Types: "type", Tenant: "tenant", QoS: "qos", Priority: "pri",
			}
			o.Types, o.Tenants, o.QoS = map[string]uint64{"V100": 1, "A100": 2}, &Tenants{}, map[string]int32{"LS": 2, "BE": 1}
		}
		if which&32 != 0 {
			o.Columns.Start, o.Columns.End = "begin", "finish"
		}
		if which&64 != 0 {
			o.Filter = map[string]string{"vc": "a"}
		}
		s := OpenTrace(bytes.NewReader(data), "f", o)
		last, n := int64(0), int32(0)
		for j, ok := s.Next(); ok; j, ok = s.Next() {
			if j.ID != n || j.Arrival < last || j.GPUs < 1 || !(j.WorkS >= 0 && j.WorkS <= MaxWorkS) || j.CPUMilli < 0 || j.MemMiB < 0 {
				t.Fatalf("job %d after %d ns: %+v", n, last, j)
			}
			last, n = j.Arrival, n+1
		}
		if err := s.Err(); err != nil && err.Error() == "" {
			t.Fatal("an error without a word")
		}
	})
}

// FuzzReadAlibabaNodes: a node has whole, bounded parts.
func FuzzReadAlibabaNodes(f *testing.F) {
	f.Add([]byte("sn,cpu_milli,memory_mib,gpu,model\nopenb-node-0000,64000,262144,2,P100\nx,1,1,0,\n"))
	f.Add([]byte("model,gpu,sn,memory_mib,cpu_milli\n,1e400,-,0.5,\x00\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		nodes, err := ReadAlibabaNodes(bytes.NewReader(data), "f")
		for _, n := range nodes {
			if n.CPUMilli < 0 || n.MemMiB < 0 || n.GPUs < 0 {
				t.Fatalf("%+v", n)
			}
		}
		if err != nil && err.Error() == "" {
			t.Fatal("an error without a word")
		}
	})
}

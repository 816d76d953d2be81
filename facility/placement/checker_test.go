package placement

import (
	"math"

	"headroom/facility"
	"headroom/facility/power"
)

// checker says whether counts of servers by rack and model break a limit. It is written apart from the
// placement, in floating point, with package power doing the sums.
type checker struct {
	f     *facility.Facility
	cases []*power.Flow
	lost  [][]int
	lines bool // also look at the lines of circuits and nodes
}

func newChecker(f *facility.Facility) *checker {
	c := &checker{f: f}
	if f.Power == nil {
		return c
	}
	c.lost = [][]int{nil}
	for _, side := range []string{"A", "B", "C"} {
		var lost []int
		for i, n := range f.Power.Nodes {
			if n.Side == side {
				lost = append(lost, i)
			}
		}
		if _, two := f.Power.Index("ups1"); two && lost != nil {
			c.lost = append(c.lost, lost)
		}
	}
	for i, n := range f.Power.Nodes {
		if n.Transfer {
			c.lost = append(c.lost, []int{f.Power.Parents(i)[0]})
		}
	}
	var consumers []power.Consumer
	for _, r := range f.Racks {
		consumers = append(consumers, power.Consumer{Fed: r.Feeds})
	}
	consumers = append(consumers, power.Consumer{Fed: f.OtherFed}, power.Consumer{Fed: f.Mechanical[0].Fed})
	for _, lost := range c.lost {
		fl := f.Power.NewFlow(consumers)
		for i, n := range f.Power.Nodes {
			fl.SetUp(i, n.Units-n.Redundant)
		}
		for _, i := range lost {
			fl.SetUp(i, 0)
		}
		fl.Set(len(f.Racks), math.Ceil(f.OtherW))
		fl.Set(len(f.Racks)+1, float64(f.Mechanical[0].W))
		c.cases = append(c.cases, fl)
	}
	return c
}

// breaks names the limit that the counts break, "" if none. A limit that is broken by nothing but what is
// there before any server does not count against an empty rack.
func (c *checker) breaks(counts [][]int) string {
	f := c.f
	sys := &f.Cooling
	roomHeat, roomFlow, roomUsed := make([]float64, len(sys.Rooms)), make([]float64, len(sys.Rooms)), make([]bool, len(sys.Rooms))
	loopHeat, loopFlow := make([]float64, len(sys.Loops)), make([]float64, len(sys.Loops))
	loads := make([]float64, len(f.Racks))
	used := make([]bool, len(f.Racks))
	for i := range f.Racks {
		r := &f.Racks[i]
		var w, air, liquid, kg, va, flow, lpm float64
		u := 0
		for m, k := range counts[i] {
			model, k64 := &f.Models[m], float64(k)
			w += k64 * float64(model.PlanW)
			air += k64 * float64(model.PlanAirW)
			liquid += k64 * float64(model.PlanLiquidW)
			kg += k64 * model.WeightKg
			va += k64 * math.Ceil(float64(model.PlanW)/model.PF-1e-9)
			flow += k64 * math.Ceil(model.AirflowM3s*1e6) // mL/s, as coolant in mL/min
			lpm += k64 * math.Ceil(model.FlowLPM*1e3)
			u += k * model.HeightU
			used[i] = used[i] || k > 0
		}
		reserve := float64(r.ReserveW)
		loads[i] = w + reserve
		if r.Room >= 0 {
			roomHeat[r.Room] += air + reserve
			roomFlow[r.Room] += flow
			roomUsed[r.Room] = roomUsed[r.Room] || used[i]
		}
		if r.Loop >= 0 {
			loopHeat[r.Loop] += liquid
			loopFlow[r.Loop] += lpm
			if loop := &sys.Loops[r.Loop]; loop.Air != nil { // the heat warms a room, whose air the CDUs draw
				roomHeat[loop.Air.Room] += liquid
				if loop.CapacityW > 0 {
					for m, k := range counts[i] {
						roomFlow[loop.Air.Room] += float64(k) * math.Ceil(float64(f.Models[m].PlanLiquidW)/loop.CapacityW*loop.Air.AirflowM3s*1e6*(1-1e-12))
					}
				}
				roomUsed[loop.Air.Room] = roomUsed[loop.Air.Room] || used[i]
			}
		}
		if !used[i] {
			continue
		}
		over := func(limit int64, w float64) bool { return limit != facility.NoLimit && w > float64(limit) }
		switch {
		case over(r.PowerW, w+reserve), over(r.AirW, air+reserve), over(r.LiquidW, liquid), r.Loop < 0 && liquid > 0:
			return "rack power or cooling"
		case u > r.HeightU-r.ReserveU:
			return "space"
		case r.LoadKg >= 0 && r.FrameKg+kg > r.LoadKg+1e-6:
			return "weight"
		}
		for _, n := range r.Feeds {
			node := &f.Power.Nodes[n]
			if c.mostOf(r, n)*(va+math.Ceil(reserve/node.PF-1e-9)) > float64(f.Power.CapacityVA(n, node.Units-node.Redundant))+1e-6 {
				return "feed"
			}
		}
	}
	for j := range sys.Rooms {
		room := &sys.Rooms[j]
		roomHeat[j] += 2 * math.Max(room.FanW, 0)
		if room.AirflowM3s > 0 && roomUsed[j] && roomFlow[j] > math.Floor(2*room.AirflowM3s*1e6) {
			return "airflow"
		}
	}
	for j := range sys.Loops {
		loop := &sys.Loops[j]
		if loop.Air != nil {
			roomHeat[loop.Air.Room] += math.Ceil(loop.PumpW) + math.Ceil(loop.Air.FanW)
		}
		if (loop.CapacityW > 0 && loopHeat[j]+math.Ceil(loop.PumpW) > math.Floor(loop.CapacityW)) || (loop.FlowLPM > 0 && loopFlow[j] > math.Floor(loop.FlowLPM*1e3)) {
			return "loop"
		}
	}
	if b := c.breaksPower(loads, used, roomHeat, roomUsed, loopHeat); b != "" || !c.lines {
		return b
	}
	return c.breaksLines(counts)
}

func (c *checker) breaksPower(loads []float64, used []bool, roomHeat []float64, roomUsed []bool, loopHeat []float64) string {
	f := c.f
	losses := make([]float64, len(roomHeat)) // worst over the cases
	plantLoss := 0.0
	pf := 1.0
	for _, o := range f.Orders {
		pf = math.Min(pf, f.Models[o.Model].PF)
	}
	for _, fl := range c.cases {
		for i, w := range loads {
			fl.Set(i, w)
		}
		roomLoss := make([]float64, len(roomHeat))
		sum := 0.0
		for n := range f.Power.Nodes {
			node := &f.Power.Nodes[n]
			if node.Kind == power.RackFeed || node.Kind == power.Distribution {
				if i := c.firstRack(n); i >= 0 && f.Racks[i].Room >= 0 {
					roomLoss[f.Racks[i].Room] += fl.LossW(n)
					if f.Cooling.Rooms[f.Racks[i].Room].Plant >= 0 {
						sum += fl.LossW(n)
					}
				}
			}
			if node.Kind == power.RackFeed || !c.feedsUsed(n, used) {
				continue
			}
			capW := node.RatingVA * float64(node.Units-node.Redundant) * node.Derate * node.PF
			if node.Kind == power.UPS || node.Kind == power.Distribution {
				capW = node.RatingVA * float64(node.Units-node.Redundant) * node.Derate * math.Min(node.PF, pf)
			}
			if fl.OutW(n) > math.Floor(capW*(1+1e-12))+1e-6 {
				return "upstream " + node.ID
			}
		}
		for j := range roomLoss {
			losses[j] = math.Max(losses[j], roomLoss[j])
		}
		plantLoss = math.Max(plantLoss, sum)
	}
	plantHeat, asked := plantLoss, false
	for j := range roomHeat {
		room := &f.Cooling.Rooms[j]
		touched := roomUsed[j]
		for i := range used { // a rack elsewhere may heat this room through its busway
			touched = touched || (used[i] && c.heats(i, j))
		}
		if room.CapacityW > 0 && touched && roomHeat[j]+losses[j] > math.Floor(2*room.CapacityW)+1e-6 {
			return "room"
		}
		if room.Plant >= 0 {
			plantHeat += roomHeat[j]
			asked = asked || touched
		}
	}
	for j := range loopHeat {
		if f.Cooling.Loops[j].Plant >= 0 && f.Cooling.Loops[j].Air == nil {
			plantHeat += loopHeat[j]
			for i := range used {
				asked = asked || (used[i] && f.Racks[i].Loop == j)
			}
		}
	}
	if len(f.Cooling.Plants) > 0 && asked && plantHeat > math.Floor(2*f.Cooling.Plants[0].Spec().CapacityW)+1e-6 {
		return "plant"
	}
	return ""
}

// mostOf is the share of a rack's load that one feed carries in the worst claimed loss.
func (c *checker) mostOf(r *facility.Rack, feed int) float64 {
	n := float64(len(r.Feeds)) // in the halls here every feed is a side of its own
	_ = feed
	return 1 / math.Max(1, n-1)
}

func (c *checker) under(n int) map[int]bool {
	below := map[int]bool{n: true}
	for i := n + 1; i < len(c.f.Power.Nodes); i++ {
		for _, p := range c.f.Power.Parents(i) {
			if below[p] {
				below[i] = true
			}
		}
	}
	return below
}

func (c *checker) firstRack(n int) int {
	below := c.under(n)
	for i, r := range c.f.Racks {
		for _, fd := range r.Feeds {
			if below[fd] {
				return i
			}
		}
	}
	return -1
}

func (c *checker) feedsUsed(n int, used []bool) bool {
	below := c.under(n)
	for i, r := range c.f.Racks {
		for _, fd := range r.Feeds {
			if used[i] && below[fd] {
				return true
			}
		}
	}
	return false
}

func (c *checker) heats(rack, room int) bool {
	if c.f.Power == nil {
		return false
	}
	for n := range c.f.Power.Nodes {
		if k := c.f.Power.Nodes[n].Kind; k != power.Distribution && k != power.RackFeed {
			continue
		}
		used := make([]bool, len(c.f.Racks))
		used[rack] = true
		if c.feedsUsed(n, used) {
			if i := c.firstRack(n); i >= 0 && c.f.Racks[i].Room == room {
				return true
			}
		}
	}
	return false
}

// most finds the largest total by trying every count in every rack.
func (c *checker) most() int {
	f := c.f
	counts := make([][]int, len(f.Racks))
	left := make([]int, len(f.Models))
	for i := range counts {
		counts[i] = make([]int, len(f.Models))
	}
	for _, o := range f.Orders {
		left[o.Model] += orderCount(o)
	}
	best := 0
	var visit func(i, m, total int)
	visit = func(i, m, total int) {
		if i == len(f.Racks) {
			if total > best && c.breaks(counts) == "" {
				best = total
			}
			return
		}
		if m == len(f.Models) {
			visit(i+1, 0, total)
			return
		}
		for k := 0; k <= f.Racks[i].HeightU/f.Models[m].HeightU && k <= left[m]; k++ {
			counts[i][m] = k
			left[m] -= k
			visit(i, m+1, total+k)
			left[m] += k
		}
		counts[i][m] = 0
	}
	visit(0, 0, 0)
	return best
}

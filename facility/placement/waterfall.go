package placement

import (
	"math"
	"slices"

	"headroom/facility/power"
)

// Waterfall goes from installed watts to used and free ones at one level of the power graph. The steps add up
// to InstalledW to the watt.
type Waterfall struct {
	Level      string // what is counted: "UPS", "distribution" …, "rack limits" without a graph; "" unknown
	InstalledW int64
	Case       string // the claimed loss that leaves least capacity, "normal service" where none is claimed
	Steps      []WaterfallStep
}

// WaterfallStep is one part of what is installed.
type WaterfallStep struct {
	Name string
	W    int64
}

// Names of the steps; those of stranded capacity begin with StepStranded.
const (
	StepDerate     = "derate"
	StepRedundancy = "redundancy"
	StepOther      = "cooling and other loads"
	StepLoss       = "conversion loss"
	StepReserved   = "reserved"
	StepStranded   = "stranded by "
	StepUsed       = "used"
	StepFree       = "free"
	StepUnassigned = "beyond the racks' limits"
	StepOver       = "over what the claims allow" // negative
)

// strandedName is what a limit leaves behind: below one server's power it is fragments.
func strandedName(l Limit) string {
	switch l {
	case Power, Feed, Upstream:
		return "fragmentation (" + string(l) + ")"
	}
	return string(l)
}

// waterfallLevels are the levels that are looked for, the first that every rack hangs on counts.
var waterfallLevels = [...]power.Kind{power.UPS, power.Distribution, power.Transformer, power.Switchboard, power.Utility}

func (s *site) waterfall(l *Layout) Waterfall {
	used, reserved := int64(0), int64(0)
	for i := range s.racks {
		used += s.racks[i].used.w
		reserved += s.f.Racks[i].ReserveW
	}
	w := Waterfall{Case: "normal service"}
	usable := int64(0)
	var fixed []WaterfallStep
	nodes := s.levelNodes()
	switch {
	case len(nodes) > 0:
		w.Level = s.f.Power.Nodes[nodes[0]].Kind.String()
		usable, fixed = s.levelSteps(&w, nodes, used, reserved)
	default:
		w.Level = "rack limits"
		for i := range s.racks {
			if s.f.Racks[i].PowerW == noLimit {
				return Waterfall{}
			}
			w.InstalledW += s.f.Racks[i].PowerW
		}
		usable = w.InstalledW
	}
	w.Steps = append(w.Steps, fixed...)
	add := func(name string, watts int64) {
		if watts != 0 {
			w.Steps = append(w.Steps, WaterfallStep{name, watts})
		}
	}
	add(StepReserved, reserved)
	rest := usable - used - reserved
	var free int64
	byLimit := map[Limit]int64{}
	for i := range s.racks {
		r := &s.racks[i]
		if r.limit[localPower] == noLimit {
			continue
		}
		left := max(0, r.limit[localPower]-r.used.w)
		if l.Racks[i].Binding == Order || !s.stuck(i) {
			free += left
		} else {
			byLimit[l.Racks[i].Binding] += left
		}
	}
	// What the level has left goes to racks that could still use it, then to the stranded in the order of limits.
	take := func(watts int64) int64 {
		part := min(max(0, rest), watts)
		rest -= part
		return part
	}
	free = take(free)
	for _, limit := range limitOrder {
		if watts := byLimit[limit]; watts > 0 {
			add(StepStranded+strandedName(limit), take(watts))
		}
	}
	w.Steps = append(w.Steps, WaterfallStep{StepUsed, used}, WaterfallStep{StepFree, free})
	if rest < 0 {
		add(StepOver, rest)
	} else {
		add(StepUnassigned, rest)
	}
	return w
}

// stuck says whether a rack takes no further server of any ordered model.
func (s *site) stuck(i int) bool {
	for _, o := range s.f.Orders {
		if !s.refuses(i, o.Model) {
			return false
		}
	}
	return len(s.f.Orders) > 0
}

// levelNodes are the nodes of the first level that every rack's load goes through, once.
func (s *site) levelNodes() []int {
	if s.elec == nil {
		return nil
	}
	g := s.f.Power
	for _, kind := range waterfallLevels {
		var nodes []int
		through := 0
		for n := range g.Nodes {
			if g.Nodes[n].Kind == kind {
				nodes = append(nodes, n)
			}
		}
		for i := range s.racks {
			here := 0
			for _, n := range s.racks[i].path {
				if g.Nodes[n].Kind == kind {
					here++
				}
			}
			if here > 0 {
				through++
			}
		}
		if len(nodes) == 0 || through < len(s.racks) {
			continue
		}
		// No node of the level above another: each watt is counted once.
		twice := false
		for _, n := range nodes {
			for _, a := range g.Ancestors(n) {
				twice = twice || (a != n && slices.Contains(nodes, a))
			}
			if len(nodes) > 2000 {
				break
			}
		}
		if !twice {
			return nodes
		}
	}
	return nil
}

// levelSteps takes derate, redundancy, other loads and losses off what is installed.
func (s *site) levelSteps(w *Waterfall, nodes []int, used, reserved int64) (usable int64, steps []WaterfallStep) {
	g := s.f.Power
	derated := int64(0)
	for _, n := range nodes {
		node := &g.Nodes[n]
		w.InstalledW += floorTo(node.RatingVA*s.elec.pf[n]*float64(node.Units), 1)
		derated += floorTo(node.RatingVA*s.elec.pf[n]*node.Derate*float64(node.Units), 1)
	}
	least, at := int64(math.MaxInt64), 0
	for ci := range s.elec.cases {
		c := &s.elec.cases[ci]
		left := int64(0)
		for _, n := range nodes {
			if c.live[n] {
				left += s.elec.capacityW(n)
			}
		}
		if left < least && (left > 0 || len(s.elec.cases) == 1) {
			least, at = left, ci
		}
	}
	if least == math.MaxInt64 {
		least = 0
	}
	c := &s.elec.cases[at]
	w.Case = c.name
	out := int64(0)
	for _, n := range nodes {
		if c.live[n] {
			out += c.out[n]
		}
	}
	other := s.otherThrough(nodes, c)
	total := int64(wattsUp(out))
	loss := max(0, total-used-reserved-other)
	steps = append(steps, WaterfallStep{StepDerate, w.InstalledW - derated}, WaterfallStep{StepRedundancy, derated - least})
	usable = least
	if other > 0 {
		steps = append(steps, WaterfallStep{StepOther, other})
		usable -= other
	}
	steps = append(steps, WaterfallStep{StepLoss, loss})
	return usable - loss, steps
}

// otherThrough is what loads that are no servers draw through the level, as they draw it.
func (s *site) otherThrough(nodes []int, c *lossCase) int64 {
	through := make([]float64, len(s.f.Power.Nodes)) // share of a node's input that comes from the level
	for n := range through {
		if slices.Contains(nodes, n) {
			through[n] = 1
			continue
		}
		for k := range c.count[n] {
			through[n] += through[c.sources[c.first[n]+k]] / float64(c.count[n])
		}
	}
	total := 0.0
	put := func(fed []int, w float64) {
		live := 0
		for _, n := range fed {
			if c.live[n] {
				live++
			}
		}
		for _, n := range fed {
			if c.live[n] {
				total += w * through[n] / float64(live)
			}
		}
	}
	for _, m := range s.f.Mechanical {
		put(m.Fed, float64(m.W))
	}
	put(s.f.OtherFed, math.Ceil(s.f.OtherW))
	return ceilTo(total, 1)
}

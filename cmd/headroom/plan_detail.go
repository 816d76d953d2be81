package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"

	"headroom/facility/placement"
	"headroom/facility/power"
	"headroom/sim"
)

// planDetail is what a plan knows beyond the keys that it shares with a run.
type planDetail struct {
	Models      []planModel   `json:"models"`
	Lines       []planLine    `json:"lines"`
	Waterfall   planWaterfall `json:"waterfall"`
	PhaseW      [3]int64      `json:"phase_w"`
	Losses      []planLoss    `json:"losses"`
	Fates       planFates     `json:"rack_states"`
	Upgrades    []planUpgrade `json:"upgrades"`
	Pairs       []planLoss    `json:"pairs,omitempty"`
	Maintenance []planService `json:"maintenance,omitempty"`
}

// planModel is one ordered model with the basis on which it is counted.
type planModel struct {
	Model      string `json:"model"`
	NameplateW int64  `json:"nameplate_w"`
	PlanW      int64  `json:"plan_w"`
	Basis      string `json:"basis"`
	From       string `json:"from"` // what plan_w was taken from, "" for the nameplate
}

// planLine is the answer to one order: what is placed, and what is proven to be the most.
type planLine struct {
	Model        string       `json:"model"`
	Asked        *int         `json:"asked"` // null for max
	Placed       int          `json:"placed"`
	Bound        int          `json:"bound"`
	Proof        string       `json:"proof"`
	FitsMore     int          `json:"fits_more"`
	LargestBlock int          `json:"largest_block"`
	Row          string       `json:"row"`
	Next         *planRefusal `json:"next"`
	NextRack     string       `json:"next_rack"`
}

type planWaterfall struct {
	Level      string     `json:"level"`
	Case       string     `json:"case"`
	Basis      string     `json:"basis"`
	InstalledW int64      `json:"installed_w"`
	Steps      []planStep `json:"steps"`
}

type planStep struct {
	Name string `json:"name"`
	W    int64  `json:"w"`
}

// planLoss is what one loss, or two together, leave.
type planLoss struct {
	Lost           string   `json:"lost"`
	State          string   `json:"state"`
	After          string   `json:"after"`
	Trips          []string `json:"trips"`
	WorstLoadShare sim.Num  `json:"worst_load_share"`
	Worst          string   `json:"worst"`
	Racks          int      `json:"racks"`
	RacksDegraded  int      `json:"racks_degraded"`
	RacksLost      int      `json:"racks_lost"`
	DegradedTo     sim.Num  `json:"degraded_to"`
}

// planFates is how every rack fares after each single loss: racks that fare alike in all of them are one group, and
// states holds one cell for each group.
type planFates struct {
	Groups []planGroup    `json:"groups"`
	Losses []planFateLoss `json:"losses"`
}

type planGroup struct {
	Racks []string `json:"racks"`
}

type planFateLoss struct {
	Lost   string     `json:"lost"`
	States []planFate `json:"states"`
}

type planFate struct {
	State string  `json:"state"`
	Share sim.Num `json:"share"`
}

func newPlanFates(l *placement.Layout) planFates {
	t := l.FateTable()
	f := planFates{Groups: []planGroup{}, Losses: []planFateLoss{}}
	for _, racks := range t.Groups {
		var g planGroup
		for _, i := range racks {
			g.Racks = append(g.Racks, l.Facility.Racks[i].ID)
		}
		f.Groups = append(f.Groups, g)
	}
	for _, line := range t.Losses {
		x := planFateLoss{Lost: line.Lost}
		for _, r := range line.Fate {
			x.States = append(x.States, planFate{r.State, sim.Num(r.Share)})
		}
		f.Losses = append(f.Losses, x)
	}
	return f
}

// fateColumns is how many groups of racks the table shows beside each other.
const fateColumns = 8

// fateTable prints how racks fare after each single loss; lines alike are one.
func (d *planDetail) fateTable(w io.Writer) {
	t := &d.Fates
	if len(t.Losses) == 0 || len(t.Groups) == 0 {
		return
	}
	shown := min(len(t.Groups), fateColumns)
	fmt.Fprint(w, "\nRacks after one loss, once what is overloaded has tripped\nlost")
	for _, g := range t.Groups[:shown] {
		fmt.Fprintf(w, "\t%s", rackSpan(g.Racks))
	}
	fmt.Fprintln(w)
	cells := func(x planFateLoss) string {
		text := ""
		for _, s := range x.States[:shown] {
			switch {
			case s.State == placement.Degraded && percent(s.Share) != "100%": // by too few supplies, and enough for what it draws
				text += "\t" + percent(s.Share)
			default:
				text += "\t" + s.State
			}
		}
		return text
	}
	for i := 0; i < len(t.Losses); {
		j := i + 1
		for j < len(t.Losses) && cells(t.Losses[j]) == cells(t.Losses[i]) {
			j++
		}
		fmt.Fprintf(w, "%s%s\n", span(t.Losses[i].Lost, t.Losses[j-1].Lost, j-i), cells(t.Losses[i]))
		i = j
	}
	if more := len(t.Groups) - shown; more > 0 {
		fmt.Fprintf(w, "… and %d more groups of racks that fare otherwise; all in the JSON and in failover.csv\n", more)
	}
}

// rackSpan names racks that share a column.
func rackSpan(racks []string) string {
	switch n := len(racks); n {
	case 1:
		return racks[0]
	default:
		return fmt.Sprintf("%s … %s (%d)", racks[0], racks[n-1], n)
	}
}

// failoverCSV is one line for each loss and rack that is not normal then.
func failoverCSV(w io.Writer, c *sim.Capacity, racks []planRack) error {
	at := map[string]int{}
	for i := range racks {
		at[racks[i].Rack] = i
	}
	out := csv.NewWriter(w)
	_ = out.Write([]string{"lost", "rack", "state", "share"})
	for _, f := range c.Failover {
		for _, s := range f.Racks {
			for k := range s.Count {
				_ = out.Write([]string{f.Lost, racks[at[s.First]+k].Rack, s.State, figure(s.Share, "g", -1)})
			}
		}
	}
	out.Flush()
	return out.Error()
}

type planUpgrade struct {
	Change  string  `json:"change"`
	Admits  int     `json:"admits"`
	GPUs    int     `json:"gpus"`
	AddedKW float64 `json:"added_kw"`
	CostUSD sim.Num `json:"cost_usd"`
}

type planService struct {
	Out        string `json:"out"`
	State      string `json:"state"`
	Concurrent bool   `json:"concurrent"`
	ThenLost   string `json:"then_lost"`
	ThenState  string `json:"then_state"`
	RacksDown  int    `json:"racks_down"`
}

func newPlanDetail(l *placement.Layout) planDetail {
	d := planDetail{Models: []planModel{}, Lines: []planLine{}, Losses: planLosses(l.Failover), Upgrades: []planUpgrade{}}
	basis := l.Facility.Basis.String()
	for i := range l.Facility.Models {
		m := &l.Facility.Models[i]
		d.Models = append(d.Models, planModel{m.Name, m.NameplateW, m.PlanW, basis, m.PlanFrom})
	}
	for k, line := range l.Lines {
		p := planLine{Model: l.Facility.Models[line.Model].Name, Placed: line.Placed, Bound: line.Bound, Proof: line.Proof}
		if !l.Facility.Orders[k].Max {
			asked := line.Asked
			p.Asked = &asked
		}
		for _, n := range l.Next {
			if n.Model != line.Model {
				continue
			}
			p.FitsMore, p.LargestBlock, p.Row = n.Fits, n.LargestBlock, n.Row
			if n.Rack >= 0 {
				b := n.Best
				p.Next = &planRefusal{string(b.Limit), b.Where, sim.Num(b.Need), sim.Num(b.Free), sim.Num(b.Short), b.Unit}
				p.NextRack = l.Facility.Racks[n.Rack].ID
			}
		}
		d.Lines = append(d.Lines, p)
	}
	d.Fates = newPlanFates(l)
	d.Waterfall = planWaterfall{l.Waterfall.Level, l.Waterfall.Case, basis, l.Waterfall.InstalledW, []planStep{}}
	for _, s := range l.Waterfall.Steps {
		d.Waterfall.Steps = append(d.Waterfall.Steps, planStep(s))
	}
	for i := range l.Racks {
		for leg, w := range l.Racks[i].PhaseW {
			d.PhaseW[leg] += w
		}
	}
	return d
}

func planLosses(list []placement.Failover) []planLoss {
	out := make([]planLoss, 0, len(list))
	for _, f := range list {
		p := planLoss{f.Lost, f.State, f.After, append([]string{}, f.Trips...), sim.Num(f.WorstLoadShare), f.Worst, f.Racks, f.RacksDegraded, f.RacksLost, sim.Num(f.DegradedTo)}
		out = append(out, p)
	}
	return out
}

// more adds what is asked for by flags.
func (d *planDetail) more(l *placement.Layout, o *planOptions) (notes []string) {
	if o.admit > 0 {
		for _, u := range placement.Upgrades(l, o.admit) {
			d.Upgrades = append(d.Upgrades, planUpgrade{u.Change, u.Admits, u.GPUs, u.AddedKW, sim.Num(u.CostUSD)})
		}
	}
	if o.pairs {
		pairs, skipped := placement.Pairs(l)
		d.Pairs = planLosses(pairs)
		if skipped > 0 {
			notes = append(notes, fmt.Sprintf("%d pairs of losses were left out for their number", skipped))
		}
	}
	if o.maintenance {
		for _, s := range placement.Maintenance(l) {
			d.Maintenance = append(d.Maintenance, planService{s.Out, s.State, s.Concurrent, s.ThenLost, s.ThenState, s.RacksDown})
		}
	}
	return notes
}

// basisLine says on what basis servers are counted.
func (d *planDetail) basisLine() string {
	text := ""
	for i, m := range d.Models {
		if i > 0 {
			text += "; "
		}
		text += fmt.Sprintf("%s: %s at %s", m.Basis, m.Model, kilowatts(sim.Num(m.PlanW)))
		if m.PlanW != m.NameplateW {
			text += fmt.Sprintf(" (nameplate %s)", kilowatts(sim.Num(m.NameplateW)))
		}
		if m.From != "" {
			text += ", " + m.From
		}
	}
	return text
}

func (d *planDetail) linesTable(w io.Writer) {
	if len(d.Lines) == 0 {
		return
	}
	fmt.Fprint(w, "\nOrders, the first line first\nserver\tasked for\tplaced\tat most\tproven by\tone more\n")
	for _, l := range d.Lines {
		asked := "max"
		if l.Asked != nil {
			asked = fmt.Sprint(*l.Asked)
		}
		next := fmt.Sprintf("%d more fit, %d of them in row %s", l.FitsMore, l.LargestBlock, l.Row)
		if l.Next != nil {
			next = fmt.Sprintf("%s at %s, short by %s", l.Next.Limit, l.Next.Where, amount(l.Next.Short, l.Next.Unit))
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\n", l.Model, asked, l.Placed, l.Bound, l.Proof, next)
	}
}

func (d *planDetail) waterfallTable(w io.Writer) {
	if d.Waterfall.Level == "" {
		return
	}
	fmt.Fprintf(w, "\nFrom installed to used, %s, %s, %s\ninstalled\t%s\n", d.Waterfall.Level, d.Waterfall.Case, d.Waterfall.Basis, kilowatts(sim.Num(d.Waterfall.InstalledW)))
	for _, s := range d.Waterfall.Steps {
		fmt.Fprintf(w, "%s\t%s\n", s.Name, kilowatts(sim.Num(s.W)))
	}
}

func (d *planDetail) phaseTable(w io.Writer) {
	total := d.PhaseW[0] + d.PhaseW[1] + d.PhaseW[2]
	if total == 0 {
		return
	}
	b := power.BalanceOf(float64(d.PhaseW[0]), float64(d.PhaseW[1]), float64(d.PhaseW[2]))
	imbalance := "unknown"
	if !math.IsNaN(b.Imbalance) {
		imbalance = fmt.Sprintf("%.1f%%, %s", 100*b.Imbalance, b.Verdict())
	}
	fmt.Fprintf(w, "\nPhases\tL1 %s\tL2 %s\tL3 %s\timbalance %s\n", kilowatts(sim.Num(d.PhaseW[0])), kilowatts(sim.Num(d.PhaseW[1])), kilowatts(sim.Num(d.PhaseW[2])), imbalance)
}

// legLines is how many elements the table of lines lists, the fullest first.
const legLines = 12

// legTable lists the elements whose lines do not carry the same, the fullest line first.
func (a *planAnswer) legTable(w io.Writer) {
	var uneven []planNode
	for _, n := range a.Nodes {
		if n.Lines == power.ThreePhase.String() && n.LegShare.Known() && slices.Max(n.PhaseW[:])-slices.Min(n.PhaseW[:]) > evenW {
			uneven = append(uneven, n)
		}
	}
	if len(uneven) == 0 {
		return
	}
	slices.SortStableFunc(uneven, func(x, y planNode) int { return cmp.Compare(y.LegShare, x.LegShare) })
	fmt.Fprint(w, "\nLines that do not carry the same, in normal service\nelement\tL1\tL2\tL3\tneutral\tfullest line\tof its limit\twith lost\n")
	for i, n := range uneven {
		if i == legLines {
			fmt.Fprintf(w, "… and %d more; all in the JSON\n", len(uneven)-i)
			return
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", n.ID, kilowatts(sim.Num(n.PhaseW[0])), kilowatts(sim.Num(n.PhaseW[1])), kilowatts(sim.Num(n.PhaseW[2])),
			amount(n.NeutralA, "A"), n.Leg, percent(n.LegShare), n.LegLost)
	}
}

// evenW is the difference between lines, W, below which an element is counted as even: remainders of whole watts.
const evenW = 3

// lossTable prints losses, neighbours alike in one line, the first hundred lines.
func lossTable(w io.Writer, title string, list []planLoss) {
	const most = 100
	fmt.Fprintf(w, "\n%s\nlost\tstate\tracks degraded\tracks lost\tworst load\ton\tthen trips\n", title)
	alike := func(a, b planLoss) bool {
		return a.State == b.State && a.After == b.After && a.RacksDegraded == b.RacksDegraded && a.RacksLost == b.RacksLost && percent(a.WorstLoadShare) == percent(b.WorstLoadShare)
	}
	lines := 0
	for i := 0; i < len(list); {
		f, j := list[i], i+1
		for j < len(list) && alike(list[j], f) {
			j++
		}
		if lines++; lines > most {
			fmt.Fprintf(w, "… and %d more; all in the JSON\n", len(list)-i)
			return
		}
		trips := ""
		for k, id := range f.Trips {
			if k == 3 {
				trips += " …"
				break
			}
			if k > 0 {
				trips += ", "
			}
			trips += id
		}
		if trips != "" {
			trips += ": " + f.After
		}
		state := f.State
		if f.State == placement.Degraded && float64(f.DegradedTo) < 1 {
			state += " to " + percent(f.DegradedTo)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\t%s\n", span(f.Lost, list[j-1].Lost, j-i), state, f.RacksDegraded, f.RacksLost, percent(f.WorstLoadShare), f.Worst, trips)
		i = j
	}
}

func (d *planDetail) serviceTable(w io.Writer) {
	if len(d.Upgrades) > 0 {
		fmt.Fprint(w, "\nUpgrades, the cheapest that admit enough first\nchange\tadmits\tadds\tabout\n")
		for _, u := range d.Upgrades {
			cost := "unknown"
			if u.CostUSD.Known() {
				cost = fmt.Sprintf("%.3g kUS$", float64(u.CostUSD)/1000)
			}
			fmt.Fprintf(w, "%s\t%d servers\t%.4g kW\t%s\n", u.Change, u.Admits, u.AddedKW, cost)
		}
	}
	if len(d.Maintenance) == 0 {
		return
	}
	fmt.Fprint(w, "\nOut for service\nout\tat work\tstate\tworst loss meanwhile\tstate then\tracks down\n")
	for _, s := range d.Maintenance {
		at := "yes"
		if !s.Concurrent {
			at = "NO"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\n", s.Out, at, s.State, s.ThenLost, s.ThenState, s.RacksDown)
	}
}

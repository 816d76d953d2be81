package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"headroom/facility"
	"headroom/facility/placement"
	"headroom/sim"
)

// planAnswer is what `plan --format json` prints: the keys of result.json that a placement knows, and more of it.
type planAnswer struct {
	FormatVersion int          `json:"format_version"`
	Run           planRun      `json:"run"`
	Capacity      sim.Capacity `json:"capacity"`
	Claims        []planClaim  `json:"claims"`
	Nodes         []planNode   `json:"nodes"`
	DesignDay     planDesign   `json:"design_day"`
	Racks         []planRack   `json:"racks"`
	Actions       []sim.Action `json:"actions"`
	planDetail
}

type planRun struct {
	ID       string   `json:"id"`
	Scenario string   `json:"scenario"`
	Variant  string   `json:"variant"`
	Version  string   `json:"version"`
	Basis    string   `json:"basis"`
	Warnings []string `json:"warnings"`
}

type planClaim struct {
	Where string `json:"where"`
	Claim string `json:"claim"`
	Holds bool   `json:"holds"`
	Why   string `json:"why"`
}

// planNode is a power node's plan-basis demand in normal service.
type planNode struct {
	ID         string  `json:"id"`
	Kind       string  `json:"kind"`
	Element    string  `json:"element"`
	DemandW    int64   `json:"demand_w"`
	CapacityW  int64   `json:"capacity_w"`
	LoadShare  sim.Num `json:"load_share"`
	WorstW     int64   `json:"worst_w"`
	WorstShare sim.Num `json:"worst_share"`
	WorstLost  string  `json:"worst_lost"`

	Lines    string   `json:"lines"`     // that it lies on: "three-phase", "L1", "L1-L2" …
	PhaseW   [3]int64 `json:"phase_w"`   // demand_w by line
	NeutralA sim.Num  `json:"neutral_a"` // in normal service, without harmonics
	LegShare sim.Num  `json:"leg_share"` // the fullest line over what it may carry, in the worst claimed loss
	Leg      string   `json:"leg"`       // that line
	LegLost  string   `json:"leg_lost"`  // that loss, "" for normal service
}

// planDesign is the electrical demand of what is not IT at the design day.
type planDesign struct {
	DryBulbC   sim.Num    `json:"dry_bulb_c"`
	WetBulbC   sim.Num    `json:"wet_bulb_c"`
	Mechanical []planLoad `json:"mechanical"`
}

type planLoad struct {
	Name string `json:"name"`
	W    int64  `json:"w"`
}

// planRack is one rack's fit. Limits that the scenario does not state are null.
type planRack struct {
	Rack      string        `json:"rack"`
	Servers   int           `json:"servers"`
	UsedW     int64         `json:"used_w"`
	FreeW     *int64        `json:"free_w"`
	AirW      int64         `json:"air_w"`
	LiquidW   int64         `json:"liquid_w"`
	UsedU     int           `json:"used_u"`
	FreeU     int           `json:"free_u"`
	WeightKg  sim.Num       `json:"weight_kg"`
	PhaseW    [3]int64      `json:"phase_w"`
	FeedShare sim.Num       `json:"feed_share"`
	Binding   string        `json:"binding"`
	Ties      []string      `json:"ties"` // limits that stop the next server as soon as that one
	Next      []planRefusal `json:"next"`
}

// planRefusal is one limit that refuses the next server.
type planRefusal struct {
	Limit string  `json:"limit"`
	Where string  `json:"where"`
	Need  sim.Num `json:"need"`
	Free  sim.Num `json:"free"`
	Short sim.Num `json:"short"`
	Unit  string  `json:"unit"`
}

func newPlanAnswer(r *sim.Result) planAnswer {
	l := r.Layout
	a := planAnswer{
		FormatVersion: r.FormatVersion, Capacity: r.Capacity,
		Run:    planRun{r.Run.ID, r.Run.Scenario, r.Run.Variant, r.Run.Version, r.Run.Basis, r.Run.Warnings},
		Claims: []planClaim{}, Nodes: []planNode{}, Racks: []planRack{},
		Actions: append([]sim.Action{}, r.Actions...),
		DesignDay: planDesign{
			DryBulbC:   sim.Num(l.Facility.Design.DryBulbC),
			WetBulbC:   sim.Num(l.Facility.Design.WetBulbC),
			Mechanical: []planLoad{},
		},
	}
	for _, c := range l.Claims {
		a.Claims = append(a.Claims, planClaim(c))
	}
	if g := l.Facility.Power; g != nil {
		for i, w := range l.DemandW {
			n := planNode{ID: g.Nodes[i].ID, Kind: g.Nodes[i].Kind.String(), Element: g.Nodes[i].Element, DemandW: w}
			if i < len(l.Loads) {
				x := l.Loads[i]
				n.Lines, n.PhaseW, n.NeutralA, n.LegShare, n.LegLost = g.Nodes[i].Lines.String(), x.PhaseW, sim.Num(x.NeutralA), sim.Num(x.LegShare), x.LegLost
				if n.LegShare.Known() {
					n.Leg = fmt.Sprintf("L%d", x.Leg+1)
				}
				n.CapacityW, n.LoadShare, n.WorstW, n.WorstShare, n.WorstLost = x.CapacityW, sim.Num(x.NormalShare), x.WorstW, sim.Num(x.WorstShare), x.WorstLost
			}
			a.Nodes = append(a.Nodes, n)
		}
	}
	for _, m := range l.Facility.Mechanical {
		a.DesignDay.Mechanical = append(a.DesignDay.Mechanical, planLoad{m.Name, m.W})
	}
	a.planDetail = newPlanDetail(l)
	for _, f := range l.Racks {
		a.Racks = append(a.Racks, newPlanRack(l, f))
	}
	return a
}

func newPlanRack(l *placement.Layout, f placement.RackFit) planRack {
	p := planRack{
		Rack: l.Facility.Racks[f.Rack].ID, Servers: f.Servers,
		UsedW: f.UsedW, AirW: f.AirW, LiquidW: f.LiquidW, UsedU: f.UsedU, FreeU: f.FreeU,
		WeightKg: sim.Num(f.WeightKg), PhaseW: f.PhaseW, FeedShare: sim.Num(f.FeedShare),
		Binding: string(f.Binding), Ties: []string{}, Next: []planRefusal{},
	}
	for _, l := range f.Ties {
		p.Ties = append(p.Ties, string(l))
	}
	if f.FreeW != facility.NoLimit {
		p.FreeW = &f.FreeW
	}
	for _, n := range f.Next {
		p.Next = append(p.Next, planRefusal{string(n.Limit), n.Where, sim.Num(n.Need), sim.Num(n.Free), sim.Num(n.Short), n.Unit})
	}
	return p
}

// printPlan writes the plan to stdout.
func printPlan(t *terminal, a planAnswer, format string) error {
	switch format {
	case "json":
		return printJSON(t.stdout, a)
	case "csv":
		return planCSV(t.stdout, a)
	}
	return planTable(t.screen(), a)
}

// planCSV is one line a rack.
func planCSV(w io.Writer, a planAnswer) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{
		"rack", "servers", "used_w", "free_w", "air_w", "liquid_w", "used_u", "free_u", "weight_kg",
		"l1_w", "l2_w", "l3_w", "feed_share", "binding", "where", "short", "unit",
	})
	for _, k := range a.Racks {
		freeW := ""
		if k.FreeW != nil {
			freeW = strconv.FormatInt(*k.FreeW, 10)
		}
		row := []string{
			k.Rack, strconv.Itoa(k.Servers), strconv.FormatInt(k.UsedW, 10), freeW, strconv.FormatInt(k.AirW, 10),
			strconv.FormatInt(k.LiquidW, 10), strconv.Itoa(k.UsedU), strconv.Itoa(k.FreeU), figure(k.WeightKg, "g", -1),
			strconv.FormatInt(k.PhaseW[0], 10), strconv.FormatInt(k.PhaseW[1], 10), strconv.FormatInt(k.PhaseW[2], 10),
			figure(k.FeedShare, "g", -1), k.Binding, "", "", "",
		}
		if n := k.first(); n != nil {
			row[14], row[15], row[16] = n.Where, figure(n.Short, "g", -1), n.Unit
		}
		_ = c.Write(row)
	}
	c.Flush()
	return c.Error()
}

// first is the refusal of the binding limit, nil if there is none.
func (k *planRack) first() *planRefusal {
	for i := range k.Next {
		if k.Next[i].Limit == k.Binding {
			return &k.Next[i]
		}
	}
	return nil
}

// figure prints a number, "" when it is unknown.
func figure(n sim.Num, verb string, digits int) string {
	if !n.Known() {
		return ""
	}
	return strconv.FormatFloat(float64(n), verb[0], digits, 64)
}

// bindingLines is how many limits the table lists.
const bindingLines = 20

func planTable(w io.Writer, a planAnswer) error {
	tw := newTabs(w)
	c := a.Capacity
	title := a.Run.Scenario
	if a.Run.Variant != "" {
		title += ", variant " + a.Run.Variant
	}
	fmt.Fprintf(tw, "%s\n\nplaced\t%d servers, %d GPUs, in %d racks\n", title, c.ServersPlaced, c.GPUsPlaced, c.RacksUsed)
	fmt.Fprintf(tw, "asked for\t%d; no placement holds more than %d\n", c.ServersRequested, c.ServersBound)
	fmt.Fprintf(tw, "basis\t%s\n", a.basisLine())
	fmt.Fprintf(tw, "stranded\t%s power, %s air cooling, %s liquid cooling, %s\n",
		kilowatts(c.Stranded.PowerW), kilowatts(c.Stranded.AirW), kilowatts(c.Stranded.LiquidW), amount(c.Stranded.SpaceU, "U"))

	fmt.Fprint(tw, "\nWhat stops the next server\nlimit\twhere\tracks\tshort by\n")
	for i, b := range c.Binding {
		if i == bindingLines {
			fmt.Fprintf(tw, "… and %d more; all in the JSON\n", len(c.Binding)-i)
			break
		}
		limit := b.Limit
		if b.Also != "" {
			limit += " and " + b.Also
		}
		fmt.Fprintf(tw, "%s\t%s\t%d\t%s\n", limit, b.Where, b.Racks, amount(b.Short, b.Unit))
	}
	fmt.Fprint(tw, "\nRacks\nracks\tservers\tused\tfree\tU used\tU free\tfeed share\tbound by\tshort by\n")
	for i := 0; i < len(a.Racks); {
		j := i + 1
		for j < len(a.Racks) && sameFit(a.Racks[i], a.Racks[j]) {
			j++
		}
		k := a.Racks[i]
		free, short := "no limit", ""
		if k.FreeW != nil {
			free = kilowatts(sim.Num(*k.FreeW))
		}
		if n := k.first(); n != nil {
			short = amount(n.Short, n.Unit)
		}
		fmt.Fprintf(tw, "%s\t%d\t%s\t%s\t%d\t%d\t%s\t%s\t%s\n", span(k.Rack, a.Racks[j-1].Rack, j-i), k.Servers,
			kilowatts(sim.Num(k.UsedW)), free, k.UsedU, k.FreeU, percent(k.FeedShare), strings.Join(append([]string{k.Binding}, k.Ties...), " and "), short)
		i = j
	}
	a.linesTable(tw)
	a.waterfallTable(tw)
	a.phaseTable(tw)
	a.legTable(tw)
	if len(a.Actions) > 0 {
		fmt.Fprint(tw, "\nWhat to change\nchange\tadmits\tgain\n")
		for _, x := range a.Actions {
			fmt.Fprintf(tw, "%s\t%d servers\t%s\n", x.Change, x.Admits, amount(x.Gain, x.Unit))
		}
	}
	if len(c.Failover) > 0 {
		lossTable(tw, "After one loss", a.Losses)
		a.fateTable(tw)
	}
	if len(a.Pairs) > 0 {
		lossTable(tw, "After two losses together, the worst first", a.Pairs)
	}
	a.serviceTable(tw)
	if len(a.Claims) > 0 {
		fmt.Fprint(tw, "\nRedundancy claimed\nwhere\tclaim\tholds\twhy\n")
		for _, k := range a.Claims {
			holds := "yes"
			if !k.Holds {
				holds = "NO"
			}
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", k.Where, k.Claim, holds, k.Why)
		}
	}
	if d := a.DesignDay; len(d.Mechanical) > 0 {
		fmt.Fprintf(tw, "\nDesign day, %s dry bulb, %s wet bulb\nload\tdemand\n", amount(d.DryBulbC, "°C"), amount(d.WetBulbC, "°C"))
		for _, m := range d.Mechanical {
			fmt.Fprintf(tw, "%s\t%s\n", m.Name, kilowatts(sim.Num(m.W)))
		}
	}
	return tw.Flush()
}

// sameFit says whether two racks give the same answer but for their names.
func sameFit(a, b planRack) bool {
	for _, k := range []*planRack{&a, &b} {
		k.Rack, k.WeightKg = "", 0
		if math.IsNaN(float64(k.FeedShare)) {
			k.FeedShare = -1 // NaN differs from itself
		}
		next := append([]planRefusal{}, k.Next...)
		for i := range next {
			next[i].Where = ""
		}
		k.Next = next
	}
	return reflect.DeepEqual(a, b)
}

// span names n neighbours that share a line.
func span(first, last string, n int) string {
	if n == 1 {
		return first
	}
	return fmt.Sprintf("%s – %s (%d)", first, last, n)
}

func kilowatts(w sim.Num) string {
	if !w.Known() {
		return "unknown"
	}
	return strconv.FormatFloat(float64(w)/1000, 'f', 1, 64) + " kW"
}

// amount prints a number with its unit, watts as kilowatts.
func amount(n sim.Num, unit string) string {
	switch {
	case !n.Known():
		return "unknown"
	case unit == "W":
		return kilowatts(n)
	case unit == "VA":
		return strings.Replace(kilowatts(n), "kW", "kVA", 1)
	}
	return strconv.FormatFloat(float64(n), 'g', 4, 64) + " " + unit
}

func percent(n sim.Num) string {
	if !n.Known() {
		return "–"
	}
	return strconv.FormatFloat(100*float64(n), 'f', 0, 64) + "%"
}

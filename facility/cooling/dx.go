package cooling

import (
	"errors"
	"fmt"
)

// DXParams describe direct-expansion room units. Zero values take the default in brackets. The rooms they
// serve are Direct: SupplyC is supply air.
type DXParams struct {
	Spec
	// Carnot is the share of the Carnot COP between evaporation and condensation that the compressors reach
	// [0.45; 0.45 to 0.65 in a public site-footprint parameter file (Adekunle)].
	Carnot            float64
	EvaporationK      float64 // evaporation below supply air [12 K, assumed]
	CondensationK     float64 // condensation above outdoor air [15 K, assumed]
	CondensationMinC  float64 // head pressure control holds condensation at or above it [35 °C, assumed]
	DesignC           float64 // outdoor dry bulb at which CapacityW holds [35 °C]
	CapacityLossPerK  float64 // capacity lost per kelvin above DesignC [0.012, from the 148 kW CRAC of the EnergyPlus examples between 35 and 46 °C]
	CondenserFanWPerW float64 // per W of heat rejected [0.02, assumed]
	LeastShare        float64 // load share below which one unit's compressor cycles [0.25, assumed: digital or variable-speed scrolls]
	// Cycling has least times of 180 s and a loss of 25 s at each start by default; the air has no mass in it.
	Cycling CyclingParams
}

// Starts and stops of a room unit's compressor: the usual guard against short cycling (assumed), and the loss with which
// half of the least load takes the 14 % of EN 14825's default C_d of 0.25 for units that cool air (recalled).
const (
	dxMinRunS = 180.0
	dxStartS  = 25.0
)

// DX is a plant of direct-expansion room units: COP as a share of Carnot's between evaporation and
// condensation, capped at MaxCOP, and a capacity that falls above the design temperature.
type DX struct{ params DXParams }

// minTemperatureC keeps absolute temperatures in COPs well above 0 K.
const minTemperatureC = -100.0

// NewDX makes the plant; its error lists everything that is wrong with the parameters.
func NewDX(p DXParams) (*DX, error) {
	errs := checkSpec(&p.Spec)
	setDefault(&p.Carnot, 0.45)
	setDefault(&p.EvaporationK, 12)
	setDefault(&p.CondensationK, 15)
	setDefault(&p.CondensationMinC, 35)
	setDefault(&p.DesignC, 35)
	setDefault(&p.CapacityLossPerK, 0.012)
	setDefault(&p.CondenserFanWPerW, 0.02)
	setDefault(&p.LeastShare, 0.25)
	p.Cycling.setDefaults(dxMinRunS, dxStartS)
	errs = positive(&p.Spec, errs,
		param{"share of Carnot's COP", p.Carnot},
		param{"evaporation below supply (K)", p.EvaporationK},
		param{"condensation above outdoor air (K)", p.CondensationK},
		param{"capacity lost per K", p.CapacityLossPerK},
		param{"condenser fan power (W/W)", p.CondenserFanWPerW},
		param{"least load share", p.LeastShare},
	)
	errs = positive(&p.Spec, errs, p.Cycling.params()...)
	if p.Carnot > 1 || p.LeastShare > 1 {
		errs = append(errs, fmt.Errorf("plant %q: share of Carnot's COP %v and least load share %v must be at most 1", p.Name, p.Carnot, p.LeastShare))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return &DX{p}, nil
}

// Spec returns what every plant has.
func (d *DX) Spec() Spec { return d.params.Spec }

// Solve gives where the plant settles under a load; when the units fall short the supply air warms by 1 % of
// rated capacity per kelvin at least.
func (d *DX) Solve(l Load) PlantPoint {
	p := &d.params
	l.Units = p.running(l.Units)
	if l.Units <= 0 {
		return still(l)
	}
	heatW := max(l.HeatW, 0)
	unitsW := float64(l.Units) * p.CapacityW
	share := max(1-p.CapacityLossPerK*max(l.Out.DryBulbC-p.DesignC, 0), minCapacityShare)
	pt := PlantPoint{CapacityW: unitsW * share}
	pt.SupplyC, pt.WPerK, pt.Held = settle(l, &p.Spec, heatW, pt.CapacityW, unitsW*dxCapacityPerK)
	evaporationC := max(l.SetC-p.EvaporationK, minTemperatureC)
	condensationC := max(l.Out.DryBulbC+p.CondensationK, p.CondensationMinC)
	cop := min(p.Carnot*carnot(evaporationC, condensationC), MaxCOP)
	duty := min(heatW, pt.CapacityW)
	var starts float64
	pt.StartsPerS, _, starts = p.Cycling.cycle(duty, min(duty/(p.LeastShare*p.CapacityW*share), 1), 0)
	pt.CompressorW = duty / cop * starts
	pt.RejectionW = p.CondenserFanWPerW * (duty + pt.CompressorW)
	return pt
}

// dxCapacityPerK is what a DX unit gains per kelvin of warmer return, as a share of its rating. Assumed, from
// the wet-bulb columns of the same CRAC: 17.0 to 19.4 °C at 35 °C outdoors gives 6 %.
const dxCapacityPerK = 0.02

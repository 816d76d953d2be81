package placement

import "math"

// AloneLimit is what one of the racks' own limits would admit if it were the only one.
type AloneLimit struct {
	Limit   Limit
	Servers int // of the first ordered model, with what stands in the racks of other models
	Racks   int // that state the limit
}

// alone sums over the racks what each of their own limits admits, the others aside: no limit here is cut short by
// another. Limits that racks share are left out: a sum over racks would count their room many times.
func (s *site) alone(model int) []AloneLimit {
	var out []AloneLimit
	for limit := range localLimits {
		a := AloneLimit{Limit: localName[limit]}
		for i := range s.racks {
			if k := s.localAdmits(i, model, limit); k != math.MaxInt {
				a.Servers += s.racks[i].count[model] + k
				a.Racks++
			}
		}
		if a.Racks > 0 {
			out = append(out, a)
		}
	}
	return out
}

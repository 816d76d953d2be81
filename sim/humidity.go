package sim

import (
	"headroom/facility/cooling"
)

// humidities are the rooms whose humidity is held; what they do changes with the weather's hour.
type humidities struct {
	con   []int // consumer in the power flow, by room; −1: not modelled
	point []cooling.HumidityPoint
	any   bool
}

func (h *humidities) init(rooms []cooling.Room, add func(name string, fed []int, it bool, pf float64) int) {
	h.con, h.point = make([]int, len(rooms)), make([]cooling.HumidityPoint, len(rooms))
	for i := range rooms {
		h.con[i] = -1
		if rooms[i].Humidity != nil {
			h.con[i], h.any = add(rooms[i].Name+" humidity", rooms[i].Fed, false, 1), true
		}
	}
}

// weather takes the hour's outdoor air.
func (h *humidities) weather(e *engine) {
	for i, con := range h.con {
		if con >= 0 {
			h.point[i] = e.fac.Cooling.Rooms[i].Humidity.Solve(e.b.out, e.b.airPa)
			e.b.flow.Set(con, h.point[i].PowerW)
		}
	}
}

// now is what humidity control of a room does: nothing without a live feed.
func (h *humidities) now(b *building, room int) cooling.HumidityPoint {
	if con := h.con[room]; con >= 0 && b.flow.Served(con) {
		return h.point[room]
	}
	return cooling.HumidityPoint{}
}

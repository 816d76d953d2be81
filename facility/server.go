package facility

import (
	"math"

	"headroom/facility/units"
)

// Model is a server as the physics needs it: catalogue figures as plain numbers in base units.
//
// Power at the cord: P_wall = (BoardW + FanW·s^FanExponent + (VRM + HostPerW)·ΣP_gpu) / η(load), s the
// airflow share (1 = rated airflow). GPU power: P = FloorW + leak(T) + u·DynW·f^Alpha, with
// leak(T) = LeakW·exp(LeakPerK·(T − 65 °C)), u the activity and f the clock share; at u = f = 1 and 65 °C it is TDPW.
// Die temperature: T = T_in + (R0 + RFlow·s^RExponent)·P, for the mean slot; WorstSlot scales it for the worst.
type Model struct {
	Name, Title string
	Liquid      bool // GPUs sit on cold plates
	RackSystem  bool // comes as a whole rack: HeightU is that rack's, and nothing stands beside it
	GPU         string
	GPUs        int
	HeightU     int
	WeightKg    float64 // NaN unknown
	NameplateW  int64
	SustainedW  int64   // all GPUs at TDP, 25 °C inlet, rounded up
	PlanW       int64   // what placement counts, from the plan basis and any cap
	PlanFrom    string  // what PlanW was taken from where it is not the nameplate, "" else
	PlanLiquidW int64   // of PlanW, into liquid, rounded up
	PlanAirW    int64   // of PlanW, into air, rounded up
	ServerCapW  float64 // cap at the cord, +Inf for none
	GPUCapW     float64 // cap on each GPU, +Inf for none (TDPW always holds)

	BoardW      float64
	FanW        float64 // at rated airflow
	FanExponent float64
	FanMin      float64 // lowest airflow share
	FanMax      float64 // highest airflow share the fans can reach
	AirflowM3s  float64 // rated, at s = 1
	VRM         float64 // DC watts per watt of GPU power: conversion beyond the GPU's own meter
	HostPerW    float64 // DC watts of CPUs, memory and network that rise with each watt of GPU power
	PF          float64 // power factor loaded

	PSUs       int
	PSUNeeded  int       // fewer than this and ShortRule applies
	PSURatingW float64   // output watts of one
	PSULoad    []float64 // load shares, ascending
	PSUEff     []float64 // efficiencies at PSULoad
	ShortRule  string    // "off", "degraded": what the server does with too few PSUs
	ShortCap   float64   // share of nameplate it may draw while degraded

	LiquidShare float64 // of wall power, into liquid
	FlowLPM     float64 // coolant at rated flow, 0 for air
	InletMinC   float64
	InletMaxC   float64 // air inlet range the maker allows
	CoolantMaxC float64 // NaN for air

	TDPW, IdleW, IdleC   float64
	FloorW, DynW         float64 // derived, see Resolve
	LeakW, LeakPerK      float64 // at 65 °C, and per K
	Alpha                float64
	ClockMin             float64 // lowest clock share
	CapMinW              float64 // lowest power cap the GPU takes
	LimitC, SlowC, ShutC float64 // software limit, hardware slowdown, shutdown
	R0, RFlow, RExponent float64 // K/W
	WorstSlot            float64 // resistance of the worst slot over the mean one
	MemLimitC            float64 // memory throttles above it, NaN unknown
	AirTripC             float64 // air inlet at which memory, network cards and supplies stop the server
	GPUHeatJPerK         float64 // die with heat sink or cold plate
	TargetC              float64 // fans hold the worst slot at or below this while they can
	PeakTFLOPS           float64 // dense BF16 (FP16 where there is no BF16) of one GPU
	MemoryGB             float64
}

// Resolve fills what follows from the other figures.
func (m *Model) Resolve() {
	m.FloorW = m.IdleW - m.LeakAt(m.IdleC)
	if m.FloorW < 0 {
		m.FloorW = 0
	}
	m.DynW = m.TDPW - m.FloorW - m.LeakW
	m.SustainedW = units.CeilW(m.WallW(float64(m.GPUs)*m.TDPW, m.FanShare(m.TDPW, ratingInletC)))
}

// LeakAt returns the leakage of one GPU at a die temperature.
func (m *Model) LeakAt(dieC float64) float64 {
	return m.LeakW * math.Exp(m.LeakPerK*(dieC-65))
}

// GPUW returns the power of one GPU at activity u, clock share f and die temperature.
func (m *Model) GPUW(u, f, dieC float64) float64 {
	return m.FloorW + m.LeakAt(dieC) + u*m.DynW*math.Pow(f, m.Alpha)
}

// Resistance returns the mean slot's K/W at airflow (or coolant flow) share s.
func (m *Model) Resistance(s float64) float64 {
	return m.R0 + m.RFlow*math.Pow(s, m.RExponent)
}

// FanShare returns the airflow share at which the worst slot sits at TargetC, within the fans' range.
func (m *Model) FanShare(gpuW, inletC float64) float64 {
	if m.Liquid || gpuW <= 0 {
		return m.FanMin
	}
	need := (m.TargetC - inletC) / (gpuW * m.WorstSlot)
	if need <= m.R0 {
		return m.FanMax
	}
	return math.Min(m.FanMax, math.Max(m.FanMin, math.Pow((need-m.R0)/m.RFlow, 1/m.RExponent)))
}

// Efficiency returns the efficiency of the supplies at a DC output, shared by n of them.
func (m *Model) Efficiency(dcW float64, n int) float64 {
	x := dcW / (float64(n) * m.PSURatingW)
	l, e := m.PSULoad, m.PSUEff
	if x <= l[0] { // constant loss below the first point
		lossShare := l[0] * (1/e[0] - 1)
		if x <= 0 {
			return e[0]
		}
		return x / (x + lossShare)
	}
	for i := 1; i < len(l); i++ {
		if x <= l[i] {
			return e[i-1] + (e[i]-e[i-1])*(x-l[i-1])/(l[i]-l[i-1])
		}
	}
	return e[len(e)-1]
}

// WallW returns the power at the cord for the sum of GPU powers and an airflow share.
func (m *Model) WallW(gpuSumW, s float64) float64 {
	dc := m.BoardW + m.FanPowerW(s) + m.DCPerGPUW()*gpuSumW
	return dc / m.Efficiency(dc, m.PSUs)
}

// DCPerGPUW returns the watts of DC output that each watt of GPU power asks for.
func (m *Model) DCPerGPUW() float64 { return m.VRM + m.HostPerW }

// FanPowerW returns the electrical power of the server's fans at airflow share s.
func (m *Model) FanPowerW(s float64) float64 {
	if m.FanW == 0 {
		return 0
	}
	return m.FanW * math.Pow(s, m.FanExponent)
}

// WorkRate returns the rate of work at clock share f for a memory-bound share m:
// 1/(m + (1−m)/f). 1 at full clock, 0 at a stopped clock unless all of it is memory-bound.
func WorkRate(memoryBound, f float64) float64 {
	if f <= 0 {
		return 0
	}
	return 1 / (memoryBound + (1-memoryBound)/f)
}

// ClockFor returns the clock share at which the dynamic part of a GPU's power, full at fullW, is dynW:
// within [ClockMin, 1].
func (m *Model) ClockFor(dynW, fullW float64) float64 {
	if dynW >= fullW {
		return 1
	}
	if dynW <= 0 {
		return m.ClockMin
	}
	return math.Max(m.ClockMin, math.Pow(dynW/fullW, 1/m.Alpha))
}

// Memory sits beside the die: T_mem = T_in + MemOffsetK + MemCoupling·(T_die − T_in). Line through the 10th,
// 60th and 90th percentile of die and memory temperature of air-cooled A100 (AcmeTrace, August 2023; 28 and
// 43 °C, 44 and 54 °C, 61 and 64 °C) at an inlet taken as 22 °C.
const (
	MemOffsetK  = 17
	MemCoupling = 0.64
)

// DieLimitC returns the die temperature at which the GPU throttles with air or coolant at refC: its own
// software limit, or where its memory reaches the memory's limit. Cold plates, whose memory nobody has
// published, throttle by the die alone.
func (m *Model) DieLimitC(refC float64) float64 {
	mem := refC + (m.MemLimitC-refC-MemOffsetK)/MemCoupling
	if !m.Liquid && mem < m.LimitC { // false while the memory's limit is unknown
		return mem
	}
	return m.LimitC
}

// DefaultAirTripC is the air inlet at which a server's air-cooled parts stop it where its maker says nothing.
// Calibrated together with a room's capacities and coupling on a test room without cooling (Opengate Data
// Systems: 5 kW racks shut down after 3 min 9 s, 10 kW racks in under a minute); makers' own shutdown points
// lie around 45–50 °C (assumed).
const DefaultAirTripC = 47

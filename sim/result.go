package sim

import (
	"headroom/facility/placement"
	"headroom/sim/metrics"
)

// FormatVersion is the version of result.json.
const FormatVersion = 1

// ModelVersion changes when the same input gives other numbers; it is part of a run's id.
const ModelVersion = "2026.12-5"

// Num is a figure that may be unknown.
type Num = metrics.Num

// Result is what one run answers. Text, JSON, CSV and charts all read it and nothing else.
type Result struct {
	FormatVersion int      `json:"format_version"`
	Run           RunInfo  `json:"run"`
	Capacity      Capacity `json:"capacity"`
	Energy        Energy   `json:"energy"`
	Compute       Compute  `json:"compute"`
	Thermal       Thermal  `json:"thermal"`
	Jobs          Jobs     `json:"jobs"`
	Actions       []Action `json:"actions"`
	// Incidents are what stopped servers; null where nothing was simulated.
	Incidents *Incidents `json:"incidents"`
	Money     *Account   `json:"money"` // null where no price is stated
	// Intervals are 95 % intervals of headline figures over the time of this run, by batch means.
	Intervals []Interval `json:"intervals"`
	// Power is how power was spread over time, of the facility, its IT and every row of racks; null where nothing was
	// simulated.
	Power []PowerSpread `json:"power"`
	// Ride is what is left of time when cooling is lost; null where nobody asked.
	Ride *RideThrough `json:"ride_through"`

	Layout *placement.Layout `json:"-"`
	Air    AirClass          `json:"-"` // inlet range that hours are counted against
	Series *Series           `json:"-"`
	Events []LogEntry        `json:"-"`
	Racks  []RackResult      `json:"-"`
}

// RunInfo says what was run.
type RunInfo struct {
	ID             string           `json:"id"`
	Scenario       string           `json:"scenario"`
	Variant        string           `json:"variant"`
	Seed           uint64           `json:"seed"`
	Version        string           `json:"version"`
	Start          string           `json:"start"` // local time, 2006-01-02T15:04:05
	LengthS        float64          `json:"length_s"`
	WarmupS        float64          `json:"warmup_s"`
	Events         int64            `json:"events"`
	Approximations map[string]int64 `json:"approximations"`
	Extrapolations []Extrapolation  `json:"extrapolations"`
	Warnings       []string         `json:"warnings"`
	Basis          string           `json:"basis"`
	Coverage       Num              `json:"coverage"` // share of weather hours that were really there
	Weather        string           `json:"weather"`
}

// Extrapolation counts evaluations of one curve outside its range.
type Extrapolation struct {
	Curve string `json:"curve"`
	Count int64  `json:"count"`
}

// Capacity is the placement's answer.
type Capacity struct {
	ServersRequested int        `json:"servers_requested"`
	ServersPlaced    int        `json:"servers_placed"`
	ServersBound     int        `json:"servers_bound"`
	GPUsPlaced       int        `json:"gpus_placed"`
	RacksUsed        int        `json:"racks_used"`
	Binding          []Binding  `json:"binding"`
	Stranded         Stranded   `json:"stranded"`
	Failover         []Failover `json:"failover"`
}

// Binding is one limit that stops the next server.
type Binding struct {
	Limit string `json:"limit"`
	Also  string `json:"also"` // limits that tie with it, by commas
	Where string `json:"where"`
	Racks int    `json:"racks"`
	Short Num    `json:"short"`
	Unit  string `json:"unit"`
}

// Stranded is capacity that no server can use.
type Stranded struct {
	PowerW  Num `json:"power_w"`
	AirW    Num `json:"air_w"`
	LiquidW Num `json:"liquid_w"`
	SpaceU  Num `json:"space_u"`
}

// Failover is what is left after one loss.
type Failover struct {
	Lost           string `json:"lost"`
	State          string `json:"state"`
	WorstLoadShare Num    `json:"worst_load_share"`
	// Racks are those that are not normal then, once overloaded survivors have tripped; neighbours alike in one span.
	Racks []FailoverRacks `json:"racks"`
}

// FailoverRacks is neighbouring racks that fare alike after a loss.
type FailoverRacks struct {
	First string `json:"first"`
	Last  string `json:"last"`
	Count int    `json:"count"`
	State string `json:"state"`
	Share Num    `json:"share"` // of the plan basis that they are left with
}

// Energy is where the kilowatt-hours went. The parts add up to facility_kwh.
type Energy struct {
	FacilityKWh         Num `json:"facility_kwh"`
	ITKWh               Num `json:"it_kwh"`
	UPSLossKWh          Num `json:"ups_loss_kwh"`
	TransformerLossKWh  Num `json:"transformer_loss_kwh"`
	DistributionLossKWh Num `json:"distribution_loss_kwh"`
	RoomFansKWh         Num `json:"room_fans_kwh"`
	PumpsKWh            Num `json:"pumps_kwh"`
	ChillersKWh         Num `json:"chillers_kwh"`
	HeatRejectionKWh    Num `json:"heat_rejection_kwh"`
	HumidificationKWh   Num `json:"humidification_kwh"`
	OtherKWh            Num `json:"other_kwh"`
	ServerFansKWh       Num `json:"server_fans_kwh"`
	ComputeKWh          Num `json:"compute_kwh"`
	PeakFacilityW       Num `json:"peak_facility_w"`
	PeakITW             Num `json:"peak_it_w"`
	// PeakITSwingW is the peak with the swings of synchronous steps on top, as a breaker or a cap sees it.
	PeakITSwingW Num     `json:"peak_it_swing_w"`
	PUE          Num     `json:"pue"`
	PUECategory  string  `json:"pue_category"`
	PUE1         Num     `json:"pue1"`
	PUE2         Num     `json:"pue2"`
	PUE3         Num     `json:"pue3"`
	TUE          Num     `json:"tue"`
	WUE          Num     `json:"wue_l_per_kwh"`
	CUE          Num     `json:"cue_kg_per_kwh"`
	WaterL       Num     `json:"water_l"`
	Cost         []Money `json:"cost"` // bills of the run, by currency
	// PUEName is the headline's name by period: "PUE3" over twelve months, "iPUE3" (interim) over less.
	PUEName   string `json:"pue_name"`
	DesignPUE Num    `json:"design_pue"` // of the placed servers at the basis of the plan on the design day
	ITUE      Num    `json:"itue"`
	CarbonKg  Num    `json:"carbon_kg"`
	// The parts of the water.
	EvaporationL Num `json:"evaporation_l"`
	BlowdownL    Num `json:"blowdown_l"`
	DriftL       Num `json:"drift_l"`
	// Hours with all heat taken without compressors, with a part, with none (under 1 %).
	FreeCoolingH       Num       `json:"free_cooling_h"`
	PartialCoolingH    Num       `json:"partial_cooling_h"`
	MechanicalCoolingH Num       `json:"mechanical_cooling_h"`
	PartialPUE         []ZonePUE `json:"ppue"`
	// Zones are the rooms' air and the coolant loops, and rooms as wholes where there are several.
	Zones []ZoneEnergy `json:"zones"`
}

// ZonePUE is (IT + a zone)/IT.
type ZonePUE struct {
	Zone string `json:"zone"`
	PPUE Num    `json:"ppue"`
}

// Money is an amount in one currency.
type Money struct {
	Currency string `json:"currency"`
	Amount   Num    `json:"amount"`
}

// Compute is the work that was done.
type Compute struct {
	GPUHoursAvailable Num               `json:"gpu_hours_available"`
	GPUHoursAllocated Num               `json:"gpu_hours_allocated"`
	GPUHoursBusy      Num               `json:"gpu_hours_busy"`
	GPUHoursEffective Num               `json:"gpu_hours_effective"`
	Utilization       Num               `json:"utilization"` // busy over available
	ThroughputPFLOPS  Num               `json:"throughput_pflops"`
	ThroughputRatio   Num               `json:"throughput_ratio"`
	Tokens            Num               `json:"tokens"` // trained and served, of the classes that name a model
	TokensServed      Num               `json:"tokens_served"`
	TokensPerKWh      Num               `json:"tokens_per_kwh"` // of facility energy
	TokensPerMoney    []Money           `json:"tokens_per_money"`
	SLAAttainment     Num               `json:"sla_attainment"` // tokens served within the goals over tokens asked for
	Models            []ModelThroughput `json:"models"`
	Services          []ServiceResult   `json:"services"` // those that follow their load or serve requests one by one
	LostGPUHours      Lost              `json:"lost_gpu_hours"`
}

// Lost splits lost GPU-hours by cause.
type Lost struct {
	Thermal  Num `json:"thermal"`
	PowerCap Num `json:"power_cap"` // caps of the scenario, and the GPUs' own power limits
	Failure  Num `json:"failure"`
	Restart  Num `json:"restart"`
}

// Spread is a distribution over time and servers.
type Spread struct {
	Mean Num `json:"mean"`
	P95  Num `json:"p95"`
	Max  Num `json:"max"`
}

// Thermal is heat and what it cost.
type Thermal struct {
	ThrottledGPUHours    Num    `json:"throttled_gpu_hours"`
	ThrottledShare       Num    `json:"throttled_share"`
	GPUC                 Spread `json:"gpu_c"`
	InletC               Spread `json:"inlet_c"`
	SupplyC              Spread `json:"supply_c"`
	CoolantC             Spread `json:"coolant_c"`
	HoursOverRecommended Num    `json:"hours_over_recommended"`
	HoursOverAllowable   Num    `json:"hours_over_allowable"`
	DewPointMarginK      Num    `json:"dew_point_margin_k"`
}

// Wait is the distribution of queue waits of started jobs.
type Wait struct {
	Mean Num    `json:"mean"`
	P50  Num    `json:"p50"`
	P95  Num    `json:"p95"`
	P99  Num    `json:"p99"`
	CI95 [2]Num `json:"ci95"`
}

// JobCounts is where every submitted job ended.
type JobCounts struct {
	Submitted   int64 `json:"submitted"`
	Done        int64 `json:"done"`
	Running     int64 `json:"running"`
	Queued      int64 `json:"queued"`
	Rejected    int64 `json:"rejected"`
	Unplaceable int64 `json:"unplaceable"`
	Killed      int64 `json:"killed"`
	Lost        int64 `json:"lost"`
}

// Jobs is the conservation table with waits.
type Jobs struct {
	JobCounts
	WaitS   Wait        `json:"wait_s"`
	ByClass []ClassJobs `json:"by_class"`
	// Scheduling is there where the scenario says how the queue is run.
	Scheduling *SchedulingResult `json:"scheduling,omitempty"`
}

// ClassJobs is one class's line.
type ClassJobs struct {
	Class string `json:"class"`
	Kind  string `json:"kind"`
	JobCounts
	WaitS    Wait `json:"wait_s"`
	GPUHours Num  `json:"gpu_hours"`
	Tokens   Num  `json:"tokens"` // trained or served; unknown where the class names no model
}

// Action is one thing to change, with its gain.
type Action struct {
	Change string `json:"change"`
	Admits int    `json:"admits"`
	Gain   Num    `json:"gain"`
	Unit   string `json:"unit"`
}

// Series holds means over equal steps (the last may be shorter); NaN where there is no figure.
type Series struct {
	StepS   float64
	StartS  []float64 // s after the start of the run
	Columns []Column
}

// Column is one series.
type Column struct {
	Name   string // "facility_w", "it_w", "inlet_max_c" …; ends in its unit
	Values []float64
}

// LogEntry is one line of events.csv.
type LogEntry struct {
	AtS    float64
	Kind   string // "lost", "restored", "throttle start", "throttle end", "hw slowdown", "shutdown", "server failed" …
	Entity string
	Detail string
}

// RackResult is one rack over the run.
type RackResult struct {
	Rack                                     int
	MeanW, PeakW                             float64
	InletMeanC, InletMaxC                    float64
	GPUMaxC                                  float64
	ThrottledGPUHours                        float64
	HoursOverRecommended, HoursOverAllowable float64
	SlowedGPUHours                           [SlowCauses]float64 // busy below full clock, by cause
}

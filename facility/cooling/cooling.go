// Package cooling models how heat leaves the building: moist air, coils and exchangers, air paths,
// liquid loops and plants. Heat, weather and commands go in; watts, litres and the temperature that can
// be held come out. Every function is pure, total and safe for concurrent use; what evolves in time
// belongs to package sim.
//
// A caller solves from the racks outwards: Room.Solve and Loop.Solve with the facility water they get now, then
// the plant with the sum of their duties and the return of their water (WaterReturnC; for a Direct room, the
// room's ReturnC), and relaxes each temperature towards the SupplyC that was found with
// heat capacity · dT/dt = WPerK · (SupplyC − T). The heat capacities are Room.HeatJPerK, Loop.HeatJPerK and
// Spec.HeatJPerK.
//
// Temperatures, powers and flows are continuous in every input but numbers of units; WPerK is not, it is larger
// while a set-point is held (see HeldS), and a plant without any heat is off but for its smallest pump flow.
//
// Left out: latent duty of coils, heat of pumps in facility water, wind and solar gain on coolers, fouling,
// refrigerant charge, tower freezing.
package cooling

// Outdoor is the outdoor air as a plant needs it; FromSample makes one.
type Outdoor struct {
	DryBulbC, WetBulbC, DewPointC float64 // °C
	RH                            float64 // 0 to 1
	PressurePa                    float64
}

// System is the cooling side of a facility. Racks name rooms and loops, rooms and loops name plants,
// each by index.
type System struct {
	Rooms  []Room
	Loops  []Loop
	Plants []Plant
}

// Containment says how cold and hot air are kept apart.
type Containment uint8

// Kinds of containment.
const (
	Open Containment = iota
	ColdAisle
	HotAisle
	// RearDoors: every rack's exhaust passes a cooled door, so that what comes round is supply air. The doors have no
	// fans of their own or follow the servers': they pass what the servers draw.
	RearDoors
)

// Room is the air side of one hall: air handlers in parallel and the air they share.
type Room struct {
	Name           string
	Units          int     // air handlers installed
	Redundant      int     // of these, how many may be lost with the claim kept
	CapacityW      float64 // total duty of one unit at rated airflow, RatedReturnC and RatedWaterC
	AirflowM3s     float64 // rated airflow of one unit
	RatedReturnC   float64 // return air at which CapacityW holds
	RatedWaterC    float64 // entering chilled water at which CapacityW holds
	WaterRiseK     float64 // rise of the chilled water at rated duty; sets the water flow
	SupplyC        float64 // supply air set-point
	SupplyMinC     float64 // Direct rooms: the coldest supply air let in; 0: SupplyC, warmed by return air
	FanW           float64 // electrical power of one unit's fans at rated airflow
	FanExponent    float64 // power goes with (flow share)^exponent
	FanMin         float64 // lowest flow share
	Containment    Containment
	VolumeM3       float64 // air in the room
	StructureJPerK float64 // heat capacity of floor, walls and racks that follows the room air
	// StructureWPerK is the conductance between the room air and that structure: without cooling the air warms
	// fast, then along with it (Khankari, ASHRAE LV-11-C026). 0: the two are one mass.
	StructureWPerK float64
	WallWPerK      float64 // conduction through walls: what a room without cooling loses per K
	AmbientC       float64 // temperature behind the walls
	BypassShare    float64 // air the fans deliver beyond what the servers draw, as a share; DefaultBypassShare is usual
	Standby        bool    // redundant units stand by; else all that are up share the air at lower speed
	DewPointC      float64 // of the room's air, what humidity control holds at most; Direct rooms follow the outdoor air
	// Humidity is how the air is held between two dew points; nil: not modelled. Direct rooms on outdoor air have their plant's.
	Humidity *Humidity
	Direct   bool  // no coil: the plant itself makes the supply air (air-side economizer); waterC is then its air
	Plant    int   // index in System.Plants
	Fed      []int // power nodes that feed the units, by index in the graph
}

// RoomPoint is where a room settles.
type RoomPoint struct {
	SupplyC  float64 // supply air that is held
	ReturnC  float64
	FlowM3s  float64 // delivered by the units that run
	Phi      float64 // delivered flow as a share of what the servers draw, at most what is drawn: [0, 1]
	FanW     float64 // electrical, all units; it heats the air
	DutyW    float64 // heat that goes to the plant: room heat + fans, less wall conduction
	WaterLPM float64 // chilled water drawn
	WPerK    float64 // d(duty)/d(temperature): the room's heat capacity divided by it is its time constant
	Held     bool    // the set-point is held
}

// Loop is a technology coolant loop behind CDUs.
type Loop struct {
	Name      string
	CDUs      int
	Redundant int
	CapacityW float64 // of one CDU at ApproachK between facility supply and loop supply and rated flows
	FlowLPM   float64 // rated secondary flow of one CDU
	HeadKPa   float64 // pump head at rated flow
	ApproachK float64
	Coolant   string // "PG25", "water": see Coolants
	// PrimaryLPM is the rated facility water flow of one CDU. 0: the same heat capacity rate as the loop's own flow.
	PrimaryLPM float64
	// SystemKPa is what pipes, manifolds and cold plates take at SystemLPM, the flow of the whole loop. 0 where it is
	// not known: the rated flow of the CDUs is then the only limit.
	SystemKPa float64
	SystemLPM float64
	VolumeL   float64 // coolant in the loop
	SupplyC   float64 // set-point
	PumpW     float64 // electrical power of one CDU's pumps at rated flow
	Standby   bool    // redundant CDUs stand by; else all that are up share the flow
	DryReset  bool    // the set-point is raised in the run where it would come nearer than MinCondensationMarginK to the dew point
	// Air is a liquid-to-air CDU's side: the loop gives its heat to the air of a room, nil for facility water.
	Air   *AirSink
	Plant int // index in System.Plants; not read with Air
	Fed   []int
}

// AirSink is the air side of liquid-to-air CDUs: they draw supply air of a room and blow the loop's heat into it.
// CapacityW and ApproachK of the loop then hold against that air.
type AirSink struct {
	Room       int     // index in System.Rooms
	AirflowM3s float64 // rated airflow of one CDU
	FanW       float64 // electrical power of its fans at rated airflow, sea level; goes with the cube of the flow
	PressurePa float64 // of the air; 0: sea level
}

// LoopPoint is where a loop settles.
type LoopPoint struct {
	SupplyC, ReturnC float64
	FlowLPM          float64 // delivered
	Phi              float64 // delivered flow as a share of what the servers want, [0, 1]
	PumpW            float64
	DutyW            float64 // heat to the plant: servers + pump heat
	WaterLPM         float64 // facility water drawn
	AirM3s           float64 // room air drawn by liquid-to-air CDUs
	FanW             float64 // of their fans; it heats the room's air on top of DutyW
	WPerK            float64
	Held             bool
}

// Load is what rooms and loops ask of a plant.
type Load struct {
	HeatW   float64 // heat to be taken out of the water
	ReturnC float64 // water coming back when the set-point is held
	Units   int     // units that are up
	SetC    float64 // supply set-point
	Out     Outdoor
}

// PlantPoint is where a plant settles.
type PlantPoint struct {
	SupplyC                               float64 // facility water that is held
	CompressorW                           float64 // chillers
	RejectionW                            float64 // tower or dry-cooler fans
	PumpW                                 float64 // plant pumps
	FreeShare                             float64 // share of the heat taken without a compressor, [0, 1]
	EvaporationKgS, BlowdownKgS, DriftKgS float64
	WPerK                                 float64 // d(duty)/d(supply temperature) once capacity is short
	CapacityW                             float64 // what the units that are up can take at SetC
	Held                                  bool
	Extrapolated                          int     // curve evaluations that were clamped or corrected outside their range
	StartsPerS                            float64 // of compressors that cycle below the least load of one unit
	SwingK                                float64 // of the supply water meanwhile, peak to peak about SupplyC; 0 where it has no mass
}

// Plant turns heat and weather into watts, water and the supply temperature that can be held.
// Solve is pure and safe for concurrent use; a new type of plant is one file that implements it.
type Plant interface {
	Solve(Load) PlantPoint
	Spec() Spec
}

// Spec is what every plant has whatever its type.
type Spec struct {
	Name      string
	Type      string // "water-cooled-chiller", "dry-cooler" …
	Units     int
	Redundant int
	SupplyC   float64 // set-point
	CapacityW float64 // of one unit at its rating point
	HeatJPerK float64 // heat capacity of the water in the plant's circuit
	Standby   bool    // redundant units stand by; else all that are up share the load at lower speed
	// ResetMaxC is the warmest set-point that the plant may be reset to while its consumers hold theirs; 0: no reset.
	ResetMaxC float64
	// WarmestC is how warm the supply may get on a day too hot for the set-point, which is where the capacity of a
	// plant without compressors is judged on such a day; up to SupplyC, or 0: the set-point is.
	WarmestC float64
	Fed      []int
	Line     int
}

package scenarios

type coolPart struct {
	origin
	Air        *airPart    `yaml:"air" doc:"Air handlers of the hall."`
	Liquid     *liquidPart `yaml:"liquid" doc:"The technology coolant loop behind CDUs."`
	ServerFans Quantity    `yaml:"server_fans" unit:"share" above:"0" doc:"No server fan goes beyond this share of its rated airflow; no clamp where it is not stated." example:"50%"`
}

type airPart struct {
	origin
	Kind        string     `yaml:"kind" enum:"air-handlers,rear-door,in-row" default:"air-handlers" doc:"Room units; rear-door: a cooled door on every rack; in-row: units among the racks."`
	Units       *int       `yaml:"units" min:"1" max:"10000" doc:"Air handlers installed; one door a rack where the kind is rear-door." example:"10"`
	Capacity    Quantity   `yaml:"capacity" unit:"power" above:"0" doc:"Heat one unit takes at its rated point, its own fans included." example:"120 kW"`
	Airflow     Quantity   `yaml:"airflow" unit:"airflow" above:"0" max:"500" doc:"Rated airflow of one unit." example:"9 m3/s"`
	Walls       []wallLine `yaml:"walls" doc:"Fan walls in place of units."`
	Rated       ratedPart  `yaml:"rated" doc:"Point at which the capacity holds."`
	Scheme      scheme     `yaml:"scheme" default:"N" doc:"Redundancy among the units."`
	Supply      Quantity   `yaml:"supply" unit:"temperature" min:"5" max:"45" default:"24 C" doc:"Supply air set-point."`
	Standby     bool       `yaml:"standby" doc:"Redundant units stand by; else all share the air at lower speed, which takes less power."`
	DewPoint    Quantity   `yaml:"dew_point" unit:"temperature" min:"-20" max:"30" default:"15 C" doc:"Dew point of the room's air that humidity control holds at most; rooms on outdoor air follow the weather."`
	Humidity    *humidPart `yaml:"humidity" doc:"Humidifying and drying of the fresh air of a room that turns its own air over; its energy is unknown where this is not stated."`
	Containment string     `yaml:"containment" enum:"none,cold-aisle,hot-aisle" default:"none" doc:"What keeps cold and hot air apart."`
	Plant       string     `yaml:"plant" required:"true" doc:"Plant that takes the heat." example:"chilled-water"`
	Fed         names      `yaml:"fed" doc:"Power level or node that feeds the fans; the utility where it is not stated." example:"ups"`
	Fan         Quantity   `yaml:"fan" unit:"power" min:"0" doc:"Electrical power of one unit's fans at rated airflow; from the airflow where it is not stated, none for rear doors."`
	FanMin      Quantity   `yaml:"fan_min" unit:"share" above:"0" default:"40%" doc:"Lowest share of the rated airflow (40–50% is usual)."`
	Volume      Quantity   `yaml:"volume" unit:"volume" above:"0" doc:"Air in the room; 9 m3 a rack where it is not stated."`
	Structure   Quantity   `yaml:"structure" unit:"heatcapacity" doc:"Racks, floor and walls that follow the room's air; 300 kJ/K a rack where it is not stated."`
	Coupling    Quantity   `yaml:"coupling" unit:"conductance" doc:"Conductance between the room's air and its racks and structure; 500 W/K a rack where it is not stated."`
	Conduction  Quantity   `yaml:"conduction" unit:"conductance" default:"0 W/K" doc:"Heat that leaves through walls and roof for each kelvin."`
	Ambient     Quantity   `yaml:"ambient" unit:"temperature" default:"25 C" doc:"Temperature behind the walls."`
}

type ratedPart struct {
	origin
	Return Quantity `yaml:"return" unit:"temperature" default:"36 C" doc:"Return air."`
	Water  Quantity `yaml:"water" unit:"temperature" default:"18 C" doc:"Chilled water entering."`
	Rise   Quantity `yaml:"rise" unit:"difference" above:"0" default:"8 K" doc:"Rise of the chilled water."`
}

type humidPart struct {
	origin
	Kind   string   `yaml:"kind" enum:"steam,adiabatic" default:"steam" doc:"Electrode steam, 0.76 kWh a kilogram, or spray and mist, 0.05 kWh a kilogram, which take the heat of evaporation out of the air."`
	Fresh  Quantity `yaml:"fresh" unit:"airflow" above:"0" max:"500" doc:"Outdoor air let in; half the room's volume an hour where it is not stated (assumed)." example:"0.1 m3/s"`
	DewMin Quantity `yaml:"dew_min" unit:"temperature" min:"-40" max:"25" default:"-9 C" doc:"Dew point below which air is humidified: the lower end of what ASHRAE recommends. It is dried above dew_point."`
	DryCOP float64  `yaml:"dry_cop" min:"0.1" max:"20" default:"3" doc:"Heat of condensation over the electricity of what dries fresh air (assumed)."`
}

type wallLine struct {
	origin
	At       string   `yaml:"at" required:"true" doc:"Name of the wall." example:"north"`
	Units    int      `yaml:"units" required:"true" min:"1" max:"10000" doc:"Units in the wall." example:"8"`
	Capacity Quantity `yaml:"capacity" unit:"power" required:"true" above:"0" doc:"Heat one unit takes at its rated point."`
	Airflow  Quantity `yaml:"airflow" unit:"airflow" required:"true" above:"0" max:"500" doc:"Rated airflow of one unit."`
	Fed      names    `yaml:"fed" doc:"Power level or node that feeds the fans."`
}

type liquidPart struct {
	origin
	CDUs     cduValue `yaml:"cdus" required:"true" doc:"Coolant distribution units: how many, or a map that says more." example:"2"`
	Capacity Quantity `yaml:"capacity" unit:"power" above:"0" doc:"Heat one CDU takes at its approach and rated flows." example:"1 MW"`
	Flow     Quantity `yaml:"flow" unit:"flow" above:"0" doc:"Rated flow of one CDU on the side of the servers." example:"1500 L/min"`
	Head     Quantity `yaml:"head" unit:"pressure" above:"0" doc:"Pump head at rated flow."`
	Approach Quantity `yaml:"approach" unit:"difference" above:"0" doc:"Supply to the servers above supply of the plant, at rated duty."`
	Volume   Quantity `yaml:"volume" unit:"volume" above:"0" doc:"Coolant in the loop."`
	Pump     Quantity `yaml:"pump" unit:"power" above:"0" doc:"Electrical power of one CDU's pumps at rated flow; from head and flow where it is not stated."`
	Scheme   scheme   `yaml:"scheme" doc:"Redundancy among the CDUs of one loop."`
	Fed      names    `yaml:"fed" doc:"Power level or node that feeds the CDUs." example:"ups"`
	Coolant  string   `yaml:"coolant" default:"PG25" doc:"Coolant by name; PG25 is a quarter propylene glycol." example:"PG25"`
	Supply   Quantity `yaml:"supply" unit:"temperature" min:"5" max:"60" default:"32 C" doc:"Set-point of the supply to the servers."`
	Plant    string   `yaml:"plant" doc:"Plant that takes the heat; needed unless it goes into the room's air." example:"warm-water"`
	Class    string   `yaml:"class" enum:"S30,S40,S45,S50" doc:"ASHRAE class of the coolant: its temperature is the set-point where none is stated, and the most that may be."`
	Into     string   `yaml:"into" enum:"plant,air" default:"plant" doc:"Where CDUs give the heat: to a plant's water, or to the air of the room (liquid-to-air CDUs, sidecars)."`
	Airflow  Quantity `yaml:"airflow" unit:"airflow" above:"0" max:"500" doc:"Of liquid-to-air CDUs: rated airflow of one; for a rise of 12 K where it is not stated."`
	Fan      Quantity `yaml:"fan" unit:"power" min:"0" doc:"Of liquid-to-air CDUs: power of one unit's fans; 4% of its capacity where it is not stated."`
	Standby  bool     `yaml:"standby" doc:"Redundant CDUs stand by; else all share the flow at lower speed."`
	DryReset bool     `yaml:"dry_reset" doc:"Raise the set-point in the run where it would come within 2 K of the room's dew point, instead of refusing it."`
}

type cduPart struct {
	origin
	Per      string   `yaml:"per" enum:"row,hall" default:"hall" doc:"A loop for each row, or one for the hall."`
	Count    int      `yaml:"count" required:"true" min:"1" max:"1000" doc:"CDUs of one loop." example:"2"`
	Capacity Quantity `yaml:"capacity" unit:"power" above:"0" doc:"Heat one CDU takes at its approach and rated flows." example:"1 MW"`
	Flow     Quantity `yaml:"flow" unit:"flow" above:"0" doc:"Rated flow of one CDU on the side of the servers." example:"1500 L/min"`
	Head     Quantity `yaml:"head" unit:"pressure" above:"0" doc:"Pump head at rated flow."`
	Approach Quantity `yaml:"approach" unit:"difference" above:"0" doc:"Supply to the servers above supply of the plant, at rated duty."`
	Volume   Quantity `yaml:"volume" unit:"volume" above:"0" doc:"Coolant in one loop."`
	Pump     Quantity `yaml:"pump" unit:"power" above:"0" doc:"Electrical power of one CDU's pumps at rated flow."`
	Scheme   scheme   `yaml:"scheme" doc:"Redundancy among the CDUs of one loop."`
	Fed      names    `yaml:"fed" doc:"Power level or node that feeds the CDUs."`
}

type plantLine struct {
	origin
	Type       string   `yaml:"type" required:"true" enum:"water-cooled-chiller,air-cooled-chiller,dx,dry-cooler,adiabatic-cooler,cooling-tower,air-side" doc:"What kind of plant."`
	Count      int      `yaml:"count" min:"1" max:"10000" default:"1" doc:"Units installed." example:"2"`
	Scheme     scheme   `yaml:"scheme" default:"N" doc:"Redundancy among the units."`
	Capacity   Quantity `yaml:"capacity" unit:"power" above:"0" doc:"Heat one unit takes at its design point; sized for what the plant serves where it is not stated." example:"1 MW"`
	Supply     Quantity `yaml:"supply" unit:"temperature" min:"2" max:"60" doc:"Set-point of the water it supplies." example:"18 C"`
	Economizer string   `yaml:"economizer" enum:"none,water-side,free-cooling" default:"none" doc:"What takes heat without compressors when it is cold: water-side of water-cooled chillers, free-cooling of air-cooled ones."`
	Approach   Quantity `yaml:"approach" unit:"difference" above:"0" doc:"Of coolers: water leaving above outdoor air at rated duty; 8 K, or supply less design, where it is not stated."`
	Chiller    string   `yaml:"chiller" doc:"Chiller of the catalogue whose curves are scaled." example:"york-yk-1881-vanes"`
	Cooler     string   `yaml:"cooler" doc:"Dry cooler of the catalogue." example:"generic-8k"`
	Design     Quantity `yaml:"design" unit:"temperature" doc:"Outdoor dry bulb of the design day; from the weather where it is not stated." example:"38 C"`
	Class      string   `yaml:"class" enum:"W17,W27,W32,W40,W45,W+" doc:"ASHRAE class of the water: its temperature is the set-point where none is stated, and the most that may be."`
	Standby    bool     `yaml:"standby" doc:"Redundant units stand by; else all that are up share the load at lower speed."`
	Reset      Quantity `yaml:"reset" unit:"temperature" max:"60" doc:"Warmest water to which the set-point is raised while all that it serves hold theirs; no reset where it is not stated." example:"24 C"`
	COP        float64  `yaml:"cop" min:"0" max:"30" doc:"Of chillers: COP at the rating point of the curves; the chiller's own where it is not stated." example:"5.5"`
	MinOn      Quantity `yaml:"min_on" unit:"duration" min:"0" doc:"Of compressors: least time on once started; 20 min for chillers, 3 min for dx, where it is not stated." example:"20 min"`
	MinOff     Quantity `yaml:"min_off" unit:"duration" min:"0" doc:"Of compressors: least time off once stopped; as min_on where it is not stated." example:"20 min"`
	StartLoss  Quantity `yaml:"start_loss" unit:"duration" min:"0" doc:"Of compressors: time at each start in which they draw power and cool nothing; 2 min for chillers, 25 s for dx, where it is not stated." example:"2 min"`
	Trim       string   `yaml:"trim" enum:"none,water-cooled-chiller,air-cooled-chiller,dx" default:"none" doc:"Of air-side: what takes the heat that outdoor air does not."`
	Adiabatic  bool     `yaml:"adiabatic" doc:"Of air-side: pads that cool outdoor air when it is too warm."`
	SupplyMin  Quantity `yaml:"supply_min" unit:"temperature" min:"5" max:"45" doc:"Of air-side: supply air follows the outdoor air down to here; the set-point is held where it is not stated."`
	Lockout    bool     `yaml:"dry_lockout" doc:"Of air-side with trim: outdoor air that is too dry is kept out rather than humidified."`
	Fed        names    `yaml:"fed" doc:"Power level or node that feeds it; the utility where it is not stated." example:"utility"`
}

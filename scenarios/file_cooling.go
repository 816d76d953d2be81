package scenarios

type coolPart struct {
	origin
	Air        *airPart    `yaml:"air" doc:"Air handlers of the hall."`
	Liquid     *liquidPart `yaml:"liquid" doc:"The technology coolant loop behind CDUs."`
	ServerFans Quantity    `yaml:"server_fans" unit:"share" above:"0" doc:"No server fan goes beyond this share of its rated airflow; no clamp where it is not stated." example:"50%"`
}

type airPart struct {
	origin
	Units       *int       `yaml:"units" min:"1" max:"10000" doc:"Air handlers installed." example:"10"`
	Capacity    Quantity   `yaml:"capacity" unit:"power" above:"0" doc:"Heat one unit takes at its rated point, its own fans included." example:"120 kW"`
	Airflow     Quantity   `yaml:"airflow" unit:"airflow" above:"0" doc:"Rated airflow of one unit." example:"9 m3/s"`
	Walls       []wallLine `yaml:"walls" doc:"Fan walls in place of units."`
	Rated       ratedPart  `yaml:"rated" doc:"Point at which the capacity holds."`
	Scheme      scheme     `yaml:"scheme" default:"N" doc:"Redundancy among the units."`
	Supply      Quantity   `yaml:"supply" unit:"temperature" min:"5" max:"45" default:"24 C" doc:"Supply air set-point."`
	Containment string     `yaml:"containment" enum:"none,cold-aisle,hot-aisle" default:"none" doc:"What keeps cold and hot air apart."`
	Plant       string     `yaml:"plant" required:"true" doc:"Plant that takes the heat." example:"chilled-water"`
	Fed         names      `yaml:"fed" doc:"Power level or node that feeds the fans; the utility where it is not stated." example:"ups"`
	Fan         Quantity   `yaml:"fan" unit:"power" above:"0" doc:"Electrical power of one unit's fans at rated airflow; from the airflow where it is not stated."`
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

type wallLine struct {
	origin
	At       string   `yaml:"at" required:"true" doc:"Name of the wall." example:"north"`
	Units    int      `yaml:"units" required:"true" min:"1" max:"10000" doc:"Units in the wall."`
	Capacity Quantity `yaml:"capacity" unit:"power" required:"true" above:"0" doc:"Heat one unit takes at its rated point."`
	Airflow  Quantity `yaml:"airflow" unit:"airflow" required:"true" above:"0" doc:"Rated airflow of one unit."`
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
	Plant    string   `yaml:"plant" required:"true" doc:"Plant that takes the heat." example:"warm-water"`
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
	Type       string   `yaml:"type" required:"true" enum:"water-cooled-chiller,air-cooled-chiller,dx,dry-cooler,adiabatic-cooler" doc:"What kind of plant."`
	Count      int      `yaml:"count" min:"1" max:"10000" default:"1" doc:"Units installed." example:"2"`
	Scheme     scheme   `yaml:"scheme" default:"N" doc:"Redundancy among the units."`
	Capacity   Quantity `yaml:"capacity" unit:"power" above:"0" doc:"Heat one unit takes at its design point; sized for what the plant serves where it is not stated." example:"1 MW"`
	Supply     Quantity `yaml:"supply" unit:"temperature" min:"2" max:"60" doc:"Set-point of the water it supplies." example:"18 C"`
	Economizer string   `yaml:"economizer" enum:"none,water-side,free-cooling" default:"none" doc:"What takes heat without compressors when it is cold: water-side of water-cooled chillers, free-cooling of air-cooled ones."`
	Approach   Quantity `yaml:"approach" unit:"difference" above:"0" doc:"Of coolers: water leaving above outdoor air at rated duty; 8 K, or supply less design, where it is not stated."`
	Chiller    string   `yaml:"chiller" doc:"Chiller of the catalogue whose curves are scaled." example:"york-yk-1881-vanes"`
	Cooler     string   `yaml:"cooler" doc:"Dry cooler of the catalogue." example:"generic-8k"`
	Design     Quantity `yaml:"design" unit:"temperature" doc:"Outdoor dry bulb of the design day; from the weather where it is not stated." example:"38 C"`
	Fed        names    `yaml:"fed" doc:"Power level or node that feeds it; the utility where it is not stated." example:"utility"`
}

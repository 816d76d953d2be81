package scenarios

// planPart is what happens to the hall over time, and how demand grows.
type planPart struct {
	origin
	Start        momentValue   `yaml:"start" doc:"First day of the plan; the start of the run where it is not stated." example:"2026-01-01"`
	Horizon      Quantity      `yaml:"horizon" unit:"duration" default:"1095 d" above:"0" max:"1.6e9" doc:"How far the plan looks; what runs out later is told as not within the horizon."`
	Model        string        `yaml:"model" doc:"Server in which demand grows; that of the first line of servers where it is not stated." example:"dgx-h100"`
	Deliveries   []deliverLine `yaml:"deliveries" doc:"Servers that arrive."`
	Commission   []rackDate    `yaml:"commission" doc:"Racks that come into service; they hold nothing before."`
	Decommission []leaveLine   `yaml:"decommission" doc:"Racks, or servers of one model, that go out of service."`
	Refresh      []refreshLine `yaml:"refresh" doc:"Servers of one model replaced by another."`
	Reservations []holdLine    `yaml:"reservations" doc:"Capacity held for somebody until a date."`
	Demand       *demandPart   `yaml:"demand" doc:"How many servers are wanted over time; the runway needs it."`
}

type deliverLine struct {
	origin
	Date  momentValue `yaml:"date" required:"true" doc:"Day on which they stand." example:"2026-07-01"`
	Model string      `yaml:"model" doc:"A server of the catalogue; the plan's model where it is not stated." example:"dgx-b200"`
	Count int         `yaml:"count" required:"true" min:"1" max:"2000000" doc:"How many." example:"8"`
}

type rackDate struct {
	origin
	Date  momentValue `yaml:"date" required:"true" doc:"Day from which they serve." example:"2026-10-01"`
	Rows  names       `yaml:"rows" doc:"Whole rows." example:"[C, D]"`
	Racks names       `yaml:"racks" doc:"Single racks." example:"[A11, A12]"`
}

type leaveLine struct {
	origin
	Date  momentValue `yaml:"date" required:"true" doc:"Day from which they are gone." example:"2027-03-01"`
	Rows  names       `yaml:"rows" doc:"Whole rows." example:"A"`
	Racks names       `yaml:"racks" doc:"Single racks." example:"[A11, A12]"`
	Model string      `yaml:"model" doc:"Instead of racks: servers of this model." example:"dgx-a100"`
	Count *int        `yaml:"count" min:"1" max:"2000000" doc:"How many servers." example:"4"`
}

type refreshLine struct {
	origin
	Date  momentValue `yaml:"date" required:"true" doc:"Day of the change." example:"2027-03-01"`
	From  string      `yaml:"from" required:"true" doc:"Model that goes." example:"dgx-a100"`
	To    string      `yaml:"to" required:"true" doc:"Model that comes." example:"dgx-b200"`
	Count int         `yaml:"count" required:"true" min:"1" max:"2000000" doc:"How many, one for one." example:"4"`
}

type holdLine struct {
	origin
	Name  string      `yaml:"name" required:"true" doc:"Whom or what it is for." example:"research"`
	From  momentValue `yaml:"from" doc:"Day on which it begins; the start of the plan where it is not stated." example:"2026-03-01"`
	Until momentValue `yaml:"until" doc:"Day on which it lapses; it stays where that is not stated." example:"2026-12-31"`
	Model string      `yaml:"model" doc:"Held as servers of this model; the plan's model where only a count is stated." example:"dgx-h100"`
	Count *int        `yaml:"count" min:"1" max:"2000000" doc:"How many servers." example:"16"`
	Power Quantity    `yaml:"power" unit:"power" above:"0" doc:"Held as power instead, shared equally by the racks named." example:"40 kW"`
	Rows  names       `yaml:"rows" doc:"Rows in which the power is held." example:"B"`
	Racks names       `yaml:"racks" doc:"Racks in which the power is held." example:"[B01, B02]"`
}

type demandPart struct {
	origin
	History []seenLine  `yaml:"history" doc:"What was in use, monthly as a rule; a straight line is fitted through it."`
	Growth  growthValue `yaml:"growth" doc:"Instead of a history: a rate, from what stands at the start." example:"4 servers/month"`
	Spread  Quantity    `yaml:"spread" unit:"share" doc:"P10 and P90 of the rate lie this share below and above it." example:"30%"`
}

type seenLine struct {
	origin
	Date    momentValue `yaml:"date" required:"true" doc:"Day of the figure." example:"2025-01-01"`
	Servers *float64    `yaml:"servers" min:"0" max:"2000000" doc:"Servers in use." example:"20"`
	Power   Quantity    `yaml:"power" unit:"power" doc:"IT power in use, instead of servers." example:"210 kW"`
}

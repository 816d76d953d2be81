package scenarios

// moneyPart is what a run's account is reckoned with. The price of electricity itself stands at site.price.
type moneyPart struct {
	origin
	Currency string      `yaml:"currency" doc:"Of every total; that of site.price where it is not stated." example:"CNY"`
	Rates    ratesValue  `yaml:"rates" doc:"What a unit of each other currency is worth in this one. Without a rate amounts in another currency are refused."`
	Bands    []bandLine  `yaml:"bands" doc:"Times of use in which electricity has another price than site.price; the first that holds counts."`
	Prices   *hourlyPart `yaml:"prices" doc:"Prices of electricity by the hour from a file; wins over bands and site.price."`
	Grid     *hourlyPart `yaml:"grid" doc:"Carbon of the grid by the hour from a file; wins over site.carbon."`
	Demand   moneyValue  `yaml:"demand" per:"kW" doc:"Demand charge for each kW of a calendar month's peak, the highest mean over a step of run.series." example:"40 CNY/kW"`
	Water    moneyValue  `yaml:"water" per:"m3" doc:"Price of water." example:"5 CNY/m3"`
	Carbon   moneyValue  `yaml:"carbon" per:"t" doc:"Price of carbon dioxide; counts in the yearly cost, not in bills." example:"80 CNY/t"`
	Interest Quantity    `yaml:"interest" unit:"share" max:"1" default:"8%" doc:"Interest a year in annuities (assumed)."`
	Capex    []capexLine `yaml:"capex" doc:"Capital cost by component."`
	Cloud    *cloudPart  `yaml:"cloud" doc:"What renting like GPUs would cost, for buy or rent."`
}

type bandLine struct {
	origin
	Name   string     `yaml:"name" doc:"Name of the band." example:"valley"`
	From   int        `yaml:"from" required:"true" min:"0" max:"23" doc:"Full hour at which it begins; later than to runs over midnight." example:"23"`
	To     int        `yaml:"to" required:"true" min:"1" max:"24" doc:"Full hour at which it ends." example:"7"`
	Days   string     `yaml:"days" enum:"all,weekdays,weekends" default:"all" doc:"Days of the week; public holidays are not known."`
	Months []int      `yaml:"months" min:"1" max:"12" doc:"Months of the year; all where none is stated." example:"[7, 8]"`
	Price  priceValue `yaml:"price" required:"true" doc:"Price in the band." example:"0.35 CNY/kWh"`
}

type hourlyPart struct {
	origin
	File   string `yaml:"file" required:"true" doc:"CSV with a header and times in UTC, an hour apart, in its first column (plain or .gz), from the scenario's folder." example:"prices.csv"`
	Column string `yaml:"column" doc:"Header of the figures; needed where there are several." example:"price"`
	Unit   string `yaml:"unit" required:"true" doc:"Of the figures: a currency per kWh or MWh, or g/kWh, kg/kWh or kg/MWh." example:"EUR/MWh"`
}

type capexLine struct {
	origin
	What        string     `yaml:"what" required:"true" doc:"Component." example:"servers"`
	Amount      moneyValue `yaml:"amount" required:"true" doc:"Cost of one unit." example:"280000 USD"`
	Per         string     `yaml:"per" enum:"hall,server,gpu,rack,it-kw,ups-kw,generator-kw,plant-kw,cdu-kw" default:"hall" doc:"What it is the cost of one of; kW are those installed, it-kw those of the placed servers' nameplates."`
	Life        yearsValue `yaml:"life" required:"true" doc:"Years over which it is written off: IT 4–6, UPS 10–15, chillers 20, buildings 30." example:"5 y"`
	Maintenance Quantity   `yaml:"maintenance" unit:"share" max:"1" default:"0%" doc:"Upkeep a year as a share of the cost; 2–4% is usual for plant."`
}

type cloudPart struct {
	origin
	Price         moneyValue `yaml:"price" required:"true" per:"GPU-h" doc:"List price of a like GPU on demand." example:"2.5 USD/GPU-h"`
	Interruptions Quantity   `yaml:"interruptions" unit:"rate" default:"4/day" doc:"How often spot capacity is taken away from a job (assumed)."`
	Lost          Quantity   `yaml:"lost" unit:"duration" default:"30 min" doc:"Work lost and done again at each (assumed)."`
}

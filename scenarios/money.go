package scenarios

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"math"
	"strings"
	"time"

	"headroom/facility/placement"
	"headroom/facility/power"
	"headroom/sim"
	"headroom/sim/ledger"
)

// readMoney reads the hourly files of the money section.
func (s *Scenario) readMoney(d *decoder, files fs.FS) {
	m := s.file.Money
	if m == nil {
		return
	}
	zone := 0.0
	if s.series != nil {
		zone = s.series.Zone
	}
	if z := s.file.Site.Zone; z != nil {
		zone = *z
	}
	read := func(p *hourlyPart, carbon bool) *ledger.Tariff {
		if p == nil || p.File == "" || p.Unit == "" {
			return nil
		}
		currency, scale, ok := hourlyUnit(p.Unit, carbon)
		if !ok {
			want := "a currency per kWh or MWh, such as EUR/MWh"
			if carbon {
				want = "g/kWh, kg/kWh or kg/MWh"
			}
			d.fail(p.of("unit"), joinKey(p.path, "unit"), "", "want %s (got %s)", want, quoteShort(p.Unit))
			return nil
		}
		data, ok := s.open(d, files, p.File, p.of("file"), joinKey(p.path, "file"))
		if !ok {
			return nil
		}
		hours, err := readHours(data, ledger.HourlyOptions{Column: p.Column, Scale: scale, Zone: zone})
		if err != nil {
			d.fail(p.of("file"), joinKey(p.path, "file"), "", "%v", err)
			return nil
		}
		if !carbon {
			s.priceCurrency = currency
		}
		t := &ledger.Tariff{Flat: math.NaN(), Hours: hours}
		run := &s.file.Run
		if err := t.Check(run.Start.T, run.length()); err != nil {
			d.fail(p.of("file"), joinKey(p.path, "file"), "", "%v: the file does not cover the run", err)
		}
		return t
	}
	s.priceHours, s.gridHours = read(m.Prices, false), read(m.Grid, true)
}

// maxHourlyBytes bounds an hourly table after unpacking.
const maxHourlyBytes = 64 << 20

func readHours(data []byte, o ledger.HourlyOptions) (*ledger.Hourly, error) {
	var r io.Reader = bytes.NewReader(data)
	if len(data) > 1 && data[0] == 0x1f && data[1] == 0x8b {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		r = z
	}
	return ledger.ReadHourly(io.LimitReader(r, maxHourlyBytes), o)
}

// money fills the prices of a configuration. Without a layout there is nothing to count capital cost by, and
// only the section itself is judged.
func (s *Scenario) money(d *decoder, b *builder, l *placement.Layout, c *sim.Config) {
	f := &s.file
	p := &c.Money
	p.EnergyCurrency = f.Site.Price.Currency
	p.Currency = p.EnergyCurrency
	m := f.Money
	if m == nil {
		p.Rates = ledger.Rates{Into: p.Currency}
		return
	}
	if s.priceHours != nil {
		c.Price, p.EnergyCurrency = s.priceHours, s.priceCurrency
	} else if len(m.Bands) > 0 {
		s.bands(d, m, c)
	}
	if s.gridHours != nil {
		c.Carbon = s.gridHours
	}
	if c.Start != c.Start.Truncate(time.Hour) && (c.Price != nil || c.Carbon != nil) {
		d.fail(f.Run.of("start"), joinKey(f.Run.path, "start"), "", "prices and grid carbon that change by the hour need a run that starts on a full hour")
	}
	// The account's currency: as stated, else that of the electricity, else of the first amount.
	if m.Currency != "" {
		if len(m.Currency) != 3 || strings.Trim(m.Currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			d.fail(m.of("currency"), joinKey(m.path, "currency"), "", "a currency is three capital letters (got %s)", quoteShort(m.Currency))
		}
		p.Currency = m.Currency
	} else {
		p.Currency = p.EnergyCurrency
		for i := range m.Capex {
			if p.Currency == "" {
				p.Currency = m.Capex[i].Amount.Currency
			}
		}
	}
	p.Rates = ledger.Rates{Into: p.Currency, Per: map[string]float64{}}
	for i, k := range m.Rates.Currencies {
		p.Rates.Per[k] = m.Rates.Rates[i]
	}
	into := func(currency string, at pos, keyPath string) {
		if currency == "" {
			return
		}
		if _, err := p.Rates.Convert(ledger.Money{Currency: currency}); err != nil {
			d.fail(at, keyPath, "write, for example, money.rates: {"+currency+": 7.1}", "%v", err)
		}
	}
	into(p.EnergyCurrency, f.Site.of("price"), joinKey(f.Site.path, "price"))
	amount := func(v *moneyValue, key, per string, scale float64) ledger.Money {
		if v.Currency == "" {
			return ledger.Money{Amount: math.NaN()}
		}
		if v.Per != per {
			d.fail(v.pos, joinKey(m.path, key), "", "want an amount per %s (got %s)", per, quoteShort(v.text))
		}
		into(v.Currency, v.pos, joinKey(m.path, key))
		return ledger.Money{Currency: v.Currency, Amount: v.Amount * scale}
	}
	p.DemandPerKWMonth = amount(&m.Demand, "demand", "kW", 1)
	p.WaterPerM3 = amount(&m.Water, "water", "m3", 1)
	p.CarbonPerKg = amount(&m.Carbon, "carbon", "t", 1e-3)
	p.Rate = m.Interest.V
	for i := range m.Capex {
		x := &m.Capex[i]
		if x.Amount.Currency == "" {
			continue // told already
		}
		if x.Amount.Per != "" {
			d.fail(x.of("amount"), joinKey(x.path, "amount"), "say what it is for in per", "want an amount alone (got %s)", quoteShort(x.Amount.text))
		}
		into(x.Amount.Currency, x.of("amount"), joinKey(x.path, "amount"))
		p.Capex = append(p.Capex, ledger.Component{
			Name: x.What, LifeYears: x.Life.Years, Maintenance: x.Maintenance.V,
			Capex: ledger.Money{Currency: x.Amount.Currency, Amount: x.Amount.Amount * b.countOf(x.Per, l)},
		})
	}
	if k := m.Cloud; k != nil && k.Price.Currency != "" {
		if k.Price.Per != "GPU-h" {
			d.fail(k.of("price"), joinKey(k.path, "price"), "", "want a price per GPU-h (got %s)", quoteShort(k.Price.text))
		}
		into(k.Price.Currency, k.of("price"), joinKey(k.path, "price"))
		p.CloudPerGPUHour = ledger.Money{Currency: k.Price.Currency, Amount: k.Price.Amount}
		p.SpotPerDay, p.LostS = k.Interruptions.V*86400, k.Lost.V
	}
}

// bands makes the tariff of a time-of-use table; what no band holds has the price of the site.
func (s *Scenario) bands(d *decoder, m *moneyPart, c *sim.Config) {
	t := &ledger.Tariff{Flat: c.PricePerKWh}
	c.Money.EnergyCurrency = s.file.Site.Price.Currency
	for i := range m.Bands {
		x := &m.Bands[i]
		switch {
		case x.Price.Currency == "":
			continue // told already
		case c.Money.EnergyCurrency == "":
			c.Money.EnergyCurrency = x.Price.Currency
		case x.Price.Currency != c.Money.EnergyCurrency:
			d.fail(x.of("price"), joinKey(x.path, "price"), "", "one tariff has one currency (got %s beside %s)", x.Price.Currency, c.Money.EnergyCurrency)
		}
		if x.From == x.To {
			d.fail(x.of("to"), joinKey(x.path, "to"), "", "a band ends at another hour than it begins (got %d and %d)", x.From, x.To)
			continue
		}
		band := ledger.Band{Name: x.Name, From: x.From, To: x.To, PerKWh: x.Price.PerKWh}
		switch x.Days {
		case "weekdays":
			band.Days = ledger.Weekdays
		case "weekends":
			band.Days = ledger.Weekends
		}
		for _, month := range x.Months {
			if month >= 1 && month <= 12 {
				band.Months[month-1] = true
			}
		}
		t.Bands = append(t.Bands, band)
	}
	if err := t.Check(c.Start, time.Duration(c.LengthNS)); err != nil && len(t.Bands) == len(m.Bands) {
		d.fail(m.of("bands"), joinKey(m.path, "bands"), "state site.price for the hours without a band", "%v", err)
		return
	}
	c.Price = t
}

// countOf is how many of what a capital cost is stated for there are.
func (b *builder) countOf(per string, l *placement.Layout) float64 {
	nodes := func(kind power.Kind) float64 {
		kw := 0.0
		if b.f != nil && b.f.Power != nil {
			for i := range b.f.Power.Nodes {
				if n := &b.f.Power.Nodes[i]; n.Kind == kind {
					kw += float64(n.Units) * n.RatingVA * n.PF / 1000
				}
			}
		}
		return kw
	}
	switch per {
	case "ups-kw":
		return nodes(power.UPS)
	case "generator-kw":
		return nodes(power.Generator)
	case "plant-kw":
		kw := 0.0
		for _, p := range b.f.Cooling.Plants {
			if p != nil {
				kw += float64(p.Spec().Units) * p.Spec().CapacityW / 1000
			}
		}
		return kw
	case "cdu-kw":
		kw := 0.0
		for i := range b.f.Cooling.Loops {
			kw += float64(b.f.Cooling.Loops[i].CDUs) * b.f.Cooling.Loops[i].CapacityW / 1000
		}
		return kw
	case "rack":
		return float64(len(b.f.Racks))
	case "hall":
		return 1
	}
	if l == nil {
		return 0
	}
	n := 0.0
	for i := range l.Servers {
		model := &l.Facility.Models[l.Servers[i].Model]
		switch per {
		case "server":
			n++
		case "gpu":
			n += float64(model.GPUs)
		case "it-kw":
			n += float64(model.NameplateW) / 1000
		}
	}
	return n
}

package cooling

import (
	"math"

	"headroom/facility/weather"
)

// The PUE model of Lei & Masanet, "Statistical analysis for predicting location-specific data center PUE
// and its improvement potential", Energy (2020), doi 10.1016/j.energy.2020.117556. It is a published model
// of its own, with constants, wet bulb and chiller regression that differ from those of the plants in
// this package, and is here to compare with and to reproduce published ranges; nothing is simulated with it.

// LeiMasanetSite is what both of its systems share.
type LeiMasanetSite struct {
	UPSEfficiency     float64
	DistributionLoss  float64 // share of IT
	Lighting          float64 // share of IT
	AirRiseK          float64 // supply to return
	ChilledRiseK      float64
	TowerRangeK       float64
	FanPa             float64
	FanEfficiency     float64
	TowerFanPa        float64
	TowerFanEff       float64
	HumidifierPa      float64 // pump of the humidifier
	HumidifierEff     float64
	ChilledPa         float64
	ChilledEff        float64
	TowerPa           float64
	TowerEff          float64
	TowerApproachK    float64
	ChillerLoad       float64 // load share at which its COP is taken
	ChillerCOPShare   float64 // its COP is 1 + this of the regression's
	TowerLiquidPerGas float64 // kg of water per kg of air
}

// LeiMasanetAirSide is a hyperscale hall with air-side economizer and adiabatic cooling.
type LeiMasanetAirSide struct {
	LeiMasanetSite
	SupplyMinC, SupplyMaxC float64
	DewMinC, DewMaxC       float64
	RHMin, RHMax           float64 // 0 to 1
}

// LeiMasanetWaterSide is a hall with water-cooled chillers and water-side economizer.
type LeiMasanetWaterSide struct {
	LeiMasanetSite
	SupplyC           float64
	EconomizerPa      float64
	EconomizerEff     float64
	ExchangerK        float64 // approach of the economizer's exchanger
	HeatTransfer      float64 // effectiveness of the air handlers' coils
	SensibleHeatRatio float64
}

// LeiMasanetPoint is one hour. All shares are of IT power; PUE is 1 and their sum.
type LeiMasanetPoint struct {
	PUE, WetBulbC                                         float64
	UPS, Distribution, Lighting, Fans, Humidifier         float64
	Economizer, Chiller, ChilledPump, TowerPump, TowerFan float64
	HumidifierKgPerMJ                                     float64 // water evaporated in or beside the air, kg per MJ of IT energy
	FreeShare                                             float64 // of the heat, taken without the chiller
}

// Constants of the published model.
const (
	leiDryCp       = 1.01   // kJ/(kg·K)
	leiVapor       = 2500.0 // kJ/kg
	leiVaporCp     = 1.84   // kJ/(kg·K)
	leiWaterCp     = 4.2    // kJ/(kg·K)
	leiGrams       = 621.98 // g/kg
	leiGramsRound  = 622.0  // as the published code has it for the outdoor air of the air-side system
	leiChangeoverC = 27.0   // with a dew point of leiChangeoverDewC, the enthalpy up to which outdoor air is used at once
	leiChangeDewC  = 15.0
	leiDryRH       = 0.2 // cold air is humidified to this
	leiWetRH       = 0.8 // evaporation cools to this
)

// Solve evaluates the air-side system in outdoor air of tC °C, rh (0 to 1) and pressurePa.
func (m *LeiMasanetAirSide) Solve(tC, rh, pressurePa float64) LeiMasanetPoint {
	p, heat := m.start(tC, rh, pressurePa)
	vapor := rh * weather.SaturationPa(tC)
	outG := leiGramsRound * vapor / (pressurePa - vapor)
	outdoor := leiEnthalpy(tC, outG)
	supplyC := min(max(tC, m.SupplyMinC), m.SupplyMaxC)
	economize, addedG, treated, supply := m.treat(outdoor, outG, tC, supplyC, pressurePa)
	returned := supply + leiDryCp*m.AirRiseK
	airKg := heat / (returned - supply)
	recirculated := airKg
	free := 0.0
	if economize {
		recirculated = max(0, airKg*(supply-treated)/(returned-treated))
		free = (airKg - recirculated) * (returned - treated)
	}
	fresh := airKg - recirculated
	p.Fans = leiFan(airKg, AirDensityKgM3(pressurePa, supplyC), m.FanPa, m.FanEfficiency)
	p.HumidifierKgPerMJ = fresh - fresh/(1+addedG/1000)
	p.Humidifier = leiPump(p.HumidifierKgPerMJ, m.HumidifierPa, m.HumidifierEff)
	p.HumidifierKgPerMJ *= 1000 // kg per kJ is kg/s per kW
	mechanical := heat - free
	p.FreeShare = free / heat
	p.ChilledPump = leiPump(mechanical/(leiWaterCp*m.ChilledRiseK), m.ChilledPa, m.ChilledEff)
	p.Chiller = mechanical / m.cop(p.WetBulbC)
	m.tower(&p, mechanical+p.Chiller, AirDensityKgM3(pressurePa, tC))
	return p
}

// treat decides how outdoor air is used: whether at all, the water added (g/kg), and the enthalpies of the
// air after it and of the supply.
func (m *LeiMasanetAirSide) treat(outdoor, outG, tC, supplyC, pressurePa float64) (economize bool, addedG, treated, supply float64) {
	_, changeoverG := leiMoisture(leiChangeoverC, pressurePa, -9, leiChangeDewC, 0, math.Inf(1))
	adiabaticG := max((outdoor-leiDryCp*supplyC)*1000/(leiVapor+leiVaporCp*supplyC)-outG, 0)
	if outdoor < leiEnthalpy(leiChangeoverC, changeoverG) {
		if tC > supplyC {
			return true, adiabaticG, outdoor, outdoor
		}
		vapor := leiDryRH * weather.SaturationPa(supplyC)
		return true, max(leiGrams*vapor/(pressurePa-vapor)-outG, 0), outdoor, outdoor
	}
	vapor := leiWetRH * weather.SaturationPa(supplyC)
	if outdoor <= leiEnthalpy(supplyC, leiGrams*vapor/(pressurePa-vapor)) {
		return true, adiabaticG, outdoor, outdoor
	}
	lo, hi := leiMoisture(supplyC, pressurePa, m.DewMinC, m.DewMaxC, m.RHMin, m.RHMax)
	h := leiEnthalpy(supplyC, (lo+hi)/2)
	return false, 0, h, h
}

// Solve evaluates the water-side system in outdoor air of tC °C, rh (0 to 1) and pressurePa.
func (m *LeiMasanetWaterSide) Solve(tC, rh, pressurePa float64) LeiMasanetPoint {
	p, heat := m.start(tC, rh, pressurePa)
	airKg := heat / (leiDryCp * m.AirRiseK)
	p.Fans = leiFan(airKg, AirDensityKgM3(pressurePa, m.SupplyC), m.FanPa, m.FanEfficiency)
	latent := heat/m.SensibleHeatRatio - heat
	cooling := heat + latent
	waterC := m.SupplyC + m.AirRiseK - m.AirRiseK/m.HeatTransfer
	returnC := waterC + m.ChilledRiseK
	water := latent / (VaporizationJPerKg((waterC+returnC)/2) / 1000)
	p.Humidifier = leiPump(water, m.HumidifierPa, m.HumidifierEff)
	p.HumidifierKgPerMJ = water * 1000
	leavingC := p.WetBulbC + m.TowerApproachK + m.ExchangerK
	p.FreeShare = clamp01((returnC - leavingC) / (returnC - waterC))
	free := cooling * p.FreeShare
	p.Economizer = leiPump(free/(leiWaterCp*m.ChilledRiseK), m.EconomizerPa, m.EconomizerEff)
	mechanical := cooling - free
	p.Chiller = mechanical / m.cop(p.WetBulbC)
	p.ChilledPump = leiPump(mechanical/(leiWaterCp*m.ChilledRiseK), m.ChilledPa, m.ChilledEff)
	m.tower(&p, cooling+p.Chiller, AirDensityKgM3(pressurePa, tC))
	return p
}

// start fills in what does not depend on the system and returns the heat in the hall per IT power.
func (m *LeiMasanetSite) start(tC, rh, pressurePa float64) (LeiMasanetPoint, float64) {
	p := LeiMasanetPoint{
		WetBulbC:     EnthalpyWetBulbC(tC, rh, pressurePa),
		UPS:          1/m.UPSEfficiency - 1,
		Distribution: 1/(1-m.DistributionLoss) - 1,
		Lighting:     m.Lighting,
	}
	return p, 1 + p.UPS + p.Distribution + p.Lighting
}

// tower adds pump and fan of the tower and sums up.
func (m *LeiMasanetSite) tower(p *LeiMasanetPoint, rejected, outdoorKgM3 float64) {
	water := rejected / (leiWaterCp * m.TowerRangeK)
	p.TowerPump = leiPump(water, m.TowerPa, m.TowerEff)
	p.TowerFan = leiFan(water/m.TowerLiquidPerGas, outdoorKgM3, m.TowerFanPa, m.TowerFanEff)
	p.PUE = 1 + p.UPS + p.Distribution + p.Lighting + p.Fans + p.Humidifier +
		p.Economizer + p.Chiller + p.ChilledPump + p.TowerPump + p.TowerFan
}

// cop is the published regression of a water-cooled chiller's COP.
func (m *LeiMasanetSite) cop(wetBulbC float64) float64 {
	return LeiMasanetCOP(m.ChillerLoad, wetBulbC+m.TowerApproachK) * (1 + m.ChillerCOPShare)
}

// LeiMasanetCOP is the regression's COP of a water-cooled chiller at a load share of 0.2 to 0.8 and condenser
// water of waterC °C.
func LeiMasanetCOP(load, waterC float64) float64 {
	return 16.798751 + 0.008840*waterC*waterC - 8.528931*load*load + 9.885294*load - 0.760621*waterC + 0.084615*load*waterC
}

// leiEnthalpy is in kJ/kg of dry air, with moisture in g/kg.
func leiEnthalpy(tC, moistureG float64) float64 {
	return leiDryCp*tC + (leiVapor+leiVaporCp*tC)*moistureG/1000
}

// leiMoisture is the moisture, g/kg, of air at tC and two dew points, each held within a range of relative humidity.
func leiMoisture(tC, pressurePa, dewLoC, dewHiC, rhMin, rhMax float64) (lo, hi float64) {
	saturation := weather.SaturationPa(tC)
	at := func(dewC float64) float64 {
		vapor := 611.21 * math.Exp(dewC*18.678/(257.14+dewC))
		vapor = min(max(vapor, rhMin*saturation), rhMax*saturation)
		return leiGrams * vapor / (pressurePa - vapor)
	}
	return at(dewLoC), at(dewHiC)
}

// leiFan is the power, kW, of a fan that moves kg/s.
func leiFan(kgS, kgM3, pa, efficiency float64) float64 { return kgS / kgM3 * pa / efficiency / 1000 }

// leiPump is the power, kW, of a pump that moves kg/s of water.
func leiPump(kgS, pa, efficiency float64) float64 { return pa * kgS / (1000 * efficiency * 1000) }

package catalog

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"headroom/facility/units"
)

// GPU is an accelerator. Rates of arithmetic are dense, without sparsity.
type GPU struct {
	Name, Title, MemoryKind, LinkKind string

	TDP, CapMin, CapMax, Idle  Figure // W; Idle at IdleAt
	IdleAt                     Figure // °C of the die
	Limit, Slowdown, Shutdown  Figure // °C: software slowdown starts, hardware slowdown, shutdown
	MemoryLimit                Figure // °C
	ClockMin, ClockMax         Figure // MHz
	Leak                       Figure // leakage at 65 °C as a share of TDP
	LeakSlope                  Figure // its exponential growth, 1/K
	Alpha                      Figure // dynamic power goes with (clock share)^Alpha
	Memory, Bandwidth, Link    Figure // GB, GB/s, GB/s both ways
	FP64, FP64Matrix, TF32     Figure // TFLOPS
	BF16, FP16, FP8, INT8, FP4 Figure
	Matmul                     Figure // BF16 matrix product that is reached in practice, TFLOPS
	// Memory of an eighth, a quarter, half and all of it as the names of its multi-instance (MIG) profiles say it, GB; unknown
	// for one that can't be cut.
	MIG1, MIG2, MIG4, MIG8 Figure
}

func figure(key string, f *Figure, d units.Dimension) field {
	return field{key: key, figure: f, dim: d}
}

func text(key string, s *string) field { return field{key: key, text: s} }

func unknownFigure(d units.Dimension) Figure { return Figure{Value: math.NaN(), Dimension: d} }

func (g *GPU) clone() entry { c := *g; return &c }

func (g *GPU) fields() []field {
	return []field{
		text("title", &g.Title),
		figure("tdp", &g.TDP, units.Power),
		figure("cap-min", &g.CapMin, units.Power),
		figure("cap-max", &g.CapMax, units.Power),
		figure("idle", &g.Idle, units.Power),
		figure("idle-at", &g.IdleAt, units.Temperature),
		figure("limit", &g.Limit, units.Temperature),
		figure("slowdown", &g.Slowdown, units.Temperature),
		figure("shutdown", &g.Shutdown, units.Temperature),
		figure("memory-limit", &g.MemoryLimit, units.Temperature),
		figure("clock-min", &g.ClockMin, units.Clock),
		figure("clock-max", &g.ClockMax, units.Clock),
		figure("leak", &g.Leak, units.Share),
		figure("leak-slope", &g.LeakSlope, units.PerKelvin),
		figure("alpha", &g.Alpha, units.Count),
		figure("memory", &g.Memory, units.Memory),
		text("memory-kind", &g.MemoryKind),
		figure("bandwidth", &g.Bandwidth, units.Bandwidth),
		figure("fp64", &g.FP64, units.Compute),
		figure("fp64-matrix", &g.FP64Matrix, units.Compute),
		figure("tf32", &g.TF32, units.Compute),
		figure("bf16", &g.BF16, units.Compute),
		figure("fp16", &g.FP16, units.Compute),
		figure("fp8", &g.FP8, units.Compute),
		figure("int8", &g.INT8, units.Compute),
		figure("fp4", &g.FP4, units.Compute),
		figure("matmul", &g.Matmul, units.Compute),
		figure("link", &g.Link, units.Bandwidth),
		text("link-kind", &g.LinkKind),
		figure("mig-eighth", &g.MIG1, units.Memory),
		figure("mig-quarter", &g.MIG2, units.Memory),
		figure("mig-half", &g.MIG4, units.Memory),
		figure("mig-all", &g.MIG8, units.Memory),
	}
}

func (g *GPU) check(*Catalog) error {
	var errs []error
	ascending := func(what string, figures ...Figure) {
		last := math.Inf(-1)
		for _, f := range figures {
			if f.Known() && f.Value < last {
				errs = append(errs, fmt.Errorf("%s do not ascend", what))
			}
			if f.Known() {
				last = f.Value
			}
		}
	}
	ascending("idle, cap-min, tdp and cap-max", g.Idle, g.TDP)
	ascending("cap-min, tdp and cap-max", g.CapMin, g.TDP, g.CapMax)
	ascending("limit, slowdown and shutdown", g.Limit, g.Slowdown, g.Shutdown)
	ascending("clock-min and clock-max", g.ClockMin, g.ClockMax)
	return errors.Join(errs...)
}

// Server is a server with its accelerators, or a rack system that fills a rack.
type Server struct {
	Name, Title, GPU, PSU, Short, Note string

	Liquid bool // its accelerators sit on cold plates
	Rack   bool // it comes as a whole rack

	GPUs                       Figure
	Height, Mass               Figure // U, kg
	Nameplate                  Figure // W at the cord
	PSUs, PSUNeeded, PSURating Figure // installed, needed for full power, W of output each
	ShortCap                   Figure // share of nameplate that remains with fewer
	PF                         Figure // power factor, loaded
	Board                      Figure // W of DC that follow nothing
	VRM                        Figure // DC watts per watt of GPU power: conversion beyond the GPU's own meter
	Host                       Figure // DC watts of CPU, memory, network per watt of GPU power
	Fan, FanExponent           Figure // W at rated airflow; power goes with (airflow share)^FanExponent
	FanMin, FanMax             Figure // airflow shares
	Airflow                    Figure // rated, m3/s
	LiquidShare                Figure // of wall power
	Flow                       Figure // coolant at rated flow, L/min
	InletMin, InletMax         Figure // °C of air that the maker allows
	CoolantMax                 Figure // °C
	R0, RFlow, RExponent       Figure // K/W: R0 + RFlow·(flow share)^RExponent, the mean slot
	WorstSlot                  Figure // its resistance over the mean
	GPUHeat                    Figure // J/K of one GPU with heat sink or cold plate
	Target                     Figure // °C that the fans hold
}

func (s *Server) clone() entry { c := *s; return &c }

func (s *Server) fields() []field {
	return []field{
		text("title", &s.Title),
		text("gpu", &s.GPU),
		figure("gpus", &s.GPUs, units.Count),
		{key: "liquid", flag: &s.Liquid},
		{key: "rack-system", flag: &s.Rack},
		figure("height", &s.Height, units.RackUnits),
		figure("mass", &s.Mass, units.Mass),
		figure("nameplate", &s.Nameplate, units.Power),
		text("psu", &s.PSU),
		figure("psus", &s.PSUs, units.Count),
		figure("psus-needed", &s.PSUNeeded, units.Count),
		figure("psu-rating", &s.PSURating, units.Power),
		text("short-of-psus", &s.Short),
		figure("short-cap", &s.ShortCap, units.Share),
		figure("power-factor", &s.PF, units.Share),
		figure("board", &s.Board, units.Power),
		figure("vrm", &s.VRM, units.Count),
		figure("host", &s.Host, units.Count),
		figure("fan", &s.Fan, units.Power),
		figure("fan-exponent", &s.FanExponent, units.Count),
		figure("fan-min", &s.FanMin, units.Count),
		figure("fan-max", &s.FanMax, units.Count),
		figure("airflow", &s.Airflow, units.Airflow),
		figure("liquid-share", &s.LiquidShare, units.Share),
		figure("flow", &s.Flow, units.LiquidFlow),
		figure("inlet-min", &s.InletMin, units.Temperature),
		figure("inlet-max", &s.InletMax, units.Temperature),
		figure("coolant-max", &s.CoolantMax, units.Temperature),
		figure("resistance-fixed", &s.R0, units.Resistance),
		figure("resistance-flow", &s.RFlow, units.Resistance),
		figure("resistance-exponent", &s.RExponent, units.Count),
		figure("worst-slot", &s.WorstSlot, units.Count),
		figure("gpu-heat", &s.GPUHeat, units.HeatCapacity),
		figure("target", &s.Target, units.Temperature),
		text("note", &s.Note),
	}
}

// shortRules are the values of short-of-psus: what a server does with fewer supplies than psus-needed.
var shortRules = []string{"off", "degraded"}

func (s *Server) check(c *Catalog) error {
	var errs []error
	if _, err := c.GPU(s.GPU); err != nil {
		errs = append(errs, fmt.Errorf("gpu: %w", err))
	}
	if _, err := c.PSU(s.PSU); s.PSU != "" && err != nil {
		errs = append(errs, fmt.Errorf("psu: %w", err))
	}
	if s.Short != "" && !slices.Contains(shortRules, s.Short) {
		errs = append(errs, fmt.Errorf("short-of-psus: %q is none of off, degraded", s.Short))
	}
	whole := func(key string, f Figure) {
		if f.Known() && (f.Value < 1 || f.Value != math.Trunc(f.Value)) {
			errs = append(errs, fmt.Errorf("%s: %q is not a whole number from 1", key, f.Text))
		}
	}
	whole("gpus", s.GPUs)
	whole("height", s.Height)
	whole("psus", s.PSUs)
	whole("psus-needed", s.PSUNeeded)
	if s.PSUs.Known() && s.PSUNeeded.Known() && s.PSUNeeded.Value > s.PSUs.Value {
		errs = append(errs, errors.New("psus-needed is more than psus"))
	}
	return errors.Join(errs...)
}

// PSU is the efficiency curve of a power supply: efficiency by output as a share of rating.
type PSU struct {
	Name, Title string
	Curve       []Point
}

func (p *PSU) clone() entry {
	c := *p
	c.Curve = slices.Clone(p.Curve)
	return &c
}

func (p *PSU) fields() []field {
	return []field{text("title", &p.Title), {key: "efficiency", points: &p.Curve}}
}

func (p *PSU) check(*Catalog) error {
	if len(p.Curve) == 0 {
		return fmt.Errorf("efficiency: %w", errEmpty)
	}
	return nil
}

// Loss is a loss curve as a fraction of rating: A + B·x + C·x², x the load as a share of rating.
type Loss struct{ A, B, C Figure }

func (l *Loss) fields() []field {
	return []field{
		figure("loss-fixed", &l.A, units.Count),
		figure("loss-linear", &l.B, units.Count),
		figure("loss-square", &l.C, units.Count),
	}
}

// check refuses a curve that is incomplete or below zero somewhere on [0, 1.5].
func (l *Loss) check(*Catalog) error {
	if !l.A.Known() || !l.B.Known() || !l.C.Known() {
		return errors.New("loss-fixed, loss-linear and loss-square are all needed")
	}
	for x := 0.0; x <= 1.5; x += 0.01 {
		if l.A.Value+l.B.Value*x+l.C.Value*x*x < 0 {
			return fmt.Errorf("the loss is below zero at %.0f%% load", 100*x)
		}
	}
	return nil
}

// UPS is the loss curve of a UPS in one mode.
type UPS struct {
	Name, Title string
	Loss
}

func (u *UPS) clone() entry    { c := *u; return &c }
func (u *UPS) fields() []field { return append([]field{text("title", &u.Title)}, u.Loss.fields()...) }

// Transformer is the loss curve of a transformer.
type Transformer struct {
	Name, Title string
	Loss
}

func (t *Transformer) clone() entry { c := *t; return &c }

func (t *Transformer) fields() []field {
	return append([]field{text("title", &t.Title)}, t.Loss.fields()...)
}

// Distribution is the loss curve of a PDU, panel, busway or busbar.
type Distribution struct {
	Name, Title string
	Loss
}

func (d *Distribution) clone() entry { c := *d; return &c }

func (d *Distribution) fields() []field {
	return append([]field{text("title", &d.Title)}, d.Loss.fields()...)
}

// Switch is a network switch.
type Switch struct {
	Name, Title  string
	Typical, Max Figure // W at the cord
	Height, Mass Figure
}

func (s *Switch) clone() entry { c := *s; return &c }

func (s *Switch) fields() []field {
	return []field{
		text("title", &s.Title),
		figure("typical", &s.Typical, units.Power),
		figure("max", &s.Max, units.Power),
		figure("height", &s.Height, units.RackUnits),
		figure("mass", &s.Mass, units.Mass),
	}
}

// Rack is a rack frame.
type Rack struct {
	Name, Title       string
	Height            Figure
	Width, Depth      Figure // m
	Frame, StaticLoad Figure // kg empty with PDUs and cables; kg it may carry
}

func (r *Rack) clone() entry { c := *r; return &c }

func (r *Rack) fields() []field {
	return []field{
		text("title", &r.Title),
		figure("height", &r.Height, units.RackUnits),
		figure("width", &r.Width, units.Length),
		figure("depth", &r.Depth, units.Length),
		figure("frame", &r.Frame, units.Mass),
		figure("static-load", &r.StaticLoad, units.Mass),
	}
}

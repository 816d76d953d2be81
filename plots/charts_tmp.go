package plots

import "headroom/sim"

func fitFigure(r *sim.Result) *figure { return &figure{title: "x", subtitle: subtitle(r)} }
func placementFigure(r *sim.Result) *figure { return &figure{title: "x", subtitle: subtitle(r)} }
func powerFigure(r *sim.Result) *figure { return &figure{title: "x", subtitle: subtitle(r)} }
func pueFigure(r *sim.Result) *figure { return &figure{title: "x", subtitle: subtitle(r)} }
func throughputFigure(r *sim.Result) *figure { return &figure{title: "x", subtitle: subtitle(r)} }
func thermalFigure(r *sim.Result) *figure { return &figure{title: "x", subtitle: subtitle(r)} }
func utilizationFigure(r *sim.Result) *figure { return &figure{title: "x", subtitle: subtitle(r)} }

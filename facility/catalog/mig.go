package catalog

import "fmt"

// MIGProfile is a part of a GPU that NVIDIA's Multi-Instance GPU cuts out: so many of its 7 parts of compute and of its 8 of
// memory. Starts has a bit for each part of memory at which one may begin.
type MIGProfile struct {
	Name            string
	Compute, Memory int
	Starts          uint8
}

// migShapes are the profiles of Ampere, Hopper and Blackwell GPUs with 7 parts, and where they may begin (NVIDIA Multi-Instance
// GPU User Guide, supported profiles): 7, 4, 3, 2, 1 and 1 of a kind at most.
var migShapes = [...]MIGProfile{
	{"", 1, 1, 0b0111_1111}, {"", 1, 2, 0b0101_0101}, {"", 2, 2, 0b0001_0101}, {"", 3, 4, 0b0001_0001}, {"", 4, 4, 0b0000_0001}, {"", 7, 8, 0b0000_0001},
}

// MIG are the profiles of a GPU, none for one that can't be cut.
func (g *GPU) MIG() []MIGProfile {
	gb := map[int]*Figure{1: &g.MIG1, 2: &g.MIG2, 4: &g.MIG4, 8: &g.MIG8}
	var out []MIGProfile
	for _, p := range migShapes {
		if f := gb[p.Memory]; f.Known() {
			p.Name = fmt.Sprintf("%dg.%.0fgb", p.Compute, f.Value)
			out = append(out, p)
		}
	}
	return out
}

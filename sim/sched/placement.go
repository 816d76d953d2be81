package sched

import (
	"reflect"
	"strings"
)

// Placement is a policy that says which server, and which of its GPUs, a job gets.
type Placement struct {
	Name, Doc string
	// Cost of giving a server (number i) what d asks for, which fits; the server of least cost is taken. gpu is the GPU
	// that a share of one goes to, and means nothing for whole GPUs. Costs are compared in 32 bits.
	Cost func(s *Scene, n *Node, d *Demand, i int32) (cost float64, gpu int)
	// Live says that Cost looks at the building, at what the job has so far or at a random number, so that it differs
	// between servers in one state and can't be remembered.
	Live bool
}

// Placements has a method for each policy of placement; its file declares the policy and nothing else lists it. A new
// policy is one file with one method that returns a Placement.
type Placements struct{}

// Orders has a method for each policy of who is next, as Placements has for where.
type Orders struct{}

// PlacementNamed finds a policy by the name a scenario writes.
func PlacementNamed(name string) (Placement, bool) { return named(AllPlacements(), name) }

// OrderNamed finds a policy by the name a scenario writes.
func OrderNamed(name string) (Order, bool) { return named(AllOrders(), name) }

// AllPlacements are the policies in alphabetical order of their methods.
func AllPlacements() []Placement { return all[Placement](Placements{}) }

// AllOrders are the policies in alphabetical order of their methods.
func AllOrders() []Order { return all[Order](Orders{}) }

// all calls every method of a type; each takes nothing and returns one P.
func all[P any](of any) []P {
	v := reflect.ValueOf(of)
	list := make([]P, 0, v.NumMethod())
	for i := range v.NumMethod() {
		m, ok := v.Method(i).Interface().(func() P)
		if !ok {
			panic("sched: method " + v.Type().Method(i).Name + " of " + v.Type().Name() + " is no policy")
		}
		list = append(list, m())
	}
	return list
}

func named[P interface{ name() string }](list []P, name string) (P, bool) {
	for _, p := range list {
		if p.name() == name {
			return p, true
		}
	}
	var none P
	return none, false
}

func (p Placement) name() string { return p.Name }
func (o Order) name() string     { return o.Name }

// Names lists the names of policies, for a message.
func Names[P interface{ name() string }](list []P) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = strings.TrimSpace(p.name())
	}
	return out
}

package sched

// Order is a policy that says who is next.
type Order struct {
	Name, Doc string
	// Key of a waiting job; the least is next, of equals the one that came first.
	Key func(w *Waiting, u *Usage) float64
	// Live says that keys change while jobs wait.
	Live bool
}

// Waiting is a job in the queue.
type Waiting struct {
	Job       int32
	Tenant    int32
	Priority  int32
	MilliGPUs int64
	WorkS     float64 // expected run time; +Inf for a service
	seq       int64
	key       float64
}

// Tenant is who asks for GPUs.
type Tenant struct {
	Name       string
	Weight     float64 // of its fair share, 0 is taken as 1
	QuotaMilli int64   // most it may hold at once, in thousandths of a GPU; 0: no quota
}

// Usage is what tenants hold now.
type Usage struct {
	Tenants []Tenant
	milli   []int64
}

// Milli is what a tenant holds now, in thousandths of a GPU.
func (u *Usage) Milli(tenant int32) int64 {
	if int(tenant) < len(u.milli) {
		return u.milli[tenant]
	}
	return 0
}

// Weight of a tenant's fair share.
func (u *Usage) Weight(tenant int32) float64 {
	if int(tenant) < len(u.Tenants) && u.Tenants[tenant].Weight > 0 {
		return u.Tenants[tenant].Weight
	}
	return 1
}

// within says whether a tenant may hold this much more.
func (u *Usage) within(tenant int32, more int64) bool {
	if int(tenant) >= len(u.Tenants) || u.Tenants[tenant].QuotaMilli == 0 {
		return true
	}
	return u.Milli(tenant)+more <= u.Tenants[tenant].QuotaMilli
}

func (u *Usage) add(tenant int32, milli int64) {
	for int(tenant) >= len(u.milli) {
		u.milli = append(u.milli, 0)
	}
	u.milli[tenant] += milli
}

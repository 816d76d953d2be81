package sched

// FIFO is a queue of jobs, first come first served. The zero value is empty.
type FIFO struct {
	ring []int32 // length a power of two, or 0
	head int
	n    int
}

// Len is the number of jobs waiting.
func (q *FIFO) Len() int { return q.n }

// Push puts a job at the end.
func (q *FIFO) Push(job int32) {
	q.grow()
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = job
	q.n++
}

// PushFront puts a job before all others, as for one that lost its server and is not to lose its turn.
func (q *FIFO) PushFront(job int32) {
	q.grow()
	q.head = (q.head - 1) & (len(q.ring) - 1)
	q.ring[q.head] = job
	q.n++
}

// Head is the job whose turn it is; false when none waits.
func (q *FIFO) Head() (int32, bool) {
	if q.n == 0 {
		return 0, false
	}
	return q.ring[q.head], true
}

// At is the i-th waiting job, 0 the head. It panics when fewer wait.
func (q *FIFO) At(i int) int32 {
	if i < 0 || i >= q.n {
		panic("sched: FIFO index out of range")
	}
	return q.ring[(q.head+i)&(len(q.ring)-1)]
}

// Pop takes out the head. It panics when no job waits.
func (q *FIFO) Pop() int32 {
	if q.n == 0 {
		panic("sched: Pop of an empty FIFO")
	}
	job := q.ring[q.head]
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	return job
}

func (q *FIFO) grow() {
	if q.n < len(q.ring) {
		return
	}
	ring := make([]int32, max(16, 2*len(q.ring)))
	k := copy(ring, q.ring[q.head:])
	copy(ring[k:], q.ring[:q.head])
	q.ring, q.head = ring, 0
}

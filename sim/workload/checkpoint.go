package workload

import "math"

// YoungS is Young's interval between checkpoints, √(2·cost·MTBF): the work that minimizes, to first order, the time
// lost to writing checkpoints and to work done again after a failure (J. W. Young, A first order approximation to the
// optimum checkpoint interval, CACM 17(9), 1974). mtbfS is the mean time between failures that stop the job, so it falls
// with the number of servers. Checkpoints that cost nothing are written all the time (0); without failures, or when an
// argument is not a number, none is (+Inf).
func YoungS(costS, mtbfS float64) float64 {
	if !(costS >= 0) || !(mtbfS > 0) {
		return math.Inf(1)
	}
	if costS == 0 {
		return 0
	}
	return math.Sqrt(2 * costS * mtbfS)
}

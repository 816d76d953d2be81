package placement

import (
	"math"
	"math/bits"
)

// sumSteps bounds the sums that are looked at for one row: its capacity over the greatest common divisor of what
// servers take.
const sumSteps = 1 << 20

// sums holds the rows on which every server of a model weighs the same, so that whole servers make only some sums.
type sums struct {
	rows    []int     // of the relaxation
	factor  []float64 // share of the row for a watt
	classes [][]int   // that load it
}

func newSums(x *relaxed) *sums {
	factor := make([]float64, x.rows)
	classes := make([][]int, x.rows)
	for r := range factor {
		factor[r] = math.NaN() // not seen
	}
	for ci := range x.classes {
		for _, e := range x.classes[ci].entries {
			switch f := factor[e.row]; {
			case e.figure != ofW || (f == f && f != e.factor):
				factor[e.row] = 0 // no common one
			default:
				factor[e.row] = e.factor
			}
			classes[e.row] = append(classes[e.row], ci)
		}
	}
	s := &sums{}
	for r, f := range factor {
		if f > 0 {
			s.rows, s.factor, s.classes = append(s.rows, r), append(s.factor, f), append(s.classes, classes[r])
		}
	}
	return s
}

// tighten lowers the capacity of rows to the largest sum of whole servers that they hold. Of an earlier model no row
// carries more servers than must stand in all: a placement with more of them holds no more of the stage's than one
// without. most is how many of each model a rack of a class holds, nil where that is not known. It returns the work.
func (q *sums) tighten(x *relaxed, s *stage, racks []int, most []int, caps []float64) (work int) {
	m := len(x.models)
	sizes, counts := make([]int64, 0, m), make([]int64, 0, m)
	for k, r := range q.rows {
		capacity := int64(caps[r] / q.factor[k] * (1 + slack))
		sizes, counts = sizes[:0], counts[:0]
		unit := int64(0)
		for j := range x.models {
			w := int64(x.figure[ofW][j])
			if w <= 0 || (j != s.model && s.least[j] <= 0) {
				continue
			}
			n := capacity / w
			if j != s.model {
				n = min(n, int64(s.least[j]))
			}
			if most != nil {
				held := 0
				for _, ci := range q.classes[k] {
					held += racks[ci] * most[ci*m+j]
				}
				n = min(n, int64(held))
			}
			if n > 0 {
				sizes, counts = append(sizes, w), append(counts, n)
				unit = gcd(unit, w)
			}
		}
		if unit == 0 || capacity/unit > sumSteps || work > 64*sumSteps {
			continue
		}
		for i := range sizes {
			sizes[i] /= unit
		}
		work += int(capacity/unit)/64*len(sizes)*4 + 1
		if best := largestSum(sizes, counts, capacity/unit) * unit; best < capacity {
			caps[r] = math.Min(caps[r], float64(best)*q.factor[k]*(1+slack))
		}
	}
	return work
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// largestSum returns the largest sum of sizes, each taken at most so often, that a capacity holds.
func largestSum(sizes, counts []int64, capacity int64) int64 {
	set := make([]uint64, capacity/64+1) // sums that can be made
	set[0] = 1
	for k, size := range sizes {
		for part, left := int64(1), counts[k]; left > 0; part *= 2 { // 1, 2, 4 … and the rest make every count
			n := min(part, left)
			left -= n
			shiftOr(set, n*size, capacity)
		}
	}
	for i := len(set) - 1; i >= 0; i-- {
		word := set[i]
		if i == len(set)-1 && capacity%64 < 63 {
			word &= 1<<(capacity%64+1) - 1
		}
		if word != 0 {
			return int64(i)*64 + int64(63-bits.LeadingZeros64(word))
		}
	}
	return 0
}

// shiftOr adds to a set of sums those that are by more.
func shiftOr(set []uint64, by, capacity int64) {
	if by > capacity {
		return
	}
	words, rest := int(by/64), uint(by%64)
	for i := len(set) - 1; i >= words; i-- {
		v := set[i-words] << rest
		if rest > 0 && i > words {
			v |= set[i-words-1] >> (64 - rest)
		}
		set[i] |= v
	}
}

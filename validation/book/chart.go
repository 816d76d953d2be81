package main

import (
	"bytes"
	"math"

	"headroom/plots"
	"headroom/validation"
)

// chart returns the picture over the book as PNG.
func (b *book) chart() ([]byte, error) {
	var rows []plots.Compared
	for _, area := range b.chapters() {
		for _, r := range b.rows {
			if areaOf(r.ID) == area {
				rows = append(rows, plots.Compared{Area: titleOf(area), Off: signed(r)})
			}
		}
	}
	var buf bytes.Buffer
	err := plots.DrawAgreement(rows, "png", &buf)
	return buf.Bytes(), err
}

// signed is the used share of what is allowed, negative under the middle of it.
func signed(r validation.Row) float64 {
	return math.Copysign(r.Used(r.Simulated), r.Simulated-(r.High+r.Low)/2)
}

// Package rng gives every random purpose its own stream, derived from the seed by name, so that adding
// an entity or an unused class shifts no other draw.
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// New is the stream of one purpose of one entity: component says what the numbers are for ("failures"), entity whose they
// are ("server 12"). Equal arguments give equal streams; streams of different names are independent. Both words of the
// PCG state come from SHA-256 of the parts, each part with its length before it, so that no two names run together.
//
// The streams are part of the model: a change of this function changes every result (a test holds their values).
func New(seed uint64, replicate int, component, entity string) *rand.Rand {
	buf := make([]byte, 0, 32+len(component)+len(entity))
	buf = binary.BigEndian.AppendUint64(buf, seed)
	buf = binary.BigEndian.AppendUint64(buf, uint64(replicate))
	buf = binary.BigEndian.AppendUint64(buf, uint64(len(component)))
	buf = append(buf, component...)
	buf = binary.BigEndian.AppendUint64(buf, uint64(len(entity)))
	buf = append(buf, entity...)
	sum := sha256.Sum256(buf)
	return rand.New(rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])))
}

// Package rng gives every random purpose its own stream, derived from the seed by name, so that adding
// an entity or an unused class shifts no other draw.
package rng

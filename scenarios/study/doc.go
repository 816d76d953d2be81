// Package study follows a scenario over many placements: the dated plan (deliveries, racks that come and go,
// refreshes, reservations) and the runway, the day on which each resource runs out under growing demand.
//
// Nothing is estimated where it can be placed: on every day on which the hall changes, it is placed again
// under every limit, and once under each limit alone. What is uncertain is demand, and it alone carries
// quantiles. Days are local to the site; a change holds from its day on.
package study

package sched

type Order struct{ Name string }

// Command headroom simulates a datacenter's rack capacity: it places 8-GPU servers into racks under every power
// and cooling limit, runs months of work on them, and reports how many fit, what stops the next one, what comes
// out and what it costs in energy.
//
// Each command has a file of its own. A command's flags and help stand beside the function that does its work;
// errors turn into exit codes in exit.go, and files reach the disk through output.go, whole or not at all.
package main

import "os"

func main() { os.Exit(run(interruptible(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

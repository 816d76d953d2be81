package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"headroom/facility/units"
	"headroom/plots/lang"
)

// command is one thing the program does.
type command struct {
	name  string
	args  string // as the usage line shows them
	short string // what it answers, in the list of commands
	long  string
	// setup adds the command's flags and returns the function that does its work.
	setup func(*pflag.FlagSet) func(ctx context.Context, t *terminal, args []string) error
	exits []int
}

// commands in the order in which help lists them.
func commands() []command {
	return []command{
		runCommand, planCommand, compareCommand, studyCommand, studyServeCommand, studyWorkCommand, studyMergeCommand,
		importCommand, checkCommand, catalogCommand, examplesCommand, schemaCommand, completionCommand, manCommand(), versionCommand,
	}
}

// run is the program: it does what args say and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	t := newTerminal(stdin, stdout, stderr)
	defer func() {
		if p := recover(); p != nil {
			t.endProgress()
			fmt.Fprintf(stderr, "headroom: internal error: %v\n%s", p, debug.Stack())
			code = exitFailed
		}
	}()
	err := dispatch(ctx, t, args)
	t.endProgress()
	t.printError(err)
	return exitCode(err)
}

func dispatch(ctx context.Context, t *terminal, args []string) error {
	if len(args) == 0 {
		return usageError{text: "no command", hint: strings.TrimSpace(programHelp())}
	}
	name, rest := args[0], args[1:]
	switch name {
	case "-h", "--help":
		name = "help"
	case "--version":
		name = "version"
	}
	switch name {
	case "help":
		return help(t, rest)
	case completeName:
		return printCandidates(t, rest)
	}
	if len(rest) > 0 { // a command of two words
		if _, err := findCommand(name + " " + rest[0]); err == nil {
			name, rest = name+" "+rest[0], rest[1:]
		}
	}
	c, err := findCommand(name)
	if err != nil {
		return err
	}
	flags := newFlags(c.name)
	do := c.setup(flags)
	switch err := flags.Parse(rest); {
	case errors.Is(err, pflag.ErrHelp):
		_, err = io.WriteString(t.stdout, c.help())
		return err
	case err != nil:
		return flagError(c, flags, err)
	}
	t.quiet, _ = flags.GetBool("quiet")
	tag, _ := flags.GetString("lang")
	if err := oneOf("lang", tag, lang.Languages()...); err != nil {
		return err
	}
	if err := lang.Use(tag); err != nil {
		return err
	}
	return do(ctx, t, flags.Args())
}

func newFlags(name string) *pflag.FlagSet {
	flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
	flags.SetOutput(io.Discard) // help and errors are printed in one place
	flags.SortFlags = false
	flags.String("lang", "en", "`LANGUAGE` of charts, reports and tables: en or zh")
	flags.BoolP("quiet", "q", false, "no progress, notes or warnings on stderr")
	return flags
}

func findCommand(name string) (command, error) {
	var names []string
	for _, c := range commands() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	err := usageError{text: fmt.Sprintf("unknown command %q", name)}
	if strings.HasPrefix(name, "-") {
		err.text = fmt.Sprintf("flag %q stands before the command; the command comes first", name)
	}
	if slices.Contains(exampleNames(), name) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		err.hint = fmt.Sprintf("a scenario comes after a command: headroom run %s", name)
	} else if best, ok := units.Nearest(name, append(names, "help")); ok {
		err.hint = fmt.Sprintf("did you mean %q?", best)
	} else {
		err.hint = "commands: " + strings.Join(names, ", ")
	}
	return command{}, err
}

// flagError names the flag that was probably meant.
func flagError(c command, flags *pflag.FlagSet, err error) error {
	out := usageError{text: c.name + ": " + err.Error(), hint: "see headroom " + c.name + " --help"}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		name := unknown.GetSpecifiedName()
		if others := commandsWith(name); len(name) > 1 && others != nil {
			out.hint = fmt.Sprintf("--%s is a flag of %s", name, strings.Join(others, ", "))
		} else if best, ok := units.Nearest(name, names); ok {
			out.hint = fmt.Sprintf("did you mean --%s?", best)
		}
	}
	return out
}

// commandsWith lists the commands that have a flag.
func commandsWith(flag string) []string {
	var names []string
	for _, c := range commands() {
		flags := newFlags(c.name)
		c.setup(flags)
		if flags.Lookup(flag) != nil {
			names = append(names, "headroom "+c.name)
		}
	}
	return names
}

func help(t *terminal, args []string) error {
	text := programHelp()
	if len(args) > 0 && args[0] != "help" {
		c, err := findCommand(strings.Join(args, " "))
		if err != nil {
			return err
		}
		text = c.help()
	}
	_, err := io.WriteString(t.stdout, text)
	return err
}

// What the program's help and its manual page say beside the commands.
const (
	programIntro = "Headroom simulates a datacenter's rack capacity: what fits, what stops the next server,\n" +
		"what throughput, heat and energy come out."
	programFile = "FILE is a scenario file, - for standard input, or the name of an embedded example.\n" +
		"Start with: headroom run first-hall -o out"
)

var programExits = []int{exitDone, exitFailed, exitUsage, exitBroken, exitInterrupted}

func programHelp() string {
	var b strings.Builder
	b.WriteString(programIntro + "\n\nUsage: headroom COMMAND [flags]\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-25s %s\n", strings.TrimSpace(c.name+" "+c.args), c.short)
	}
	b.WriteString("  help [COMMAND]            what a command takes\n\n" + programFile + "\n\n")
	b.WriteString(exitHelp(programExits...))
	return b.String()
}

func (c command) help() string {
	flags := newFlags(c.name)
	c.setup(flags)
	// A switch is turned on by its name alone; the library's hint at its long form only widens the column.
	const longForm = "[=true|false]"
	usages := strings.ReplaceAll(flags.FlagUsages(), longForm, strings.Repeat(" ", len(longForm)))
	return fmt.Sprintf("%s\n\nUsage: headroom %s [flags]\n\nFlags:\n%s\n%s",
		strings.TrimSpace(c.long), strings.TrimSpace(c.name+" "+c.args), usages, exitHelp(c.exits...))
}

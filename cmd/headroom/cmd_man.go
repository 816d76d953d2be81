package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

const manName = "man"

// manCommand is made anew each time, for it lists the commands of which it is one.
func manCommand() command {
	return command{
		name:  manName,
		args:  "[COMMAND]",
		short: "manual pages, made from the same text as --help",
		long: `Prints the manual page of a command, without COMMAND that of the program, for man to show. With --out DIR writes those
of all commands.
headroom man run | man -l -
headroom man -o ~/.local/share/man/man1`,
		exits: []int{exitDone, exitFailed, exitUsage},
		setup: func(flags *pflag.FlagSet) func(context.Context, *terminal, []string) error {
			out := flags.StringP("out", "o", "", "write the pages of all commands into `DIR`")
			return func(ctx context.Context, t *terminal, args []string) error {
				if flags.Changed("out") && *out == "" {
					return usageError{text: "--out: want a folder"}
				}
				return runMan(ctx, t, *out, args)
			}
		},
	}
}

func runMan(ctx context.Context, t *terminal, dir string, args []string) error {
	switch {
	case len(args) > 1:
		return usageError{text: fmt.Sprintf("want at most one command, got %d", len(args))}
	case dir == "" && len(args) == 0:
		return programMan(t.stdout)
	case dir == "":
		c, err := findCommand(args[0])
		if err != nil {
			return err
		}
		return c.man(t.stdout)
	case len(args) > 0:
		return usageError{text: "--out writes the pages of all commands; want no COMMAND beside it"}
	}
	out, err := openOutput(dir)
	if err != nil {
		return err
	}
	defer out.discard()
	files := []resultFile{{"headroom.1", programMan}}
	for _, c := range commands() {
		files = append(files, resultFile{"headroom-" + c.name + ".1", c.man})
	}
	return writeAll(ctx, t, out, files)
}

// roff escapes a text: backslashes, hyphens that must stay hyphens, and a dot or quote at the start of a line.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

func manHead(b *strings.Builder, name, short string) {
	fmt.Fprintf(b, ".TH %q 1 \"\" \"headroom\" \"Headroom manual\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), roff(name), roff(short))
}

func manExits(b *strings.Builder, codes ...int) {
	b.WriteString(".SH EXIT STATUS\n")
	for _, c := range codes {
		fmt.Fprintf(b, ".TP\n\\fB%d\\fR\n%s\n", c, roff(exitTexts[c]))
	}
}

// prose writes the lines of a help text; lines that are commands stand as they are.
func prose(b *strings.Builder, text string) {
	asIs := false
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		example := strings.HasPrefix(line, "headroom ") || strings.HasPrefix(line, "source <(headroom ")
		if example != asIs {
			b.WriteString(map[bool]string{true: ".PP\n.nf\n.RS\n", false: ".RE\n.fi\n.PP\n"}[example])
			asIs = example
		}
		b.WriteString(roff(line) + "\n")
	}
	if asIs {
		b.WriteString(".RE\n.fi\n")
	}
}

// man writes a command's manual page.
func (c command) man(w io.Writer) error {
	var b strings.Builder
	manHead(&b, "headroom-"+c.name, c.short)
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fBheadroom %s\\fR %s [flags]\n.SH DESCRIPTION\n", roff(c.name), roff(c.args))
	prose(&b, c.long)
	flags := newFlags(c.name)
	c.setup(flags)
	b.WriteString(".SH OPTIONS\n")
	flags.VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		b.WriteString(".TP\n")
		if f.Shorthand != "" {
			fmt.Fprintf(&b, "\\fB\\-%s\\fR, ", f.Shorthand)
		}
		fmt.Fprintf(&b, "\\fB\\-\\-%s\\fR", roff(f.Name))
		if f.NoOptDefVal == "" && value != "" {
			fmt.Fprintf(&b, " \\fI%s\\fR", roff(value))
		}
		b.WriteString("\n" + roff(usage))
		if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "0" && f.DefValue != "false" {
			fmt.Fprintf(&b, " (%s without it)", roff(f.DefValue))
		}
		b.WriteString("\n")
	})
	manExits(&b, c.exits...)
	b.WriteString(".SH SEE ALSO\n\\fBheadroom\\fR(1)\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// programMan writes the program's manual page.
func programMan(w io.Writer) error {
	var b strings.Builder
	manHead(&b, "headroom", "datacenter rack capacity simulator")
	b.WriteString(".SH SYNOPSIS\n\\fBheadroom\\fR \\fICOMMAND\\fR [flags]\n.SH DESCRIPTION\n")
	prose(&b, programIntro+"\n"+programFile)
	b.WriteString(".SH COMMANDS\n")
	var also []string
	for _, c := range commands() {
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fR %s\n%s\n", roff(c.name), roff(c.args), roff(c.short))
		also = append(also, fmt.Sprintf("\\fBheadroom\\-%s\\fR(1)", roff(c.name)))
	}
	manExits(&b, programExits...)
	b.WriteString(".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nwhen set, no colours\n.TP\n\\fBCOLUMNS\\fR\nwidth of tables where no terminal tells it\n")
	b.WriteString(".SH SEE ALSO\n" + strings.Join(also, ",\n") + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

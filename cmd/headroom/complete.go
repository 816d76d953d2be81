package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"headroom/plots"
	"headroom/plots/lang"
	"headroom/scenarios"
)

// completeName is the word by which the shells' scripts ask for candidates; help does not list it.
const completeName = "__complete"

// Scripts that ask the program itself what may stand next: a word and, after a tab, what it is.
var completionScripts = map[string]string{
	"bash": `# bash completion of headroom: source <(headroom completion bash)
_headroom() {
  local IFS=$'\n'
  local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  local cur="${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(headroom ` + completeName + ` "${words[@]}" 2>/dev/null | cut -f1))
  COMPREPLY=($(compgen -W "${COMPREPLY[*]}" -- "$cur"))
}
complete -o default -F _headroom headroom
`,
	"zsh": `#compdef headroom
# zsh completion of headroom: source <(headroom completion zsh), or a file _headroom in $fpath
_headroom() {
  local -a lines candidates
  local line
  lines=("${(@f)$(headroom ` + completeName + ` "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  (( ${#candidates} )) && _describe headroom candidates
  [[ ${words[CURRENT]} == -* ]] || _files
}
compdef _headroom headroom
`,
	"fish": `# fish completion of headroom: headroom completion fish | source
function __headroom_complete
    set -l words (commandline -opc) (commandline -ct)
    headroom ` + completeName + ` $words[2..-1] 2>/dev/null
end
complete -c headroom -a '(__headroom_complete)'
`,
}

var shells = []string{"bash", "zsh", "fish"}

var completionCommand = command{
	name:  "completion",
	args:  "SHELL",
	short: "script with which a shell completes commands, flags and names",
	long: `Prints the script of a shell: bash, zsh or fish. It completes commands, flags, values of flags, embedded
examples, a file's variants and what is in the catalogue.
source <(headroom completion bash)
headroom completion fish >~/.config/fish/completions/headroom.fish`,
	exits: []int{exitDone, exitUsage},
	setup: func(*pflag.FlagSet) func(context.Context, *terminal, []string) error { return runCompletion },
}

func runCompletion(_ context.Context, t *terminal, args []string) error {
	if len(args) != 1 {
		return usageError{text: fmt.Sprintf("want one shell, got %d", len(args)), hint: "shells: " + strings.Join(shells, ", ")}
	}
	i, err := pick("shell", args[0], shells)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(t.stdout, completionScripts[shells[i]])
	return err
}

// candidate is one word that may stand next, and what it is.
type candidate struct{ word, about string }

// printCandidates answers a shell: the words after the program's name, of which the last is being typed.
func printCandidates(t *terminal, words []string) error {
	if n := len(words); n > 0 && words[n-1] == "=" {
		words = append(words[:n-1:n-1], "=", "")
	}
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "=" }) // bash splits --flag=value
	cur := ""
	if len(words) > 0 {
		cur = words[len(words)-1]
	}
	for _, c := range candidates(words) {
		if strings.HasPrefix(c.word, cur) {
			fmt.Fprintf(t.stdout, "%s\t%s\n", c.word, c.about)
		}
	}
	return nil
}

func candidates(words []string) []candidate {
	if len(words) <= 1 {
		list := []candidate{{"help", "what a command takes"}}
		for _, c := range commands() {
			list = append(list, candidate{c.name, c.short})
		}
		return list
	}
	if words[0] == "help" {
		return candidates(nil)
	}
	c, err := findCommand(words[0])
	if err != nil {
		return nil
	}
	flags := newFlags(c.name)
	c.setup(flags)
	cur, before := words[len(words)-1], words[1:len(words)-1]
	if name, _, ok := strings.Cut(cur, "="); ok && strings.HasPrefix(name, "--") {
		var list []candidate
		for _, v := range flagValues(c.name, strings.TrimPrefix(name, "--"), before) {
			list = append(list, candidate{name + "=" + v.word, v.about})
		}
		return list
	}
	if strings.HasPrefix(cur, "-") {
		var list []candidate
		flags.VisitAll(func(f *pflag.Flag) {
			_, usage := pflag.UnquoteUsage(f)
			list = append(list, candidate{"--" + f.Name, usage})
		})
		return append(list, candidate{"--help", "what the command takes"})
	}
	rest, open := operands(flags, before)
	if open != "" {
		return flagValues(c.name, open, before)
	}
	return c.operandCandidates(rest)
}

// operands are the words that are no flags, and the flag at the end that still waits for its value.
func operands(flags *pflag.FlagSet, words []string) (rest []string, open string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		var f *pflag.Flag
		switch {
		case strings.HasPrefix(w, "--") && !strings.Contains(w, "="):
			f = flags.Lookup(strings.TrimPrefix(w, "--"))
		case strings.HasPrefix(w, "-") && len(w) == 2:
			f = flags.ShorthandLookup(w[1:])
		case !strings.HasPrefix(w, "-"):
			rest = append(rest, w)
		}
		if f == nil || f.NoOptDefVal != "" { // a switch
			continue
		}
		if i++; i == len(words) {
			return rest, f.Name
		}
	}
	return rest, ""
}

// operandCandidates are what may stand after the words that are no flags; files are the shell's own.
func (c *command) operandCandidates(rest []string) []candidate {
	switch {
	case strings.HasPrefix(c.args, "FILE..."), strings.HasPrefix(c.args, "FILE") && len(rest) == 0, c.name == examplesCommand.name && len(rest) == 0:
		var list []candidate
		for _, e := range scenarios.Examples() {
			list = append(list, candidate{e.Name, e.Question})
		}
		return list
	case c.name == catalogCommand.name && len(rest) <= 1:
		return catalogCandidates(rest)
	case c.name == completionCommand.name && len(rest) == 0:
		return named(shells...)
	case c.name == manName && len(rest) == 0:
		return candidates(nil)[1:]
	case c.name == importCommand.name && len(rest) == 0:
		return named("netbox")
	}
	return nil
}

func catalogCandidates(rest []string) []candidate {
	kinds, err := catalogKinds()
	if err != nil {
		return nil
	}
	var list []candidate
	for _, k := range kinds {
		if len(rest) == 0 {
			list = append(list, candidate{k.Kind, fmt.Sprintf("%d entries", len(k.Entries))})
			continue
		}
		if strings.EqualFold(k.Kind, rest[0]) {
			for _, e := range k.Entries {
				list = append(list, candidate{e.Name, e.Title})
			}
		}
	}
	return list
}

func named(words ...string) []candidate {
	var list []candidate
	for _, w := range words {
		list = append(list, candidate{w, ""})
	}
	return list
}

// flagValues are what a flag of a command takes; none where it is a number, a text or a file.
func flagValues(command, flag string, words []string) []candidate {
	switch flag {
	case "format":
		switch command {
		case checkCommand.name, examplesCommand.name, versionCommand.name:
			return named("table", "json")
		}
		return named("table", "json", "csv")
	case "lang":
		return named(lang.Languages()...)
	case "charts":
		return named(append(plots.Formats(), "none")...)
	case "variant", "base":
		return named(variantsOf(words)...)
	case "voltage":
		return named("L-L", "L-N")
	case "model":
		return catalogCandidates([]string{"servers"})
	case "climate":
		return catalogCandidates([]string{"climates"})
	}
	return nil
}

// variantsOf are the variants of the scenarios that words name, none where they cannot be read.
func variantsOf(words []string) []string {
	var list []string
	for _, w := range words {
		data, ok := scenarios.ExampleFile(w)
		if !ok {
			info, err := os.Stat(w)
			if err != nil || !info.Mode().IsRegular() || info.Size() > maxScenarioBytes {
				continue
			}
			if data, err = os.ReadFile(w); err != nil {
				continue
			}
		}
		sc, err := scenarios.Load(w, data, scenarios.Options{FS: hostFiles(filepath.Dir(w))})
		if err != nil {
			continue
		}
		for _, v := range sc.Variants() {
			if !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	return list
}

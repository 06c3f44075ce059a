/** `localization completion <shell>` prints a script for the shell. The script calls `localization __complete`. */

import { Argument, type Command, type Option } from 'commander'
import * as z from 'zod'
import { defineCommand } from '../command.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

export const command = defineCommand({
  description: 'Print a completion script for a shell: commands, options and their values.',
  examples: [
    'completion bash > ~/.local/share/bash-completion/completions/localization',
    'completion zsh > ~/.zfunc/_localization   # a folder in $fpath',
    'completion fish > ~/.config/fish/completions/localization.fish',
  ],
  argument: new Argument('<shell>', 'the shell').choices(SHELLS),
  result: z.object({ shell: z.enum(SHELLS), script: z.string() }),
  work: async (_context, _options, shell = '') => ({
    data: { shell: shell as Shell, script: SCRIPTS[shell as Shell] },
  }),
  text: ({ data }) => data.script.trimEnd(),
})

/**
 * Completions for the last word, which may be empty.
 *
 * @returns an empty list if a file or any other text is expected; the shell then completes file names
 */
export function candidates(program: Command, words: readonly string[]) {
  const current = words.at(-1) ?? ''
  let command = program
  /** The option whose value is the next word. */
  let open: Option | undefined
  for (const word of words.slice(0, -1)) {
    const isValue = open !== undefined
    const option: Option | undefined = isValue
      ? undefined
      : optionsOf(command).find(({ short, long }) => word === short || word === long)
    open = option && (option.required || option.optional) ? option : undefined
    if (!isValue && !word.startsWith('-')) command = command.commands.find((one) => one.name() === word) ?? command
  }
  return offer(command, open, current).filter(({ word }) => word.startsWith(current))
}

function offer(command: Command, open: Option | undefined, current: string) {
  const choices = (values: readonly string[] = []) => values.map((word) => ({ word, description: '' }))
  if (open) return choices(open.argChoices)
  if (current.startsWith('-'))
    return optionsOf(command).flatMap(({ short, long, description }) =>
      [short, long].flatMap((word) => (word === undefined ? [] : [{ word, description }])),
    )
  return [
    ...command.commands.map((one) => ({ word: one.name(), description: one.summary() || one.description() })),
    ...command.registeredArguments.flatMap(({ argChoices }) => choices(argChoices)),
  ]
}

/** The options of the command and its parents. */
function optionsOf(command: Command): Option[] {
  const own = command.createHelp().visibleOptions(command)
  const others = command.parent ? optionsOf(command.parent) : []
  return [...own, ...others.filter(({ long }) => own.every((option) => option.long !== long))]
}

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion of localization
_localization() {
  local IFS=$'\\n'
  COMPREPLY=($(localization __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  COMPREPLY=("\${COMPREPLY[@]%%$'\\t'*}")
  [ -n "\${COMPREPLY[0]}" ] || { COMPREPLY=(); compopt -o default 2>/dev/null; }
}
complete -F _localization localization
`,
  zsh: `#compdef localization
_localization() {
  local line
  local -a found
  for line in "\${(@f)$(localization __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#found )); then
    _describe localization found
  else
    _files
  fi
}
if [ "$funcstack[1]" = '_localization' ]; then
  _localization "$@"
else
  compdef _localization localization
fi
`,
  fish: `# fish completion of localization
function __localization_complete
  set -l current (commandline -ct)
  set -l found (localization __complete (commandline -opc)[2..-1] "$current" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c localization -f -a '(__localization_complete)'
`,
}

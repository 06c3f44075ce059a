/** Completion scripts, from the declarations that `--help` shows. */
import type { Command, Option } from 'commander'
import type { Shell } from './shells.ts'

interface CompletedOption {
  /** `-q`, `--quiet`. */
  readonly names: readonly string[]
  readonly description: string
  readonly takesValue: boolean
  /** Where the option takes one of a few values. */
  readonly choices: readonly string[]
}

interface CompletedCommand {
  /** `keys add`; the program itself is ``. */
  readonly path: string
  readonly description: string
  readonly subcommands: readonly { readonly name: string; readonly description: string }[]
  /** With those of the program. */
  readonly options: readonly CompletedOption[]
  /** Values of its arguments, where they are known. */
  readonly values: readonly string[]
}

export function completionFor(shell: Shell, program: Command): string {
  const commands = commandsOf(program, '', [])
  return { bash, zsh, fish }[shell](commands)
}

function commandsOf(command: Command, path: string, inherited: readonly CompletedOption[]): CompletedCommand[] {
  const help = command.createHelp()
  const own = help.visibleOptions(command).map(optionOf)
  const children = command.commands
  const options = [
    ...own,
    ...inherited.filter(({ names }) => !own.some((other) => other.names.includes(names[0] ?? ''))),
  ]
  const described = children.map((child) => ({
    name: child.name(),
    description: child.summary() || child.description(),
  }))
  const values = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  return [
    { path, description: command.summary() || command.description(), subcommands: described, options, values },
    ...children.flatMap((child) => commandsOf(child, `${path} ${child.name()}`.trim(), options)),
  ]
}

function optionOf({ short, long, description, required, optional, argChoices = [] }: Option): CompletedOption {
  const names = [short, long].filter((name) => name !== undefined)
  return { names, description, takesValue: required || optional, choices: argChoices }
}

/** Options of the program that take a value: they may stand before the command. */
function valueNames(commands: readonly CompletedCommand[]): string[] {
  const found = commands.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue))
  return [...new Set(found.flatMap(({ names }) => names))]
}

function paths(commands: readonly CompletedCommand[]): string[] {
  return commands.map(({ path }) => path).filter((path) => path !== '')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** By path and option: the values to choose from. */
function choiceCases(commands: readonly CompletedCommand[]): { readonly id: string; readonly values: string }[] {
  return commands.flatMap(({ path, options }) =>
    options.flatMap(({ names, choices }) =>
      choices.length === 0 ? [] : names.map((name) => ({ id: `${path}|${name}`, values: choices.join(' ') })),
    ),
  )
}

function bash(commands: readonly CompletedCommand[]): string {
  const words = commands.map(({ path, subcommands, options, values }) => {
    const names = options.flatMap((option) => option.names)
    const plain = [...subcommands.map(({ name }) => name), ...values]
    return `    ${quote(path)}) plain=${quote(plain.join(' '))} options=${quote(names.join(' '))} ;;`
  })
  const choices = choiceCases(commands).map(({ id, values }) => `    ${quote(id)}) values=${quote(values)} ;;`)
  return `# bash completion of localization
_localization() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local at=1 path='' word next plain='' options='' values=''
  while [ "$at" -lt "$COMP_CWORD" ]; do
    word=\${COMP_WORDS[at]}
    case $word in
      ${valueNames(commands).join('|')}) at=$((at + 1)) ;;
      -*) ;;
      *)
        next=\${path:+$path }$word
        case $next in
          ${paths(commands).map(quote).join('|')}) path=$next ;;
        esac ;;
    esac
    at=$((at + 1))
  done
  COMPREPLY=()
  case "$path|$previous" in
${choices.join('\n')}
  esac
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
    return
  fi
  case $previous in
    ${valueNames(commands).join('|')}) compopt -o default 2>/dev/null; return ;;
  esac
  case $path in
${words.join('\n')}
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *)
      COMPREPLY=($(compgen -W "$plain" -- "$current"))
      [ -n "$plain" ] || compopt -o default 2>/dev/null ;;
  esac
}
complete -F _localization localization
`
}

function zsh(commands: readonly CompletedCommand[]): string {
  const item = (name: string, description: string) => quote(`${name.replaceAll(':', '\\:')}:${description}`)
  const words = commands.map(({ path, subcommands, options, values }) => {
    const plain = [
      ...subcommands.map(({ name, description }) => item(name, description)),
      ...values.map((value) => item(value, '')),
    ]
    const named = options.flatMap(({ names, description }) => names.map((name) => item(name, description)))
    return `    ${quote(path)})\n      plain=(${plain.join(' ')})\n      options=(${named.join(' ')}) ;;`
  })
  const choices = choiceCases(commands).map(({ id, values }) => `    ${quote(id)}) compadd -- ${values}; return ;;`)
  return `#compdef localization
_localization() {
  local at=2 path_='' word next
  local -a plain options
  while (( at < CURRENT )); do
    word=$words[at]
    case $word in
      ${valueNames(commands).join('|')}) (( at++ )) ;;
      -*) ;;
      *)
        next=\${path_:+$path_ }$word
        case $next in
          ${paths(commands).map(quote).join('|')}) path_=$next ;;
        esac ;;
    esac
    (( at++ ))
  done
  case "$path_|$words[CURRENT-1]" in
${choices.join('\n')}
  esac
  case $words[CURRENT-1] in
    ${valueNames(commands).join('|')}) _files; return ;;
  esac
  case $path_ in
${words.join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o option options
  elif (( $#plain )); then
    _describe command plain
  else
    _files
  fi
}
if [ "$funcstack[1]" = '_localization' ]; then
  _localization "$@"
else
  compdef _localization localization
fi
`
}

function fish(commands: readonly CompletedCommand[]): string {
  const fishQuote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const lines = commands.flatMap(({ path, subcommands, options, values }) => {
    const when = `complete -c localization -n ${fishQuote(`test (__localization_path) = '${path}'`)}`
    return [
      ...subcommands.map(({ name, description }) => `${when} -f -a ${fishQuote(name)} -d ${fishQuote(description)}`),
      ...(values.length > 0 ? [`${when} -f -a ${fishQuote(values.join(' '))}`] : []),
      ...options.map(({ names, description, takesValue, choices }) => {
        const named = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
        const value = choices.length > 0 ? ` -x -a ${fishQuote(choices.join(' '))}` : takesValue ? ' -r' : ''
        return `${when} ${named.join(' ')}${value} -d ${fishQuote(description)}`
      }),
    ]
  })
  return `# fish completion of localization
function __localization_path
  set -l path ''
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
      continue
    end
    switch $word
      case ${valueNames(commands).join(' ')}
        set skip 1
      case '-*'
      case '*'
        set -l next (string trim "$path $word")
        if contains -- $next ${paths(commands).map(fishQuote).join(' ')}
          set path $next
        end
    end
  end
  echo "$path"
end
${lines.join('\n')}
`
}

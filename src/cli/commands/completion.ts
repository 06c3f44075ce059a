/** `localization completion <shell>`: what a shell needs to complete command lines. */
import { Argument } from 'commander'
import { type AddCommand, examples } from '../command.ts'
import { SHELLS, type Shell } from '../completion/shells.ts'

export const addCompletion: AddCommand = (program, act, _run, all) => {
  program
    .command('completion')
    .summary('print the completion of a shell')
    .description('Print the completion of a shell: commands, options, and the values that an option takes.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      examples(
        'completion bash > ~/.local/share/bash-completion/completions/localization',
        'completion zsh > ~/.zfunc/_localization   # a folder of $fpath',
        'completion fish > ~/.config/fish/completions/localization.fish',
      ),
    )
    .action(
      act(async (_context, _options: object, shell: Shell) => {
        const { completionFor } = await import('../completion/scripts.ts')
        const script = completionFor(shell, await all())
        return { data: { shell, script }, text: () => script.trimEnd() }
      }),
    )
}

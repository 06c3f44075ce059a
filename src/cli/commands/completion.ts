/** `localization completion <shell>`: prints the script that completes command lines in a shell. */
import { Argument } from 'commander'
import * as z from 'zod'
import { defineCommand } from '../command.ts'
import { SCRIPTS, SHELLS, type Shell } from '../completion.ts'

export const command = defineCommand({
  description: 'Print the completion of a shell: commands, options, and the values that an option takes.',
  examples: [
    'completion bash > ~/.local/share/bash-completion/completions/localization',
    'completion zsh > ~/.zfunc/_localization   # a folder of $fpath',
    'completion fish > ~/.config/fish/completions/localization.fish',
  ],
  argument: new Argument('<shell>', 'the shell').choices(SHELLS),
  result: z.object({ shell: z.enum(SHELLS), script: z.string() }),
  work: async (_context, _options, shell = '') => ({
    data: { shell: shell as Shell, script: SCRIPTS[shell as Shell] },
  }),
  text: ({ data }) => data.script.trimEnd(),
})

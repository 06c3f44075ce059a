/** `localization mcp`: the project's texts for agents. */
import { type AddCommand, examples } from '../command.ts'

export const addMcp: AddCommand = (program, act, run) => {
  program
    .command('mcp')
    .summary('answer agents over the Model Context Protocol')
    .description(
      'Answer agents over the Model Context Protocol on standard input and output, until the input ends: find texts ' +
        'by what a page shows, places of keys in the code, missing, unused, stale and conflicting texts, and check ' +
        'proposed texts. It reads only, unless --write is given. It never writes to the service.',
    )
    .option('--write', 'offer a tool that writes texts into the files')
    .addHelpText('after', examples('mcp', 'mcp --root apps/shop --write'))
    .action(
      act(async (context, { write = false }: { readonly write?: boolean }) => {
        const { serveAgents } = await import('../mcp/serve.ts')
        await serveAgents(context, run, { write })
        return undefined
      }),
    )
}

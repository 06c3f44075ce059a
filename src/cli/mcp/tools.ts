/** The tools offered to agents. Some run commands; the others are implemented in `texts.ts`. */
import * as z from 'zod'
import type { checkResult } from '../check/report.ts'
import type { CliCommand, CommandContext, CommandResult } from '../command.ts'
import type { diffResult } from '../commands/diff.ts'
import type { statusResult } from '../commands/status.ts'
import {
  findKeys,
  findShown,
  listMissing,
  proposedTexts,
  proposeTexts,
  showDevServer,
  showKey,
  writeTexts,
} from './texts.ts'

interface ToolOf<Input extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly input: Input
  /** If true, the tool is offered only with `--write`. */
  readonly writes?: boolean
  /** Lists in the result are cut, but `total` counts all items. */
  work(context: CommandContext, input: z.output<Input>): Promise<CommandResult>
}

export type Tool = ToolOf<z.ZodObject>

const tool = <Input extends z.ZodObject>(tool: ToolOf<Input>): Tool => tool

const filters = {
  language: z.array(z.string()).optional().describe('Only these languages; names or globs such as "pt-*".'),
  namespace: z.array(z.string()).optional().describe('Only these namespaces; names or globs.'),
}
const limit = z.int().min(1).max(1000).default(50).describe('The maximum number of results to list; all are counted.')
const kind = z
  .enum(['changed-here', 'changed-there', 'conflict', 'deleted-here', 'deleted-there'])
  .optional()
  .describe('Only differences of this kind.')
const offline = z.boolean().default(false).describe('Use only the files, not the service.')
const key = z.object({ namespace: z.string().optional().describe('Default: the default namespace.'), key: z.string() })

type Check = z.output<typeof checkResult>
type Diff = z.output<typeof diffResult>
type Status = z.output<typeof statusResult>

/** Runs a command. Resolves to the data that it prints with `--json`. */
async function run<Data>(
  context: CommandContext,
  loaded: Promise<{ readonly command: CliCommand }>,
  given: object,
): Promise<Data> {
  const { command } = await loaded
  const defaults = Object.entries(command.options).map(([name, { usage, initial }]) => {
    return [name, usage === '' ? false : initial]
  })
  const result = await command.run(context, { ...Object.fromEntries(defaults), ...given } as never)
  return result?.data as Data
}

function listed<Name extends string, Item>(name: Name, items: readonly Item[], most: number) {
  return { total: items.length, [name]: items.slice(0, most) }
}

export const TOOLS: readonly Tool[] = [
  tool({
    name: 'find_shown',
    description:
      'Find the keys of texts that a page shows, with placeholders and plurals filled in. Asks the dev server, if ' +
      'one is running, for the texts on its pages now.',
    input: z.object({
      texts: z.array(z.string().min(1)).min(1).max(100).describe('Each as one line, as the page shows it.'),
      language: z.string().optional().describe("The page's language, if known."),
    }),
    work: (context, { texts, language }) => findShown(context, texts, language),
  }),
  tool({
    name: 'find_keys',
    description: "Find keys whose name or text contains the given words, with the default language's text.",
    input: z.object({ search: z.string().min(1), ...filters, limit }),
    work: (context, { search, limit, ...filters }) => findKeys(context, search, filters, limit),
  }),
  tool({
    name: 'show_key',
    description:
      "Show one key: its text and position in each language's file, the findings of the checks, and every place in " +
      'the code that uses it.',
    input: key,
    work: (context, { key, namespace }) => showKey(context, key, namespace),
  }),
  tool({
    name: 'missing_texts',
    description: 'List texts that exist in the default language but not in another language.',
    input: z.object({ ...filters, limit }),
    work: (context, { limit, ...filters }) => listMissing(context, filters, limit),
  }),
  tool({
    name: 'check_texts',
    description:
      'Check the texts as `localization check` does: syntax, placeholders, plurals, ICU, tags, empty and stale.',
    input: z.object({ ...filters, limit }),
    async work(context, { limit, ...filters }) {
      const { findings, ...data } = await run<Check>(context, import('../commands/check.ts'), filters)
      return { data: { ...data, ...listed('findings', findings, limit) } }
    },
  }),
  tool({
    name: 'check_keys',
    description: 'Compare keys with the code: keys that no source uses, and used keys that no language has.',
    input: z.object({ namespace: filters.namespace, limit }),
    async work(context, { limit, namespace }) {
      const options = { unused: true, missingInCode: true, namespace }
      const data = await run<Check>(context, import('../commands/check.ts'), options)
      const { ok, errors, warnings, findings, usage } = data
      const { sources, keys, used, whole } = usage ?? {}
      return { data: { ok, errors, warnings, sources, keys, used, whole, ...listed('findings', findings, limit) } }
    },
  }),
  tool({
    name: 'stale_texts',
    description: 'List translations whose source text has changed since, with the old and the current source text.',
    input: z.object({ ...filters, limit }),
    async work(context, { limit, ...filters }) {
      const options = { offline: true, stale: true, ...filters }
      const { stale = [] } = await run<Status>(context, import('../commands/status.ts'), options)
      return { data: listed('stale', stale, limit) }
    },
  }),
  tool({
    name: 'differences',
    description: 'List texts that differ between files and service, such as conflicts. Needs a configured service.',
    input: z.object({ ...filters, kind, limit }),
    async work(context, { limit, ...options }) {
      const { differences, skippedFiles } = await run<Diff>(context, import('../commands/diff.ts'), options)
      return { data: { skippedFiles, ...listed('differences', differences, limit) } }
    },
  }),
  tool({
    name: 'status',
    description: 'Show how many texts each language and namespace has, and how many are stale, differ or conflict.',
    input: z.object({ ...filters, offline }),
    work: async (context, options) => ({ data: await run<Status>(context, import('../commands/status.ts'), options) }),
  }),
  tool({
    name: 'dev_server',
    description:
      'Show the state of the running dev server: whether it syncs; waiting, held and conflicting texts; problems in ' +
      "texts; its latest messages; and its inspector's address.",
    input: z.object({ limit }),
    work: (context, { limit }) => showDevServer(context, limit),
  }),
  tool({
    name: 'propose_texts',
    description:
      'Check new or changed texts without writing them, best in all languages together. Shows what would change in ' +
      'each file, the findings of the checks, and the languages that would still lack a text.',
    input: proposedTexts,
    work: (context, { texts }) => proposeTexts(context, texts),
  }),
  tool({
    name: 'write_texts',
    description:
      'Run the same checks as propose_texts, and then write the texts into the files. If any text has an error, none ' +
      'is written. Writes nothing to the service, but a running dev server with `push` sends what the files contain.',
    input: proposedTexts,
    writes: true,
    work: (context, { texts }) => writeTexts(context, texts),
  }),
]

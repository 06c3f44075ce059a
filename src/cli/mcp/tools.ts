/** The tools offered to agents. Some run commands; the others are implemented in `propose.ts` and `texts.ts`. */
import * as z from 'zod'
import type { checkResult } from '../check/report.ts'
import type { CommandContext, CommandResult } from '../command.ts'
import type { diffResult } from '../commands/diff.ts'
import type { statusResult } from '../commands/status.ts'
import type { FilterOptions } from '../filters.ts'
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

interface ToolBase<Input> {
  readonly name: string
  readonly description: string
  readonly input: Input
  /** If true, the tool is offered only with `--write`. */
  readonly writes?: boolean
}

interface OwnWork<Input> {
  work(context: CommandContext, input: Input): Promise<CommandResult>
}

interface CommandLine<Input, Data> {
  command(input: Input): readonly string[]
  /** Reduces the command's data for the agent. Lists are cut, but `total` counts all items. */
  pick(data: Data, input: Input): object
}

export type Tool = ToolBase<z.ZodObject> & (OwnWork<never> | CommandLine<never, never>)

const ownTool = <Input extends z.ZodObject>(tool: ToolBase<Input> & OwnWork<z.output<Input>>): Tool => tool
const commandTool = <Input extends z.ZodObject, Data>(
  tool: ToolBase<Input> & CommandLine<z.output<Input>, Data>,
): Tool => tool

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

const filterArguments = ({ language = [], namespace = [] }: Pick<FilterOptions, 'language' | 'namespace'>) => [
  ...language.map((name) => `--language=${name}`),
  ...namespace.map((name) => `--namespace=${name}`),
]

function listed<Name extends string, Item>(name: Name, items: readonly Item[], most: number) {
  return { total: items.length, [name]: items.slice(0, most) }
}

export const TOOLS: readonly Tool[] = [
  ownTool({
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
  ownTool({
    name: 'find_keys',
    description: "Find keys whose name or text contains the given words, with the default language's text.",
    input: z.object({ search: z.string().min(1), ...filters, limit }),
    work: (context, { search, limit, ...filters }) => findKeys(context, search, filters, limit),
  }),
  ownTool({
    name: 'show_key',
    description:
      "Show one key: its text and position in each language's file, the findings of the checks, and every place in " +
      'the code that uses it.',
    input: key,
    work: (context, { key, namespace }) => showKey(context, key, namespace),
  }),
  ownTool({
    name: 'missing_texts',
    description: 'List texts that exist in the default language but not in another language.',
    input: z.object({ ...filters, limit }),
    work: (context, { limit, ...filters }) => listMissing(context, filters, limit),
  }),
  commandTool({
    name: 'check_texts',
    description:
      'Check the texts as `localization check` does: syntax, placeholders, plurals, ICU, tags, empty and stale.',
    input: z.object({ ...filters, limit }),
    command: (input) => ['check', ...filterArguments(input)],
    pick: ({ findings, ...data }: Check, { limit: most }) => ({ ...data, ...listed('findings', findings, most) }),
  }),
  commandTool({
    name: 'check_keys',
    description: 'Compare keys with the code: keys that no source uses, and used keys that no language has.',
    input: z.object({ namespace: filters.namespace, limit }),
    command: (input) => ['check', '--unused', '--missing-in-code', ...filterArguments(input)],
    pick: ({ findings, usage, ok, errors, warnings }: Check, { limit: most }) => {
      const { sources, keys, used, whole } = usage ?? {}
      return { ok, errors, warnings, sources, keys, used, whole, ...listed('findings', findings, most) }
    },
  }),
  commandTool({
    name: 'stale_texts',
    description: 'List translations whose source text has changed since, with the old and the current source text.',
    input: z.object({ ...filters, limit }),
    command: (input) => ['status', '--offline', '--stale', ...filterArguments(input)],
    pick: ({ stale = [] }: Status, { limit: most }) => listed('stale', stale, most),
  }),
  commandTool({
    name: 'differences',
    description: 'List texts that differ between files and service, such as conflicts. Needs a configured service.',
    input: z.object({ ...filters, kind, limit }),
    command: (input) => ['diff', ...(input.kind ? [`--kind=${input.kind}`] : []), ...filterArguments(input)],
    pick: ({ differences, skippedFiles }: Diff, { limit: most }) => {
      return { skippedFiles, ...listed('differences', differences, most) }
    },
  }),
  commandTool({
    name: 'status',
    description: 'Show how many texts each language and namespace has, and how many are stale, differ or conflict.',
    input: z.object({ ...filters, offline }),
    command: (input) => ['status', ...(input.offline ? ['--offline'] : []), ...filterArguments(input)],
    pick: (data: Status) => data,
  }),
  ownTool({
    name: 'dev_server',
    description:
      'Show the state of the running dev server: whether it syncs; waiting, held and conflicting texts; problems in ' +
      "texts; its latest messages; and its inspector's address.",
    input: z.object({ limit }),
    work: (context, { limit }) => showDevServer(context, limit),
  }),
  ownTool({
    name: 'propose_texts',
    description:
      'Check new or changed texts without writing them, best in all languages together. Shows what would change in ' +
      'each file, the findings of the checks, and the languages that would still lack a text.',
    input: proposedTexts,
    work: (context, { texts }) => proposeTexts(context, texts),
  }),
  ownTool({
    name: 'write_texts',
    description:
      'Run the same checks as propose_texts, and then write the texts into the files. If any text has an error, none ' +
      'is written. Writes nothing to the service, but a running dev server with `push` sends what the files contain.',
    input: proposedTexts,
    writes: true,
    work: (context, { texts }) => writeTexts(context, texts),
  }),
]

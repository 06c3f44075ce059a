/** `localization diff`: every text that is not the same on both sides. */
import { Option } from 'commander'
import * as z from 'zod'
import { count } from '../../shared/figures.ts'
import type { TextState } from '../../sync/decide.ts'
import type { TextRecord } from '../../sync/records.ts'
import { MOST_CHARACTERS, quotedChange } from '../change.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'
import { addSyncCommand, type FilterOptions, type Switches } from '../filters.ts'
import { openProject } from '../project.ts'
import { conflictOf, conflictResult, nameOf, skippedLines } from '../summary.ts'
import { type Paint, quoted, type Tone } from '../text.ts'

const KINDS = {
  'new-here': 'changed-here',
  'edited-here': 'changed-here',
  'new-there': 'changed-there',
  'edited-there': 'changed-there',
  conflict: 'conflict',
  'deleted-here': 'deleted-here',
  'deleted-there': 'deleted-there',
} as const satisfies Record<Exclude<TextState, 'equal'>, string>
type Kind = (typeof KINDS)[keyof typeof KINDS]
const ALL_KINDS = [...new Set(Object.values(KINDS))]

export const diffResult = z.object({
  differences: z.array(conflictResult.extend({ kind: z.enum(ALL_KINDS) })),
  skippedFiles: z.array(z.string()),
})

const SWITCHES = {
  conflicts: 'only conflicts: texts that changed on both sides',
  exitCode: 'exit with 1 when there is a difference',
}
type DiffOptions = FilterOptions & Switches<typeof SWITCHES> & { readonly kind?: Kind }

const TITLES: Record<Kind, string> = {
  'changed-here': 'changed here (push)',
  'changed-there': 'changed on the service (pull)',
  conflict: 'changed on both sides (resolve)',
  'deleted-here': 'deleted here (push --prune, or pull --restore)',
  'deleted-there': 'deleted on the service (pull --prune)',
}

export const addDiff: AddCommand = (program, act) => {
  addSyncCommand(program, 'diff', SWITCHES)
    .summary('show every text that differs from the service')
    .description('Show every text that differs between the files and the service, and who changed it. Changes nothing.')
    .addOption(new Option('--kind <kind>', 'only differences of this kind').choices(ALL_KINDS))
    .addHelpText('after', examples('diff --language pl', 'diff --conflicts --json'))
    .action(act(diff))
}

async function diff(context: CommandContext, options: DiffOptions) {
  const open = await openProject(context, { filters: options, change: false })
  await open.close()
  const wanted = options.conflicts ? 'conflict' : options.kind
  const found = open
    .differences()
    .flatMap((text) => (text.state === 'equal' ? [] : [{ text, kind: KINDS[text.state] }]))
    .filter(({ kind }) => wanted === undefined || kind === wanted)
  const data: z.infer<typeof diffResult> = {
    differences: found.map(({ text, kind }) => ({ ...conflictOf(text), kind })),
    skippedFiles: [...open.brokenFiles],
  }
  return {
    data,
    failed: (options.exitCode === true && found.length > 0) || data.skippedFiles.length > 0,
    text: (paint: Paint) =>
      [...skippedLines(data.skippedFiles), found.length === 0 ? 'no difference' : show(found, paint)].join('\n'),
  }
}

function show(found: readonly { readonly text: TextRecord; readonly kind: Kind }[], paint: Paint): string {
  const lines: string[] = []
  for (const kind of ALL_KINDS) {
    const group = found.filter((each) => each.kind === kind)
    if (group.length === 0) continue
    if (lines.length > 0) lines.push('')
    lines.push(paint('bold', `${count(group.length, 'text')} ${TITLES[kind]}`))
    for (const { text } of group) lines.push(...linesOf(text, kind, paint))
  }
  return lines.join('\n')
}

/**
 * The lines of one text: what is replaced first, what replaces it second, with the changed words marked. A conflict
 * shows its base, too.
 */
export function linesOf({ ref, base, ours, theirs }: TextRecord, kind: Kind, paint: Paint): string[] {
  const isOurs = kind !== 'changed-there' && kind !== 'deleted-there'
  const line = (tone: Tone, sign: string, side: string, text: string) =>
    paint(tone, `  ${sign} ${side.padEnd(8)}${text}`)
  const whole = (text: string | undefined) => (text === undefined ? '(none)' : quoted(text, MOST_CHARACTERS))
  const [before, after] = isOurs ? [theirs, ours] : [ours, theirs]
  const isChange = before !== undefined && after !== undefined
  const change = isChange ? quotedChange(before, after, ref.language, paint) : ([whole(before), whole(after)] as const)
  const [old, now] = isOurs ? ['service', 'file'] : ['file', 'service']
  return [
    nameOf(ref),
    ...(kind === 'conflict' ? [line('dim', ' ', 'base', whole(base))] : []),
    line('red', '-', old, change[0]),
    line('green', '+', now, change[1]),
  ]
}

/** `localization resolve`: what both sides changed, decided by a person. */

import picomatch from 'picomatch'
import * as z from 'zod'
import { partId } from '../../catalog/text-id.ts'
import { count } from '../../shared/figures.ts'
import { type AddCommand, type CommandContext, examples, UsageError } from '../command.ts'
import { addFilters, type FilterOptions } from '../filters.ts'
import { loadSides, type Sides, type TextSides } from '../sides/load.ts'
import { removeFromFile } from '../sides/remove.ts'
import { countNewKeys, planSending, sendTexts } from '../sides/send.ts'
import { nameOf, refResult, textRefResult } from '../sides/summary.ts'
import { type Paint, printable } from '../text.ts'
import { sidesOf } from './diff.ts'

export const resolveResult = z.object({
  dryRun: z.boolean(),
  /** Decided, with `--dry-run` what would be. */
  resolved: z.array(textRefResult.extend({ side: z.enum(['ours', 'theirs']) })),
  /** Conflicts that are still there. */
  left: z.array(textRefResult),
  /** Decisions that could not be carried out, with the reason. */
  failures: z.array(textRefResult.extend({ reason: z.string() })),
})
type Side = 'ours' | 'theirs'

interface ResolveOptions extends FilterOptions {
  ours?: boolean
  theirs?: boolean
  dryRun?: boolean
}

export const addResolve: AddCommand = (program, act) => {
  addFilters(
    program
      .command('resolve [pattern...]')
      .summary('decide what both sides changed')
      .description(
        'Decide what both sides changed: keep the file\'s text (--ours) or the service\'s (--theirs). A pattern names keys, such as "errors.*". Without a side it asks for each.',
      )
      .option('--ours', "take the file's text and send it")
      .option('--theirs', "take the service's text and write it")
      .option('--dry-run', 'only say what would be done'),
  )
    .addHelpText('after', examples('resolve', 'resolve --theirs --language pl', 'resolve --ours "checkout.*"'))
    .action(act(resolve))
}

async function resolve(context: CommandContext, options: ResolveOptions, patterns: string[]) {
  if (options.ours && options.theirs) throw new UsageError('--ours and --theirs exclude each other')
  const given: Side | undefined = options.ours ? 'ours' : options.theirs ? 'theirs' : undefined
  if (given === undefined && !context.io.canAsk)
    throw new UsageError('give --ours or --theirs: there is nobody to ask here')
  const dryRun = options.dryRun === true
  const sides = await loadSides(context, { filters: options, change: !dryRun })
  const all = sides.texts.filter(({ decision }) => decision === 'conflict')
  let left = all
  try {
    const conflicts = all.filter(({ ref }) => matches(ref.key, patterns))
    if (conflicts.length === 0) return finish({ dryRun, decided: [], left: all, failures: [] })
    const decided = given ? conflicts.map((text) => ({ text, side: given })) : await askEach(context, conflicts)
    const failures = dryRun ? [] : await carryOut(context, sides, decided)
    const failed = new Set(failures.map(({ text }) => text.id))
    const done = decided.filter(({ text }) => !failed.has(text.id))
    left = all.filter(({ id }) => !done.some(({ text }) => text.id === id))
    return finish({ dryRun, decided: done, left, failures })
  } finally {
    await sides.close(dryRun ? undefined : left)
  }
}

interface Decided {
  readonly text: TextSides
  readonly side: Side
}
interface Failure {
  readonly text: TextSides
  readonly reason: string
}

async function askEach({ io, signal, out }: CommandContext, conflicts: readonly TextSides[]): Promise<Decided[]> {
  const decided: Decided[] = []
  out.say(count(conflicts.length, 'conflict'))
  let rest: Side | undefined
  for (const [at, text] of conflicts.entries()) {
    if (rest) {
      decided.push({ text, side: rest })
      continue
    }
    out.say(['', ...sidesOf(text, 'conflict', out.talk)].join('\n'))
    let answer = ''
    while (!/^[otsqOT]$/.test(answer))
      answer = await io.ask(
        `(${at + 1}/${conflicts.length}) [o]urs (file), [t]heirs (service), [s]kip, [q]uit; [O] or [T] for all that are left: `,
        signal,
      )
    if (answer === 'q') break
    if (answer === 's') continue
    const side = answer.toLowerCase() === 'o' ? 'ours' : 'theirs'
    if (answer === 'O' || answer === 'T') rest = side
    decided.push({ text, side })
  }
  return decided
}

/** Sends what is ours and writes what is theirs. */
async function carryOut(context: CommandContext, sides: Sides, decided: readonly Decided[]): Promise<Failure[]> {
  const failures: Failure[][] = []
  const ours = decided.filter(({ side }) => side === 'ours').map(({ text }) => text)
  const outcome = await sendTexts(context, sides, ours, planSending(ours, 'auto', countNewKeys(sides, ours)))
  failures.push([...outcome.refused])
  failures.push(outcome.overtaken.map((text) => ({ text, reason: 'it was changed on the service again meanwhile' })))
  if (outcome.left > 0) {
    const tried = new Set([...outcome.sent, ...outcome.overtaken, ...outcome.refused.map(({ text }) => text)])
    const reason =
      outcome.failure instanceof Error && !context.signal.aborted
        ? outcome.failure.message
        : 'stopped before it was sent'
    failures.push(ours.filter((text) => !tried.has(text)).map((text) => ({ text, reason })))
  }
  const parts = new Map<string, TextSides[]>()
  for (const { text, side } of decided) {
    if (side !== 'theirs') continue
    const part = parts.get(partId(text.ref)) ?? []
    part.push(text)
    parts.set(partId(text.ref), part)
  }
  for (const texts of parts.values()) failures.push(await writeTheirs(context, sides, texts))
  return failures.flat()
}

async function writeTheirs({ signal }: CommandContext, sides: Sides, texts: readonly TextSides[]): Promise<Failure[]> {
  const [first] = texts
  if (!first) return []
  const fail = (some: readonly TextSides[], reason: string) => some.map((text) => ({ text, reason }))
  if (signal.aborted) return fail(texts, 'stopped before it was written')
  const { key: _key, ...part } = first.ref
  const gone = texts.filter(({ theirs }) => theirs === undefined)
  const there = texts.filter(({ theirs }) => theirs !== undefined)
  let failures: Failure[] = []
  const why = {
    changed: 'the file was saved meanwhile',
    broken: 'the file cannot be read',
    homeless: 'it has no place in the option files',
    unnameable: 'its file would have a longer name than a file may have',
  }
  const outcomes = [
    there.length === 0
      ? undefined
      : ([
          there,
          await sides.files.write(part, new Map(there.map(({ ref, theirs = '' }) => [ref.key, theirs]))),
        ] as const),
    gone.length === 0
      ? undefined
      : ([gone, await removeFromFile(sides, part, new Set(gone.map(({ ref }) => ref.key)))] as const),
  ]
  for (const outcome of outcomes) {
    if (!outcome) continue
    const [some, state] = outcome
    if (state !== 'written') failures = failures.concat(fail(some, why[state]))
    else for (const { id, theirs } of some) sides.agree(id, theirs)
  }
  return failures
}

/** A pattern is a key, or a glob over keys; none means all. */
function matches(key: string, patterns: readonly string[]): boolean {
  return (
    patterns.length === 0 ||
    patterns.some((pattern) => pattern === key || picomatch.isMatch(key, pattern, { dot: true }))
  )
}

function finish({
  dryRun,
  decided,
  left,
  failures,
}: {
  dryRun: boolean
  decided: readonly Decided[]
  left: readonly TextSides[]
  failures: readonly Failure[]
}) {
  const data: z.infer<typeof resolveResult> = {
    dryRun,
    resolved: decided.map(({ text, side }) => ({ ...refResult(text.ref), side })),
    left: left.map(({ ref }) => refResult(ref)),
    failures: failures.map(({ text, reason }) => ({ ...refResult(text.ref), reason })),
  }
  const ours = decided.filter(({ side }) => side === 'ours').length
  return {
    data,
    failed: failures.length > 0,
    text: (paint: Paint) =>
      [
        decided.length === 0
          ? left.length === 0
            ? 'no conflicts'
            : 'nothing decided'
          : `${dryRun ? 'would resolve' : 'resolved'} ${count(decided.length, 'conflict')}: ${ours} with the file's text, ${decided.length - ours} with the service's`,
        ...failures
          .slice(0, 10)
          .map(({ text, reason }) => `${paint('red', 'failed')} ${nameOf(text.ref)}: ${printable(reason)}`),
        ...(left.length > 0 && decided.length > 0 ? [`${count(left.length, 'conflict')} left`] : []),
      ].join('\n'),
  }
}

/** `localization resolve` resolves conflicts, and marks stale translations as correct. */
import * as z from 'zod'
import { keyGlob } from '../../catalog/names.ts'
import { printable } from '../../shared/escape.ts'
import { count } from '../../shared/figures.ts'
import type { TextRecord } from '../../sync/records.ts'
import { resolveConflicts } from '../../sync/resolve.ts'
import type { SendResult } from '../../sync/send-round.ts'
import { checkEdits } from '../check/texts.ts'
import { type CommandContext, type Done, defineCommand, flag, type Given, UsageError } from '../command.ts'
import { editConflict } from '../edit-conflict.ts'
import { FILTERS, unknownName } from '../filters.ts'
import { type OpenProject, openProject } from '../project.ts'
import { confirmTranslations } from '../stale.ts'
import { conflictOf, reasonLines, reasonResult, refResult, textRefResult, withReasons } from '../summary.ts'
import { linesOf } from './diff.ts'

export const resolveResult = z.object({
  dryRun: z.boolean(),
  /** The resolved conflicts, or those that would be resolved with `--dry-run`. */
  resolved: z.array(textRefResult.extend({ side: z.enum(['ours', 'theirs', 'edited']) })),
  left: z.array(textRefResult),
  /** The conflicts that could not be resolved and translations that could not be marked, with the reasons. */
  failures: z.array(reasonResult),
  /** Only with `--stale`: translations that were marked as correct, or would be with `--dry-run`. */
  confirmed: z.array(textRefResult).optional(),
})
type Side = 'ours' | 'theirs'

const CHANGED = 'someone changed it in the meantime: look at both texts again'

const options = {
  ours: flag("take the file's text and send it"),
  theirs: flag("take the service's text and write it into the file"),
  stale: flag('mark stale translations as still correct, after showing them and asking'),
  yes: flag('with --stale: do not ask'),
  dryRun: flag('only show what would be done'),
  ...FILTERS,
}
type ResolveOptions = Given<typeof options>

export const command = defineCommand({
  description:
    `Resolve conflicts: take the file's text (--ours) or the service's (--theirs), or ask for each. When asked, ` +
    `you can also edit the text in $VISUAL or $EDITOR. A pattern such as "errors.*" selects keys. --stale selects ` +
    'stale translations instead.',
  examples: [
    'resolve',
    'resolve --theirs --language pl',
    'resolve --ours "checkout.*"',
    'resolve --stale --language pl "checkout.*"',
  ],
  options,
  result: resolveResult,
  work: (context, given, ...patterns) =>
    given.stale ? resolveStale(context, given, patterns) : resolve(context, given, patterns),
  text({ data: { dryRun, resolved, left, failures, confirmed } }, paint) {
    const lines: string[] = []
    if (confirmed) {
      const verb = dryRun ? 'would mark' : 'marked'
      if (confirmed.length > 0) lines.push(`${verb} ${count(confirmed.length, 'stale translation')} as correct`)
      lines.push(...reasonLines('failed', failures, paint))
      if (left.length > 0) lines.push(`${count(left.length, 'stale translation')} left`)
      return lines.length > 0 ? lines.join('\n') : 'no stale translations'
    }
    const sides = (wanted: string) => resolved.filter(({ side }) => side === wanted).length
    const edited = sides('edited') > 0 ? `, ${sides('edited')} edited` : ''
    const figures = `${sides('ours')} with the file's text, ${sides('theirs')} with the service's${edited}`
    if (resolved.length === 0) lines.push(left.length === 0 ? 'no conflicts' : 'nothing decided')
    else lines.push(`${dryRun ? 'would resolve' : 'resolved'} ${count(resolved.length, 'conflict')}: ${figures}`)
    lines.push(...reasonLines('failed', failures, paint))
    if (left.length > 0 && resolved.length > 0) lines.push(`${count(left.length, 'conflict')} left`)
    return lines.join('\n')
  },
})

type Resolved = Done<typeof resolveResult>

async function resolve(context: CommandContext, given: ResolveOptions, patterns: readonly string[]): Promise<Resolved> {
  if (given.yes) throw new UsageError('--yes works only with --stale')
  if (given.ours && given.theirs) throw new UsageError('--ours and --theirs cannot be combined')
  const all: Side | undefined = given.ours ? 'ours' : given.theirs ? 'theirs' : undefined
  if (all === undefined && !context.io.canAsk)
    throw new UsageError('use --ours or --theirs: without a terminal, the command cannot ask')
  const { dryRun } = given
  const open = await openProject(context, given, !dryRun, patterns.length > 0)
  try {
    checkPatterns(patterns, open)
    const done: Decided[] = []
    const failures: Failure[] = []
    const drafts: Drafts = new Map()
    let asked = conflictsOf(open).filter(({ ref }) => matches(ref.key, patterns))
    while (asked.length > 0) {
      const decided = all ? asked.map((text) => ({ text, side: all })) : await askEach(context, open, asked, drafts)
      if (dryRun) {
        done.push(...decided)
        break
      }
      const { changed, ...carried } = await applyDecisions(context, open, decided)
      done.push(...carried.done)
      failures.push(...carried.failures)
      if (changed.length > 0)
        context.out.say(`${count(changed.length, 'conflict')} changed in the meantime: nothing was overwritten`)
      // Nothing may overwrite a text that the user has not seen.
      if (all) failures.push(...changed.map(({ ref }) => ({ ref, reason: CHANGED })))
      asked = all || context.signal.aborted ? [] : changed
    }
    const ofDryRun = new Set(dryRun ? done.map(({ text }) => text.id) : [])
    const left = conflictsOf(open).filter(({ id }) => !ofDryRun.has(id))
    const data = {
      dryRun,
      resolved: done.map(({ text, side, edited }) => {
        return { ...refResult(text.ref), side: edited === undefined ? side : ('edited' as const) }
      }),
      left: left.map(({ ref }) => refResult(ref)),
      failures: withReasons(failures),
    }
    return { data, failed: failures.length > 0 }
  } finally {
    await open.close()
  }
}

async function resolveStale(
  context: CommandContext,
  given: ResolveOptions,
  patterns: readonly string[],
): Promise<Resolved> {
  if (given.ours || given.theirs) throw new UsageError('--ours and --theirs are for conflicts, not for --stale')
  const { confirmed, changed, left } = await confirmTranslations(context, given, (key) => matches(key, patterns))
  const refs = (texts: typeof left) => texts.map(({ ref }) => refResult(ref))
  const { dryRun } = given
  const failures = withReasons(changed.map(({ ref }) => ({ ref, reason: CHANGED })))
  const data = { dryRun, resolved: [], left: refs(left), failures, confirmed: refs(confirmed) }
  return { data, failed: failures.length > 0 }
}

/** Returns copies, because the records may change after the texts are shown. */
function conflictsOf(open: OpenProject): TextRecord[] {
  return open.differences().flatMap((text) => (text.state === 'conflict' ? [{ ...text }] : []))
}

interface Decided {
  readonly text: TextRecord
  readonly side: Side
  /** The text that the user entered. */
  readonly edited?: string
}
type Failure = SendResult['refused'][number]

/** The texts that the user entered, by text ID. They are kept in case a conflict is shown again. */
type Drafts = Map<string, string>

/** Fits on one line in a terminal with 60 columns. */
const QUESTION = '[f]ile, [s]ervice, [e]dit, s[k]ip, [q]uit, [F]/[S] rest: '

async function askEach(
  context: CommandContext,
  open: OpenProject,
  conflicts: readonly TextRecord[],
  drafts: Drafts,
): Promise<Decided[]> {
  const { io, signal, out } = context
  const decided: Decided[] = []
  out.say(count(conflicts.length, 'conflict'))
  let rest: Side | undefined
  for (const [at, text] of conflicts.entries()) {
    if (rest) {
      decided.push({ text, side: rest })
      continue
    }
    const [name = '', ...sides] = linesOf({ ...conflictOf(text), kind: 'conflict' }, out.talk)
    out.say(['', `(${at + 1}/${conflicts.length}) ${name}`, ...sides].join('\n'))
    let answer = ''
    let edited: string | undefined
    while (!/^[fskqFS]$/.test(answer) && edited === undefined) {
      answer = await io.ask(QUESTION, signal)
      if (answer === 'e') edited = await editText(context, open, text, drafts)
      else if (!/^[fskqFS]$/.test(answer)) out.say('answer with one of the letters in brackets')
    }
    if (answer === 'q') break
    if (answer === 'k') continue
    if (edited !== undefined) {
      decided.push({ text, side: 'ours', edited })
      continue
    }
    const side = answer.toLowerCase() === 'f' ? 'ours' : 'theirs'
    if (answer === 'F' || answer === 'S') rest = side
    decided.push({ text, side })
  }
  return decided
}

/** Resolves to the user's text, or to `undefined` if the user must be asked again. */
async function editText(
  { io, signal, out }: CommandContext,
  { config, files }: OpenProject,
  text: TextRecord,
  drafts: Drafts,
): Promise<string | undefined> {
  const result = await editConflict(io.env, signal, text, drafts.get(text.id))
  if ('problem' in result) {
    out.say(`nothing decided: ${result.problem}`)
    return undefined
  }
  drafts.set(text.id, result.text)
  const { findings } = await checkEdits(files.seen.catalog, config, [{ ref: text.ref, text: result.text }])
  for (const { severity, message } of findings)
    out.say(`${out.talk(severity === 'error' ? 'red' : 'yellow', severity)} ${printable(message)}`)
  if (findings.every(({ severity }) => severity !== 'error')) return result.text
  return /^y(es)?$/i.test(await io.ask('Use this text anyway? [y/N] ', signal)) ? result.text : undefined
}

/** Sends or writes the chosen texts, unless a side has changed since it was shown. */
async function applyDecisions({ signal }: CommandContext, open: OpenProject, decided: readonly Decided[]) {
  const { project, scan } = open
  const resolutions = decided.map(({ text: { ref, ours, theirs }, side, edited }) => {
    return { ref, side, seen: { ours, theirs }, text: edited }
  })
  const outcomes = await resolveConflicts(project, resolutions, scan, signal)
  const decidedAs = (wanted: string) => decided.filter((_, i) => outcomes[i]?.outcome === wanted)
  const changed = new Set(decidedAs('changed').map(({ text }) => text.id))
  const reasons = new Map(resolutions.map(({ ref }, i) => [ref, outcomes[i]?.reason ?? '']))
  return {
    done: decidedAs('done'),
    failures: decidedAs('left').map(({ text: { ref } }) => ({ ref, reason: reasons.get(ref) ?? '' })),
    changed: conflictsOf(open).filter(({ id }) => changed.has(id)),
  }
}

/** Throws if a pattern matches no key on either side. */
function checkPatterns(patterns: readonly string[], { service, files }: OpenProject): void {
  if (patterns.length === 0) return
  const keys = new Set(service.texts.map(({ ref }) => ref.key))
  for (const { messages } of files.seen.parts()) for (const key of messages.keys()) keys.add(key)
  for (const pattern of patterns) {
    if ([...keys].some((key) => matches(key, [pattern]))) continue
    throw unknownName(`no key ${JSON.stringify(pattern)} exists on either side`, pattern, [...keys])
  }
}

function matches(key: string, patterns: readonly string[]): boolean {
  return patterns.length === 0 || patterns.some((pattern) => pattern === key || keyGlob(pattern)(key))
}

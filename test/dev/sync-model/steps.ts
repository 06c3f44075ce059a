/** What can happen in the model of sync, and how a seed becomes a sequence of steps. */
import fc from 'fast-check'
import type { FakeFault } from './fake-service.ts'

export interface Key {
  readonly namespace: string
  readonly key: string
}

export interface TextPlace extends Key {
  readonly language: string
}

/** The default language. */
export const SOURCE = 'en'
export const LANGUAGES = [SOURCE, 'pl']
export const IDS: readonly TextPlace[] = LANGUAGES.flatMap((language) =>
  ['common', 'home'].flatMap((namespace) => ['a', 'b.c'].map((key) => ({ language, namespace, key }))),
)
export const nameOf = ({ language, namespace, key }: TextPlace) => JSON.stringify([language, namespace, key])
export const keyOf = ({ namespace, key }: Key) => JSON.stringify([namespace, key])
const STEPS = 60

export type TextKind = 'new' | 'old' | 'empty'
export const COMMANDS = {
  pull: ['pull'],
  push: ['push', '--via', 'patch'],
  import: ['push', '--via', 'import'],
  prune: ['push', '--prune', '--yes'],
  ours: ['resolve', '--ours'],
  theirs: ['resolve', '--theirs'],
  ask: ['resolve'],
} as const
export type CommandName = keyof typeof COMMANDS

export type Step =
  | { readonly do: 'edit' | 'edit-service'; readonly id: number; readonly text: TextKind }
  | { readonly do: 'delete' | 'delete-service'; readonly id: number }
  | { readonly do: 'scan' | 'push' | 'pull' | 'restart' | 'release' | 'break' | 'remove-file' }
  /** The file is deleted and written again as it was, `seen`: with a scan between. */
  | { readonly do: 'rewrite-file'; readonly seen: boolean }
  /** A copy of the file is made, and comes back later, as with `git stash` or another branch. */
  | { readonly do: 'keep-copy' | 'restore-copy'; readonly id: number }
  | { readonly do: 'crash'; readonly after: number; readonly how: 'hang' | 'hang-after' }
  | { readonly do: 'edit-while-pushing'; readonly id: number; readonly text: TextKind }
  | { readonly do: 'pull-while-pushing'; readonly late: readonly boolean[] }
  | { readonly do: 'faults'; readonly faults: readonly (FakeFault | undefined)[] }
  | { readonly do: 'clock'; readonly ms: number; readonly wall: number }
  | {
      /** Translators edit behind so many requests and answers from now on. */
      readonly do: 'translators'
      readonly edits: readonly { readonly turns: number; readonly id: number; readonly text: TextKind | 'gone' }[]
    }
  /** A command beside the dev server, or while no server runs. */
  | {
      readonly do: 'command'
      readonly name: CommandName
      readonly alone: boolean
      readonly whilePushing: boolean
    }

export interface Settings {
  readonly write: boolean
  readonly sorts: boolean
  readonly startEqual: boolean
  readonly conditional: boolean
  readonly times: boolean
  readonly concurrency: number
}

const id = fc.nat(IDS.length - 1)
const text = fc.constantFrom<TextKind>('new', 'new', 'new', 'new', 'new', 'new', 'old', 'old', 'empty')
const just = <T extends Step['do']>(...names: T[]) => fc.constantFrom(...names)
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: just('edit'), id, text }) },
  { weight: 5, arbitrary: fc.record({ do: just('edit-service'), id, text }) },
  { weight: 1, arbitrary: fc.record({ do: just('delete', 'delete-service'), id }) },
  { weight: 6, arbitrary: fc.record({ do: just('scan') }) },
  { weight: 5, arbitrary: fc.record({ do: just('push') }) },
  { weight: 4, arbitrary: fc.record({ do: just('pull') }) },
  { weight: 2, arbitrary: fc.record({ do: just('restart', 'release', 'break', 'remove-file') }) },
  { weight: 3, arbitrary: fc.record({ do: just('edit-while-pushing'), id, text }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: just('pull-while-pushing'),
      late: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: just('crash'), after: fc.nat(4), how: fc.constantFrom('hang', 'hang-after') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: just('faults'),
      faults: fc.array(
        fc.constantFrom<FakeFault | undefined>('network', 'server', 'rate-limit', 'lost-answer', 'late', undefined),
        { maxLength: 4 },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: just('clock'),
      ms: fc.constantFrom(0, 500, 20_000, 86_400_000),
      wall: fc.constantFrom(0, -86_400_000, 86_400_000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: just('translators'),
      edits: fc.array(
        fc.record({
          turns: fc.nat(12),
          id,
          text: fc.constantFrom<TextKind | 'gone'>('new', 'new', 'new', 'old', 'gone'),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      do: just('command'),
      name: fc.constantFrom<CommandName>('pull', 'pull', 'push', 'push', 'import', 'prune', 'ours', 'theirs', 'ask'),
      alone: fc.boolean(),
      whilePushing: fc.boolean(),
    }),
  },
) as fc.Arbitrary<Step>

const program = fc.record({
  settings: fc.record<Settings>({
    write: fc.boolean(),
    sorts: fc.boolean(),
    startEqual: fc.boolean(),
    conditional: fc.boolean(),
    times: fc.constantFrom(true, true, false),
    concurrency: fc.constantFrom(1, 2, 8),
  }),
  steps: fc.array(step, { minLength: STEPS, maxLength: STEPS }),
})

export interface Program {
  readonly settings: Settings
  readonly steps: readonly Step[]
  /** Texts that differ at the start, without a base. */
  readonly apart: readonly number[]
}

const more = fc.record({
  apart: fc.uniqueArray(id, { minLength: 1, maxLength: 4 }),
  steps: fc.array(
    fc.record({
      at: fc.nat(STEPS),
      step: fc.oneof(
        fc.record({ do: just('rewrite-file'), seen: fc.boolean() }),
        fc.record({ do: just('keep-copy', 'restore-copy'), id }),
        fc.record({ do: just('delete', 'delete-service'), id }),
        fc.record({ do: just('pull', 'scan', 'restart', 'remove-file') }),
        fc.record({
          do: just('command'),
          name: fc.constantFrom<CommandName>('pull', 'push', 'import'),
          alone: fc.boolean(),
          whilePushing: fc.constant(false),
        }),
      ) as fc.Arbitrary<Step>,
    }),
    { minLength: 12, maxLength: 24 },
  ),
})

/** `plain`: without the steps that the model learned later, which change the meaning of a seed. */
export function programOf(seed: number, plain = false): Program {
  const { settings, steps } = fc.sample(program, { seed, numRuns: 1 })[0] as Pick<Program, 'settings' | 'steps'>
  if (plain) return { settings, steps, apart: [] }
  const [added] = fc.sample(more, { seed, numRuns: 1 })
  const all: Step[] = [...steps]
  for (const { at, step } of added?.steps ?? []) all.splice(at, 0, step)
  return { settings, steps: all, apart: added?.apart ?? [] }
}

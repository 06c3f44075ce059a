/**
 * Groups texts that requests set one by one. A write locks its project until it is on the disk, so concurrent texts of
 * one project share a transaction.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HttpError } from './http-error.ts'
import { setTexts, type WantedText } from './set-text.ts'
import { nameOf } from './store/earlier-texts.ts'
import type { Store } from './store/store.ts'

interface Member extends WantedText {
  readonly finish: (refusal: HttpError | undefined, modifiedAt: string) => void
  readonly fail: (error: unknown) => void
}

/** Thrown when no text is left to write. */
class AllRefused extends Error {
  constructor(readonly refusals: readonly (HttpError | undefined)[]) {
    super('every text of the group is refused')
  }
}

/** Limit of texts in one transaction. */
const MAX_GROUP = 64

export class TextGroups {
  /** By project. Present while one of the project's groups is being written. */
  private readonly waiting = new Map<number, Member[]>()

  constructor(private readonly store: Store) {}

  /** Resolves to the modification time, when the text is on the disk. */
  set(projectId: number, wanted: WantedText): Promise<string> {
    return new Promise((resolve, reject) => {
      const finish: Member['finish'] = (refusal, modifiedAt) => (refusal ? reject(refusal) : resolve(modifiedAt))
      const member = { ...wanted, finish, fail: reject }
      const waiting = this.waiting.get(projectId)
      if (waiting) waiting.push(member)
      else void this.write(projectId, [member])
    })
  }

  private async write(projectId: number, waiting: Member[]): Promise<void> {
    this.waiting.set(projectId, waiting)
    while (waiting.length > 0) {
      // Requests that arrived in the meantime join.
      await nextTurn()
      await this.writeGroup(projectId, takeGroup(projectId, waiting))
    }
    this.waiting.delete(projectId)
  }

  private async writeGroup(projectId: number, group: readonly Member[]): Promise<void> {
    const write = async (tx: Store) => {
      const { refusals, modifiedAt } = await setTexts(tx, projectId, group)
      if (refusals.every((refusal) => refusal !== undefined)) throw new AllRefused(refusals)
      return { refusals, modifiedAt }
    }
    try {
      const { refusals, modifiedAt } = await this.store.transaction(write, { isShort: true, isBeside: true })
      for (const [n, { finish }] of group.entries()) finish(refusals[n], modifiedAt)
    } catch (error) {
      for (const [n, { fail }] of group.entries()) fail(error instanceof AllRefused ? error.refusals[n] : error)
    }
  }
}

/** Takes the first texts, but no text twice: the next group must see the result of this one. */
function takeGroup(projectId: number, waiting: Member[]): Member[] {
  const names = new Set<string>()
  const group: Member[] = []
  const rest: Member[] = []
  for (const member of waiting.splice(0)) {
    const name = nameOf(projectId, member.entry)
    const isNext = group.length < MAX_GROUP && !names.has(name)
    names.add(name)
    if (isNext) group.push(member)
    else rest.push(member)
  }
  waiting.push(...rest)
  return group
}

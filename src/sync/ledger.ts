/**
 * The state of every text that is not simply equal on both sides, and the one place where it moves. Changes are made at once and in
 * memory; `commit` puts them on the disk.
 */

import type { TextRef } from '../catalog/text-id.ts'
import { parseTextId, partId, textId, textOrGap } from '../catalog/text-id.ts'
import type { FileIndex, TextChange } from '../files/file-index.ts'
import type { BaseStore } from './base.ts'
import { type Decision, decide } from './decide.ts'
import type { Conflict, Hold, HoldReason, Ledger, ServiceText } from './ledger-types.ts'
import type { Outbox, OutboxEntry } from './outbox.ts'

interface SettleOptions {
  /** See `Reading.shown`. */
  readonly shown?: boolean
  /** The service's text was looked up just now, with nothing under way. */
  readonly fresh?: boolean
}

export interface LedgerOptions {
  readonly files: FileIndex
  readonly base: BaseStore
  readonly outbox: Outbox
  /** Edits are sent at all. */
  readonly push: boolean
}

export function createLedger({ files, base, outbox, push }: LedgerOptions): Ledger {
  const holds = new Map<string, Hold>()
  /** Held texts whose file is gone for the moment: coming back makes no edit of them. */
  const withheld = new Map<string, Hold>()
  const holdReasons = new Map<string, HoldReason>()
  const conflicts = new Map<string, Conflict>()
  const overlay = new Map<string, ServiceText>()
  /** What the service has where that is not the base. */
  const drift = new Map<string, string | undefined>()
  const knownParts = new Set<string>()
  const touched = new Map<string, number>()
  const inFlight = new Set<string>()
  let counter = 0
  let hasRead = false

  let shownChanges = new Map<string, TextRef>()

  const theirsOf = (id: string) => (drift.has(id) ? drift.get(id) : base.get(id))
  const setTheirs = (id: string, theirs: string | undefined) => {
    if (theirs === base.get(id)) drift.delete(id)
    else drift.set(id, theirs)
  }
  /** Both sides have it. */
  const setBase = (id: string, text: string | undefined) => {
    base.set(id, text)
    drift.delete(id)
  }
  const movedSince = (id: string, mark: number) => (touched.get(id) ?? 0) > mark
  const drop = (entry: OutboxEntry | undefined) => {
    if (entry) outbox.remove(entry.id, entry.order)
  }

  const setOverlay = (id: string, ref: TextRef, text: string | undefined) => {
    if (overlay.get(id)?.text === text) return
    if (text === undefined) overlay.delete(id)
    else overlay.set(id, { ref, text })
    shownChanges.set(id, ref)
  }
  const clear = (id: string, ref: TextRef) => {
    holds.delete(id)
    conflicts.delete(id)
    setOverlay(id, ref, undefined)
  }

  /** Works out what one text is now. An outbox entry speaks for the file as long as there is one. */
  const settleOne = (id: string, ref: TextRef, { shown = false, fresh = false }: SettleOptions = {}): Decision => {
    const entry = outbox.get(id)
    const theirs = textOrGap(theirsOf(id))
    const ours = textOrGap(files.text(ref))
    if (!entry) return settleFile(id, ref, ours, theirs, shown)
    const known = base.get(id) ?? (theirs === entry.assumedBase ? theirs : undefined)
    // An earlier text of ours that arrived without our knowing is no edit of anybody else's.
    const isOurOwn = theirs !== undefined && theirs !== entry.text && entry.sent.includes(theirs)
    const decision = decide({ base: isOurOwn ? theirs : known, ours: entry.text, theirs })
    holds.delete(id)
    setOverlay(id, ref, undefined)
    if (decision === 'conflict') {
      conflicts.set(id, { ref, base: known, ours: entry.text, theirs })
      if (entry.parked?.kind !== 'conflict') outbox.park(id, { kind: 'conflict', reason: 'both sides changed' })
      return decision
    }
    conflicts.delete(id)
    // Another text may be on its way: that the service still has this one proves nothing until it is looked up.
    const isUncertain = !fresh && entry.sent.some((text) => text !== entry.text)
    if (decision === 'take-ours' || isUncertain) {
      if (entry.parked?.kind === 'conflict') outbox.park(id, undefined)
      return decision
    }
    if (decision === 'equal') setBase(id, entry.text)
    drop(entry)
    settleFile(id, ref, ours, textOrGap(theirsOf(id)), shown)
    return decision
  }

  const settleFile = (
    id: string,
    ref: TextRef,
    ours: string | undefined,
    theirs: string | undefined,
    shown: boolean,
  ): Decision => {
    // A gap that is only not read yet decides nothing, and forgets nothing.
    if (files.isUnknown(ref)) return 'gone-ours'
    const known = base.get(id)
    const decision = decide({ base: known, ours, theirs })
    const before = holds.get(id)
    if (ours === undefined && before) withheld.set(id, before)
    else if (ours !== undefined) withheld.delete(id)
    if (decision !== 'take-ours') holdReasons.delete(id)
    switch (decision) {
      case 'equal':
        setBase(id, ours)
        clear(id, ref)
        break
      case 'take-theirs':
        holds.delete(id)
        conflicts.delete(id)
        if (!(shown && ours === undefined && known === undefined)) setOverlay(id, ref, theirs)
        break
      case 'take-ours':
        clear(id, ref)
        if (push && ours !== undefined) holds.set(id, { ref, text: ours, reason: holdReasons.get(id) ?? 'start' })
        break
      case 'conflict':
        clear(id, ref)
        conflicts.set(id, { ref, base: known, ours: ours ?? '', theirs })
        break
      default:
        clear(id, ref)
    }
    return decision
  }

  const acceptLive = ({ ref, before, after }: TextChange) => {
    const id = textId(ref)
    const text = textOrGap(after)
    const entry = outbox.get(id)
    if (text === undefined) drop(entry)
    else if (!entry && withheld.get(id)?.text === text) {
      holdReasons.set(id, withheld.get(id)?.reason ?? 'start')
      return undefined
    } else if (push && !(text === theirsOf(id) && !entry?.sent.length)) {
      const isUnsentReturn = text === base.get(id) && !entry?.sent.length
      if (isUnsentReturn) drop(entry)
      else return { ref, text, assumedBase: base.get(id) === undefined ? textOrGap(before) : undefined }
    } else drop(entry)
    return undefined
  }

  /** The base is on the disk first: an entry may be forgotten only then. */
  const down = async () => {
    const forget = outbox.takeRemovals()
    await base.flush()
    await forget()
  }

  const settleAll = () => {
    for (const part of files.parts()) {
      const { messages, ...names } = part
      for (const key of messages.keys()) settleOne(textId({ ...names, key }), { ...names, key })
    }
    for (const { id, ref } of outbox.entries()) settleOne(id, ref)
    for (const id of base.ids()) {
      const ref = parseTextId(id)
      if (files.text(ref) === undefined) settleOne(id, ref)
    }
  }

  return {
    holds,
    conflicts,
    overlay,
    get hasRead() {
      return hasRead
    },
    wouldTravel({ ref, after }) {
      const id = textId(ref)
      const text = textOrGap(after)
      return text !== undefined && text !== base.get(id) && text !== theirsOf(id)
    },
    settleAll,
    async accept(changes, as) {
      const edits = []
      for (const change of changes) {
        if (as !== 'live') holdReasons.set(textId(change.ref), as)
        else {
          const edit = acceptLive(change)
          if (edit) edits.push(edit)
        }
      }
      const written = outbox.put(edits)
      for (const { ref } of changes) settleOne(textId(ref), ref)
      await written
    },
    async release(ids = [...holds.keys()]) {
      const edits = []
      for (const id of ids) {
        const hold = holds.get(id)
        if (hold) edits.push({ ref: hold.ref, text: hold.text, assumedBase: undefined })
      }
      const written = outbox.put(edits)
      for (const { ref } of edits) {
        holds.delete(textId(ref))
        settleOne(textId(ref), ref)
      }
      await written
      return edits.length
    },
    async keepOurs(id) {
      const conflict = conflicts.get(id)
      if (!conflict) return false
      const { ref, ours, theirs } = conflict
      setBase(id, theirs)
      const written = push ? outbox.put([{ ref, text: ours, assumedBase: undefined }]) : undefined
      settleOne(id, ref)
      await written
      return true
    },
    theirs: (id) => textOrGap(theirsOf(id)),
    mark: () => counter,
    movedSince,
    applyReading({ texts, complete, mark, shown = false }) {
      let whole = true
      const seen = new Set<string>()
      const changed = new Map<string, TextRef>()
      const isBusy = (id: string) => inFlight.has(id) || movedSince(id, mark)
      for (const { id, ref, text } of texts) {
        if (complete) {
          seen.add(id)
          knownParts.add(partId(ref))
        }
        if (isBusy(id)) {
          whole = false
          continue
        }
        const theirs = textOrGap(text)
        if (theirs === textOrGap(theirsOf(id)) && hasRead) continue
        setTheirs(id, theirs)
        changed.set(id, ref)
      }
      if (complete) {
        for (const id of [...base.ids(), ...drift.keys()]) {
          if (seen.has(id) || isBusy(id) || textOrGap(theirsOf(id)) === undefined) continue
          setTheirs(id, undefined)
          changed.set(id, parseTextId(id))
        }
      }
      for (const [id, ref] of changed) settleOne(id, ref, { shown })
      if (complete && !hasRead) {
        hasRead = true
        settleAll()
      }
      return whole
    },
    applyLookUp(id, ref, theirs) {
      setTheirs(id, textOrGap(theirs))
      return settleOne(id, ref, { fresh: true })
    },
    sending(id) {
      inFlight.add(id)
      touched.set(id, ++counter)
      outbox.sending(id)
    },
    sent(id) {
      inFlight.delete(id)
      touched.set(id, ++counter)
    },
    async acknowledge({ id, ref, text, order }) {
      setBase(id, text)
      outbox.remove(id, order)
      settleOne(id, ref)
      await down()
    },
    takeIn(agreements) {
      // A reading or a look-up that began before may bring what the service had before that.
      counter++
      const taken: TextRef[] = []
      for (const { id, ref, before, text } of agreements) {
        if (inFlight.has(id) || textOrGap(base.get(id)) !== textOrGap(before)) continue
        setBase(id, textOrGap(text))
        touched.set(id, counter)
        taken.push(ref)
      }
      return taken
    },
    knowsKey({ namespace, key }) {
      for (const part of files.parts()) {
        if (part.namespace !== namespace || part.customer !== undefined) continue
        if (base.get(textId({ language: part.language, namespace, key })) !== undefined) return true
      }
      return false
    },
    writable: () =>
      [...overlay.values()].filter(({ ref }) => files.has(ref) || (hasRead && !knownParts.has(partId(ref)))),
    wrote(texts) {
      for (const { ref, text } of texts) {
        const id = textId(ref)
        // Somebody who saved right behind it may not have seen it.
        if (files.text(ref) === text) {
          const theirs = theirsOf(id)
          base.set(id, text)
          setTheirs(id, theirs)
        }
        settleOne(id, ref)
      }
    },
    settle(refs) {
      for (const ref of refs) settleOne(textId(ref), ref)
    },
    async commit() {
      const shown = shownChanges
      shownChanges = new Map()
      await down()
      return [...shown.values()]
    },
  }
}

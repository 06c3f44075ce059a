import { describe, expect, it } from 'vitest'
import { SharedLoads } from '../../../src/plugin/shared-loads.ts'

function counter() {
  let loads = 0
  return { load: async () => ++loads, loads: () => loads }
}

describe('SharedLoads', () => {
  it('loads once for instances that were there before the load was over', async () => {
    const shares = new SharedLoads<number>()
    const { load, loads } = counter()
    const [first, second] = [shares.register(), shares.register()]
    expect(await first.acquire('key', load)).toBe(1)
    first.release('key')
    // Builds that run one after another.
    expect(await second.acquire('key', load)).toBe(1)
    expect(loads()).toBe(1)
  })

  it('shares a load that is under way, and one whose build still runs', async () => {
    const shares = new SharedLoads<number>()
    const { load, loads } = counter()
    const first = shares.register()
    const loading = first.acquire('key', load)
    expect(await Promise.all([loading, shares.register().acquire('key', load)])).toEqual([1, 1])
    expect(await shares.register().acquire('key', load)).toBe(1)
    expect(loads()).toBe(1)
  })

  it('loads again for an instance made after every build was over', async () => {
    const shares = new SharedLoads<number>()
    const { load } = counter()
    const first = shares.register()
    await first.acquire('key', load)
    first.release('key')
    expect(await shares.register().acquire('key', load)).toBe(2)
  })

  it('keeps keys apart', async () => {
    const shares = new SharedLoads<number>()
    const { load } = counter()
    const ticket = shares.register()
    expect([await ticket.acquire('one', load), await ticket.acquire('two', load)]).toEqual([1, 2])
  })

  it('shares no failure with a later build', async () => {
    const shares = new SharedLoads<number>()
    const [first, second] = [shares.register(), shares.register()]
    await expect(first.acquire('key', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
    first.release('key')
    expect(await second.acquire('key', async () => 7)).toBe(7)
  })

  it('forgets the load that is named, and not the one that another user of it has begun since', async () => {
    const shares = new SharedLoads<number>()
    const { load } = counter()
    const ticket = shares.register()
    const loading = ticket.acquire('key', load)
    expect(await Promise.all([loading, ticket.acquire('key', load)])).toEqual([1, 1])
    ticket.forget('key', loading)
    const next = ticket.acquire('key', load)
    ticket.forget('key', loading)
    expect(await Promise.all([next, ticket.acquire('key', load)])).toEqual([2, 2])
  })

  it('takes a release too many', async () => {
    const shares = new SharedLoads<number>()
    const { load } = counter()
    const ticket = shares.register()
    ticket.release('key')
    await ticket.acquire('key', load)
    ticket.release('key')
    ticket.release('key')
    expect(await shares.register().acquire('key', load)).toBe(2)
  })
})

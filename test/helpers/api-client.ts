import { onTestFinished } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../../src/client.ts'
import type { Clock } from '../../src/shared/clock.ts'
import { guardSecret } from './canary.ts'

/** Secrets that must never be seen anywhere. */
export const API_KEY = guardSecret('canary-api-key-7f3a91')
export const PERSONAL_TOKEN = guardSecret('canary-personal-token-c04d')

/** Sleeps take no time, and are written down; time stands still otherwise. */
export function createTestClock(): Clock & { readonly sleeps: number[] } {
  const sleeps: number[] = []
  let now = 0
  return {
    sleeps,
    now: () => now,
    wallNow: () => Date.UTC(2026, 0, 1) + now,
    async sleep(ms, signal) {
      signal.throwIfAborted()
      sleeps.push(ms)
      now += ms
    },
  }
}

/** A client on loopback that ends with the test; no time passes while it waits. */
export function startClient(url: string, options: ClientOptions = {}): Client {
  const client = createClient({
    baseUrl: url,
    cdnUrl: `${url}/_cdn`,
    apiKey: API_KEY,
    personalToken: PERSONAL_TOKEN,
    proxy: false,
    clock: createTestClock(),
    random: () => 0.5,
    ...options,
  })
  onTestFinished(() => client.close())
  return client
}

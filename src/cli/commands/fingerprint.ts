/** `localization fingerprint` prints one hash of the texts and settings that a build would get from the service. */
import * as z from 'zod'
import { fingerprintOf } from '../../sources/fingerprint.ts'
import { defineCommand } from '../command.ts'

export const fingerprintResult = z.object({
  fingerprint: z.string(),
  source: z.string(),
  parts: z.object({ settings: z.string(), languages: z.string(), texts: z.string() }),
})

export const command = defineCommand({
  description:
    'Print one hash of the texts that a build would get from the service, for task runner ' +
    'and CI caches. Exits with 1 and prints no hash if the service cannot tell whether texts changed.',
  examples: ['fingerprint', 'fingerprint > .localization-fingerprint'],
  result: fingerprintResult,
  async work(context) {
    const config = await context.config()
    const openClient = () => context.client()
    const { fingerprint, parts } = await fingerprintOf(config, openClient, context.signal)
    return { data: { fingerprint, source: config.source, parts } }
  },
  text: ({ data }) => data.fingerprint,
})

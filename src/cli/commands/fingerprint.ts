/** `localization fingerprint`: one hash of the texts and settings that a build would get from the service. */
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
    'Print one hash of what a build would get from the service, for the caches of task runners and CI. It changes ' +
    "when a text changes there. For source 'hosting' by two requests; if these cannot tell, the command exits with " +
    "1 and prints no hash. For 'export' and 'query' it reads all texts.",
  examples: ['fingerprint', 'fingerprint > .localization-fingerprint'],
  result: fingerprintResult,
  async work(context) {
    const config = await context.config()
    const openClient = () => context.client()
    const { fingerprint, parts } = await fingerprintOf({ config, openClient, signal: context.signal })
    return { data: { fingerprint, source: config.source, parts } }
  },
  text: ({ data }) => data.fingerprint,
})

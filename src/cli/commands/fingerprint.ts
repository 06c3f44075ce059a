/** `localization fingerprint`: one hash of what a build would get from the service. */
import * as z from 'zod'
import { fingerprintOf } from '../../sources/fingerprint.ts'
import { type AddCommand, type CommandContext, examples } from '../command.ts'

export const fingerprintResult = z.object({
  fingerprint: z.string(),
  source: z.string(),
  parts: z.object({ settings: z.string(), languages: z.string(), texts: z.string() }),
})
type Result = z.infer<typeof fingerprintResult>

export const addFingerprint: AddCommand = (program, act) => {
  program
    .command('fingerprint')
    .summary('print one hash of what a build would get from the service')
    .description(
      'Print one hash of what a build would get from the service, for the caches of task runners and CI. It changes ' +
        "when a text changes there. For source 'hosting' by two requests; if these cannot tell, the command exits with " +
        "1 and prints no hash. For 'export' and 'query' it reads all texts.",
    )
    .addHelpText('after', examples('fingerprint', 'fingerprint > .localization-fingerprint'))
    .action(act(printFingerprint))
}

async function printFingerprint(context: CommandContext) {
  const config = await context.config()
  const { fingerprint, parts } = await fingerprintOf({
    config,
    openClient: () => context.client(),
    signal: context.signal,
  })
  const data: Result = { fingerprint, source: config.source, parts }
  return { data, text: () => fingerprint }
}

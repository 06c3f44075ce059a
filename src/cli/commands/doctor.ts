/** `localization doctor`: what support asks for first. */
import type * as z from 'zod'
import { type AddCommand, examples } from '../command.ts'
import type { doctorResult } from '../doctor/check.ts'
import type { Paint } from '../text.ts'

export { doctorResult } from '../doctor/check.ts'

type Data = z.infer<typeof doctorResult>

const TONES = { ok: 'green', warning: 'yellow', error: 'red' } as const

export const addDoctor: AddCommand = (program, act) => {
  program
    .command('doctor')
    .summary('examine the project: versions, configuration, files, service')
    .description(
      'Examine the project and say what is wrong, where, and what to do: versions, configuration, variables, the ' +
        'bundler, patterns and files, permissions, the service, clocks, and what a build will do. Changes nothing ' +
        'and prints no secret. Exits with 1 for an error.',
    )
    .option('--offline', 'do not ask the service')
    .addHelpText('after', examples('doctor', 'doctor --offline --json'))
    .action(
      act(async (context, { offline = false }: { readonly offline?: boolean }) => {
        const { examine } = await import('../doctor/examine.ts')
        const checks = await examine(context, offline)
        const data: Data = { ok: checks.every(({ level }) => level !== 'error'), checks }
        return { data, failed: !data.ok, text: (paint) => checks.map((check) => lineOf(check, paint)).join('\n') }
      }),
    )
}

function lineOf({ name, level, found, where, hint }: Data['checks'][number], paint: Paint): string {
  const place = where === null ? '' : ` (${where})`
  const first = `${paint(TONES[level], level.padEnd(7))} ${name}: ${found}${place}`
  return hint === null ? first : `${first}\n        ${hint}`
}

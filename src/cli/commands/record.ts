/** `localization record`: writes the keys that the app and its tests used into the file that is committed. */
import { type AddCommand, examples } from '../command.ts'
import type { RecordOptions } from '../record.ts'

export const addRecord: AddCommand = (program, act) => {
  program
    .command('record')
    .summary('save the keys that the app and its tests used')
    .description(
      'Merge the keys that runs with LOCALIZATION_RECORD=1 used into the file of the option usage.recorded, and ' +
        'delete the recordings. prune and check count these keys as used. Keys that no language has are removed.',
    )
    .option('--replace', 'keep only the keys of these runs, and not those of earlier ones')
    .option(
      '--service',
      "compare with the texts that a build uses (the service's, then the files) instead of the files",
    )
    .option('--dry-run', 'only show what would change')
    .addHelpText('after', examples('record', 'record --replace --dry-run'))
    .action(
      act(async (context, options: RecordOptions) => {
        const { record } = await import('../record.ts')
        return record(context, options)
      }),
    )
}

/** `localization record`: the keys that the app and its tests asked for, into the file that is committed. */
import { type AddCommand, examples } from '../command.ts'
import type { RecordOptions } from '../record.ts'

export const addRecord: AddCommand = (program, act) => {
  program
    .command('record')
    .summary('take the keys that the app and its tests asked for as used')
    .description(
      'Merge the keys that runs with LOCALIZATION_RECORD=1 asked for into the file of the option usage.recorded, and ' +
        'forget the runs. prune and check count these keys. Keys that no language has any more leave the file.',
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

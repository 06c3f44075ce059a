/** `localization init`: sets a project up, from what it shows and a few questions. */
import { Option } from 'commander'
import { type AddCommand, examples } from '../command.ts'
import { TOOL_NAMES } from '../init/detect-bundler.ts'
import type { InitOptions } from '../init/result.ts'

export const addInit: AddCommand = (program, act) => {
  program
    .command('init')
    .summary('set this project up: configuration, plugin, first text')
    .description(
      'Set a project up: finds the bundler, the framework, the i18n library and the translation files, asks for the ' +
        'rest, and writes a configuration. With --write, or after a question on a terminal, it also adds the plugin ' +
        "to the bundler's configuration, and checks that with a build. Without a terminal it does not ask.",
    )
    .option('--write', "add the plugin to the bundler's configuration, types, and a first text; check with a build")
    .option('--first-text', "with --write: also add lines to the app's entry that show the first text")
    .option('--no-build', 'do not check the changes with a build')
    .option('--base-url <address>', "the service's address; 'local' for the local service")
    .option('--cdn-url <address>', 'the address of the published files')
    .option('--files <pattern>', 'pattern of the translation files, such as "locales/{language}/{namespace}.json"')
    .option('--default-language <name>', 'the last language of every fallback chain')
    .addOption(new Option('--bundler <name>', 'the bundler, if another one is found').choices(TOOL_NAMES))
    .addOption(new Option('--format <ending>', 'file extension of the configuration').choices(['ts', 'mjs', 'json']))
    .option('--yes', 'do not ask, use the detected values')
    .option('--force', 'replace an existing configuration')
    .option('--dry-run', 'show every change, and write nothing')
    .addHelpText(
      'after',
      examples('init', 'init --write --yes', 'init --base-url https://localization.example.com --yes'),
    )
    .action(
      act(async (context, options: InitOptions) => {
        const { init } = await import('../init/run.ts')
        return init(context, options)
      }),
    )
}

/** The possible names of the configuration file. A project has only one of these files. */
export const CONFIG_FILE_NAMES: readonly string[] = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'].map(
  (ending) => `localization.config.${ending}`,
)

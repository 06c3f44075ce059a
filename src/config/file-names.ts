/** The file names that a configuration file may have. A project has at most one such file. */
export const CONFIG_FILE_NAMES: readonly string[] = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'].map(
  (ending) => `localization.config.${ending}`,
)

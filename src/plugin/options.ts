/** The plugin's own options. */
import type { LocalizationOptions } from '../config/options.ts'

/** What the plugin takes: every option of the configuration, and where to find its file. */
export interface PluginOptions extends LocalizationOptions {
  /** The project's folder. Default: the bundler's root or context. */
  readonly root?: string
  /** The configuration file, instead of looking for `localization.config.*` in the root; `false`: none. */
  readonly configFile?: string | false
}

/** The plugin's own options. */
import type { LocalizationOptions } from '../config/options.ts'

/** What the plugin takes: every option of the configuration, and where to find its file. */
export interface PluginOptions extends LocalizationOptions {
  /**
   * The project's folder. Default: that of the nearest `localization.config.*`, from the bundler's root or context up to
   * the nearest package.json; without such a file, the bundler's root.
   */
  readonly root?: string
  /** The configuration file, instead of looking for `localization.config.*`; `false`: none. */
  readonly configFile?: string | false
}

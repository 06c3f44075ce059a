/** The plugin's own options. */
import type { LocalizationOptions } from '../config/options.ts'

/** The plugin's options: all configuration options, and the location of the configuration file. */
export interface PluginOptions extends LocalizationOptions {
  /**
   * The project's folder. Default: the folder of the nearest `localization.config.*`, searched from the bundler's root
   * or context up to the nearest package.json. If none is found, the bundler's root.
   */
  readonly root?: string
  /** The configuration file to use instead of searching for `localization.config.*`; `false` for none. */
  readonly configFile?: string | false
}

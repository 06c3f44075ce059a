import type { LocalizationOptions } from './options.ts'

/** The argument that a configuration function receives. */
export interface ConfigContext {
  /** The project's folder, an absolute path. */
  readonly root: string
  /** The bundler's mode, such as `development` or `production`. For commands, the value of `--mode`. */
  readonly mode: string | undefined
}

/** A function that returns the options. It is called when the configuration is loaded. */
type ConfigFunction = (context: ConfigContext) => LocalizationOptions | Promise<LocalizationOptions>

/** Options, or a function that returns them. */
export type LocalizationConfig = LocalizationOptions | ConfigFunction

/**
 * Adds types to `localization.config.ts`. Returns its argument unchanged.
 * @example
 * export default defineConfig({ service: { baseUrl: 'https://localization.example.com' }, languages: ['en', 'pl'] })
 */
export function defineConfig(config: LocalizationOptions): LocalizationOptions
export function defineConfig<C extends ConfigFunction>(config: C): C
export function defineConfig(config: LocalizationConfig): LocalizationConfig
export function defineConfig(config: LocalizationConfig): LocalizationConfig {
  return config
}

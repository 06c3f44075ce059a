import type { LocalizationOptions } from './options.ts'

/** What a configuration function is called with. */
export interface ConfigContext {
  /** The project's folder, absolute. */
  readonly root: string
  /** The bundler's mode (`development`, `production`, ...); from the command line what `--mode` says. */
  readonly mode: string | undefined
}

/** Makes the options when the configuration is loaded. */
type ConfigFunction = (context: ConfigContext) => LocalizationOptions | Promise<LocalizationOptions>

/** Options as they are, or a function that makes them. */
export type LocalizationConfig = LocalizationOptions | ConfigFunction

/**
 * Gives `localization.config.ts` its types; returns what it is given.
 * @example
 * export default defineConfig({ service: { baseUrl: 'https://localization.example.com' }, languages: ['en', 'pl'] })
 */
export function defineConfig(config: LocalizationOptions): LocalizationOptions
export function defineConfig<C extends ConfigFunction>(config: C): C
export function defineConfig(config: LocalizationConfig): LocalizationConfig
export function defineConfig(config: LocalizationConfig): LocalizationConfig {
  return config
}

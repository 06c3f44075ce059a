/** The text of a configuration file. The API key is nowhere in it: it belongs into the environment. */
import type { Answers } from './answers.ts'

export function configText(answers: Answers, configFile: string): string {
  const service = withoutUndefined(answers.service)
  const hasService = Object.keys(service).length > 0
  const options = withoutUndefined({ ...answers, service: hasService ? service : undefined })
  if (configFile.endsWith('.json')) return `${JSON.stringify(options, null, 2)}\n`
  const lines = Object.entries(options).map(([name, value]) => `  ${name}: ${literal(value)},`)
  const head = ["import { defineConfig } from 'unplugin-localization'", '', 'export default defineConfig({']
  return [...head, ...lines, '})', ''].join('\n')
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined))
}

/** A value as JavaScript, with single quotes. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, item]) => `${name}: ${literal(item)}`)
    return `{ ${members.join(', ')} }`
  }
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

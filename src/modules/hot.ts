/** The dev-only part of generated modules: one stable object per module, replaced in place, so a running page keeps its state. */
import { type ModuleId, RUNTIME_ID } from './ids.ts'
import { stringLiteral } from './literal.ts'

/** How a bundler's dev server replaces a module: `import.meta.hot` (Vite) or `import.meta.webpackHot` (webpack, Rspack). */
export type HotApi = 'vite' | 'webpack'

/** A namespace module that keeps its object across updates and tells `onUpdate` listeners. */
export function hotMessagesCode(api: HotApi, id: Extract<ModuleId, { kind: 'namespace' }>, value: string): string {
  const place = [
    `language: ${stringLiteral(id.language)}`,
    `namespace: ${stringLiteral(id.namespace)}`,
    ...(id.customer === undefined ? [] : [`customer: ${stringLiteral(id.customer)}`]),
  ]
  return [
    `import { updateMessages } from ${stringLiteral(RUNTIME_ID)}`,
    `const messages = updateMessages(${HOT[api]}?.data?.messages, ${value}, { ${place.join(', ')} })`,
    'export default messages',
    keepAndAccept(api, 'messages'),
    '',
  ].join('\n')
}

/** The manifest's call of `createManifest` takes over the listeners and arrays of the one it replaces. */
export function previousManifestExpression(api: HotApi): string {
  return `${HOT[api]}?.data?.manifest`
}

export function hotManifestCode(api: HotApi): string {
  return keepAndAccept(api, 'manifest')
}

const HOT = { vite: 'import.meta.hot', webpack: 'import.meta.webpackHot' } as const

function keepAndAccept(api: HotApi, name: string): string {
  const keep =
    api === 'vite'
      ? `import.meta.hot.data.${name} = ${name}`
      : `import.meta.webpackHot.dispose((data) => { data.${name} = ${name} })`
  return `if (${HOT[api]}) {\n  ${keep}\n  ${HOT[api]}.accept()\n}`
}

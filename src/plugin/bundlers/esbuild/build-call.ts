/**
 * esbuild's `build()` hands its output to plugins before anybody uses it. What a `context()` serves stays in esbuild's
 * own memory: a plugin's changes at the end of a build never reach the browser. No value that a plugin is given tells
 * the two calls apart, but `setup` runs inside the call.
 */
export type EsbuildCall = 'build' | 'context'

const FRAME = /^\s*(?:at )?(?:async )?(?:Object\.)?(build|context)(?:@| \().*esbuild/m

/** To be called in `setup`. `undefined`: another plugin's asynchronous `setup` came before. */
export function esbuildCall(): EsbuildCall | undefined {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = Number.POSITIVE_INFINITY
  const { stack } = new Error('of this call')
  Error.stackTraceLimit = stackTraceLimit
  return FRAME.exec(String(stack))?.[1] as EsbuildCall | undefined
}

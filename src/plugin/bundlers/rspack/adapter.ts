/** The adapter for Rspack, which has webpack's hooks and accepts the `virtual:` scheme. */
import type { Compiler } from 'webpack'
import type { CreateAdapter } from '../../bundler-adapter.ts'
import { createCompilerAdapter } from '../webpack/adapter.ts'

export const createAdapter: CreateAdapter = (input) => {
  const { apply, ...adapter } = createCompilerAdapter(input)
  return { ...adapter, hooks: { rspack: (compiler) => apply(compiler as unknown as Compiler) } }
}

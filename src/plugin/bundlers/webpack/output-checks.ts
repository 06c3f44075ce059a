/** Checks finished assets in webpack and Rspack: they hold no secret, and every file that they address. */
import { join } from 'node:path'
import type { Compilation, Compiler } from 'webpack'
import { messageOf } from '../../../errors.ts'
import { toPosix } from '../../../shared/paths.ts'
import type { AdapterInput } from '../../bundler-adapter.ts'
import { checkMessageFiles, isScript } from '../../message-files.ts'
import { findLeak, leakError } from '../../secret-scan.ts'
import { secretsToFind } from '../../secrets.ts'

/** @param made the message files of the compilation, below the output folder */
export function checkAssets(
  compiler: Compiler,
  compilation: Compilation,
  { name, session }: Pick<AdapterInput, 'name' | 'session'>,
  made: () => readonly string[],
): void {
  const { Compilation: constants, WebpackError } = compiler.webpack
  const fail = (error: unknown) => {
    const { code } = error as { code?: string }
    compilation.errors.push(Object.assign(new WebpackError(messageOf(error)), { code }))
  }
  const place = (asset: string) => toPosix(join(compiler.outputPath, asset.replace(/\?.*$/, '')))
  compilation.hooks.processAssets.tapPromise({ name, stage: constants.PROCESS_ASSETS_STAGE_REPORT }, async () => {
    const assets = compilation.getAssets()
    const leak = findLeak(contentsOf(assets), await secretsToFind(session))
    if (leak) fail(leakError(leak))
    try {
      checkMessageFiles({
        root: compiler.context,
        names: assets.map(({ name }) => place(name)),
        scripts: assets
          .filter(({ name }) => isScript(place(name)))
          .map(({ name, source }) => ({ name: place(name), text: () => source.source().toString() })),
        made: made().map(place),
        folder: compiler.options.output.clean ? undefined : toPosix(compiler.outputPath),
      })
    } catch (error) {
      fail(error)
    }
  })
}

/** One after another: the contents of all assets need not be in memory together. */
function* contentsOf(assets: readonly { readonly name: string; readonly source: { buffer(): Buffer } }[]) {
  for (const { name, source } of assets) yield { name, content: source.buffer() }
}

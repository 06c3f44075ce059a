// Compiles `assembly/plain.ts` into `src/files/plain-code.ts`: `npm run wasm`. The compiled code is committed;
// `--check` only says whether it
// is what the source becomes.
import { readFile, writeFile } from 'node:fs/promises'
import asc from 'assemblyscript/asc'

const source = new URL('../assembly/plain.ts', import.meta.url)
const target = new URL('../src/files/plain-code.ts', import.meta.url)

let binary
const { error, stderr } = await asc.main(
  [
    'plain.ts',
    '--outFile',
    'plain.wasm',
    '-O3',
    '--noAssert',
    '--runtime',
    'stub',
    '--use',
    'abort=',
    '--enable',
    'simd',
  ],
  {
    readFile: (name) => (name === 'plain.ts' ? readFile(source, 'utf8') : null),
    writeFile: (name, content) => {
      if (name === 'plain.wasm') binary = content
    },
    listFiles: () => [],
  },
)
if (error || !binary) {
  process.stderr.write(`${stderr.toString()}\n`)
  process.exit(1)
}
const fresh = `/** \`assembly/plain.ts\` as WebAssembly, in base64. Made by \`npm run wasm\`. */
export const PLAIN_CODE =
  '${Buffer.from(binary).toString('base64')}'
`
if (fresh === (await readFile(target, 'utf8').catch(() => ''))) {
  process.stderr.write('the WebAssembly is current\n')
} else if (process.argv.includes('--check')) {
  process.stderr.write('the WebAssembly is out of date: run npm run wasm\n')
  process.exitCode = 1
} else {
  await writeFile(target, fresh)
  process.stderr.write(`src/files/plain-code.ts: ${binary.length} bytes\n`)
}

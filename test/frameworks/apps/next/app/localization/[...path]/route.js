import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export async function GET(_request, { params }) {
  const { path } = await params
  const isSafe = path.every((name) => /^[^./\\][^/\\]*$/.test(name))
  const file = isSafe && (await readFile(join('public/localization', ...path)).catch(() => false))
  return file ? new Response(file) : new Response('', { status: 404 })
}

/**
 * Development dependencies of which the built package holds a copy: what a plugin loads at its start is found and
 * opened in two files
 * instead of fifty, and an install has fewer packages. With what they depend on, they are in `dist/THIRD-PARTY.txt`,
 * the list of licences
 * and the bill of materials. The declarations name none of them: `scripts/plain-types.mjs` takes zod out of them.
 */
export const COPIED = [
  '@clack/prompts',
  '@jridgewell/sourcemap-codec',
  'launch-editor',
  'magic-string',
  'picomatch',
  'preact',
  'unplugin',
  'zod',
]

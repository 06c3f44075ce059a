import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resolveConfig } from '../../../src/config/resolve.ts'
import { createLogger, silentLogger } from '../../../src/logger.ts'
import { reportLoad } from '../../../src/plugin/report.ts'
import { loadCatalog } from '../../../src/sources/load.ts'
import { createResourceCache } from '../../../src/sources/resource-cache.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const ADDRESS = 'https://localization.example.com'

test.each([
  ['says that the service was not asked where only the key is missing', { service: { baseUrl: ADDRESS } }, true],
  ['says nothing of a service where none is configured', {}, false],
] as const)('%s', async (_name, options, isSaid) => {
  const root = await tempFolder()
  await writeTree(root, { 'locales/en/common.json': { title: 'Title' } })
  const config = resolveConfig(options, { root })
  const lines: string[] = []
  const loaded = await loadCatalog({
    config,
    mode: 'build',
    logger: silentLogger,
    now: () => new Date(),
    resourceCache: createResourceCache(join(root, '.cache')),
    openClient: () => Promise.reject(new Error('no service is to be asked')),
  })
  reportLoad(config, loaded, 0, createLogger({ write: (line) => lines.push(line) }))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('1 text in 0.0 s (1 file')
  expect(lines[0]?.includes('LOCALIZATION_API_KEY is not set')).toBe(isSaid)
})

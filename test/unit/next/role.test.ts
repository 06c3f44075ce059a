import { describe, expect, test } from 'vitest'
import { roleOf } from '../../../src/next/with-localization.ts'

const BUILD = 'phase-production-build'
const DEV = 'phase-development-server'
const CLI = '/app/node_modules/next/dist/bin/next'
const LINKED = '/app/node_modules/.bin/next'
const SERVER = '/app/node_modules/next/dist/server/lib/start-server.js'
const WORKER = '/app/node_modules/next/dist/compiled/jest-worker/processChild.js'
const WINDOWS = 'C:\\app\\node_modules\\next\\dist\\bin\\next'

describe('which process generates', () => {
  test.each([
    ['build', BUILD, CLI, 'build'],
    ['build', BUILD, LINKED, '--inspect build --webpack'],
    ['build', BUILD, WINDOWS, 'build'],
    ['build', 'phase-analyze', CLI, 'analyze'],
    // A program of the project's that builds, or serves.
    ['build', BUILD, '/app/scripts/build.mjs', ''],
    ['dev', DEV, '/app/server.js', ''],
    ['dev', DEV, SERVER, ''],
    ['reader', DEV, CLI, 'dev'],
    ['reader', DEV, '/app/node_modules/next/dist/telemetry/detached-flush.js', 'dev'],
    ['reader', BUILD, WORKER, ''],
    ['reader', BUILD, CLI, 'typegen'],
    ['reader', BUILD, CLI, 'lint'],
    ['reader', BUILD, CLI, 'internal post-build'],
    ['none', 'phase-production-server', CLI, 'start'],
    ['none', 'phase-test', '/app/node_modules/jest/bin/jest.js', ''],
    ['none', 'phase-info', CLI, 'info'],
  ])('%s: %s, %s %s', (role, phase, script, args) => {
    expect(roleOf(phase, ['node', script, ...args.split(' ')])).toBe(role)
  })
})

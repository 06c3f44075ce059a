/** The runtime for builds with `delivery: 'live'`. Other builds use `runtime.ts` and contain none of this. */
export { createLive } from './output/runtime/live.ts'
export { generatedAddresses } from './output/runtime/live-generated.ts'
export type { LiveAddresses } from './output/runtime/live-table.ts'
export * from './runtime.ts'

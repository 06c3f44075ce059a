/** The runtime of builds with `delivery: 'live'`. Other builds get `runtime.ts` and nothing of this. */
export { createLive } from './output/runtime/live.ts'
export { generatedAddresses } from './output/runtime/live-generated.ts'
export type { LiveAddresses } from './output/runtime/live-table.ts'
export * from './runtime.ts'

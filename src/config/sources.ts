/** The options that each source requires. */
export const SOURCES = {
  export: { needsApiKey: true, address: 'baseUrl' },
  hosting: { needsApiKey: false, address: 'cdnUrl' },
  query: { needsApiKey: true, address: 'baseUrl' },
  files: { needsApiKey: false, address: undefined },
} as const

export type SourceName = keyof typeof SOURCES

export const SOURCE_NAMES = Object.keys(SOURCES) as readonly SourceName[]

/** Generated from `schema.ts` by `node scripts/options.mjs`: change the options there. */

export const OPTION_RULES = {
  type: 'object',
  properties: {
    service: {
      default: {},
      type: 'object',
      properties: {
        baseUrl: { type: 'string', checks: ['checkServiceAddress'] },
        cdnUrl: { type: 'string', checks: ['checkFilesAddress'] },
        apiKey: { type: 'string', checks: ['checkSecret'] },
        personalToken: { type: 'string', checks: ['checkSecret'] },
        tokenHeader: { default: 'X-Service-Token', type: 'string', checks: ['checkHeaderName'] },
        names: {
          default: {},
          type: 'object',
          properties: {
            PROVIDER_A: { type: 'string', minLength: 1 },
            PROVIDER_B: { type: 'string', minLength: 1 },
            providerBGlossaryId: { type: 'string', minLength: 1 },
            providerBApiKey: { type: 'string', minLength: 1 },
            providerBFormality: { type: 'string', minLength: 1 },
          },
          additionalProperties: false,
        },
        headers: {
          default: {},
          type: 'object',
          propertyNames: { type: 'string' },
          additionalProperties: {
            anyOf: [
              { type: 'string', checks: ['checkSecret'] },
              {
                type: 'object',
                properties: { env: { type: 'string', minLength: 1 } },
                required: ['env'],
                additionalProperties: false,
              },
            ],
          },
          checks: ['checkHeaders'],
        },
        dispatcher: {},
        projectToken: { type: 'string', minLength: 1 },
        timeoutMs: { default: 60000, type: 'integer', minimum: 1, maximum: 2147483647 },
        retries: { default: 3, type: 'integer', minimum: 0, maximum: 100 },
        requestsPerMinute: { type: 'integer', minimum: 1, maximum: 2147483647 },
        concurrency: { default: 8, type: 'integer', minimum: 1, maximum: 1000 },
      },
      additionalProperties: false,
    },
    source: { type: 'string', enum: ['export', 'hosting', 'query', 'files'] },
    environment: { default: '_production', type: 'string', minLength: 1, pattern: '^[^/\\\\?#\\s]+$' },
    files: {
      default: 'locales/{language}/{namespace}.json',
      anyOf: [
        { type: 'string', checks: ['checkPattern'] },
        {
          type: 'object',
          properties: {
            pattern: { type: 'string', checks: ['checkPattern'] },
            root: { type: 'string', minLength: 1 },
          },
          required: ['pattern', 'root'],
          additionalProperties: false,
          checks: ['checkRoot'],
        },
        {
          minItems: 1,
          type: 'array',
          items: {
            anyOf: [
              { type: 'string', checks: ['checkPattern'] },
              {
                type: 'object',
                properties: {
                  pattern: { type: 'string', checks: ['checkPattern'] },
                  root: { type: 'string', minLength: 1 },
                },
                required: ['pattern', 'root'],
                additionalProperties: false,
                checks: ['checkRoot'],
              },
            ],
          },
        },
      ],
    },
    languages: { minItems: 1, type: 'array', items: { type: 'string', minLength: 1 } },
    namespaces: { minItems: 1, type: 'array', items: { type: 'string', minLength: 1 } },
    languageMap: {
      default: {},
      type: 'object',
      propertyNames: { type: 'string', minLength: 1 },
      additionalProperties: { type: 'string', minLength: 1 },
      checks: ['checkLanguageMap'],
    },
    defaultLanguage: { type: 'string', minLength: 1 },
    fallback: {
      default: {},
      anyOf: [
        { type: 'boolean', const: false },
        {
          type: 'object',
          propertyNames: { type: 'string', minLength: 1 },
          additionalProperties: { type: 'array', items: { type: 'string', minLength: 1 } },
          checks: ['checkFallback'],
        },
      ],
    },
    defaultNamespace: { default: 'default', type: 'string', minLength: 1 },
    namespacePrefix: { default: true, type: 'boolean' },
    customer: { type: 'string', minLength: 1 },
    customers: { default: [], type: 'array', items: { type: 'string', minLength: 1 } },
    shape: { default: 'flat', type: 'string', enum: ['flat', 'nested'] },
    keySeparator: {
      default: '.',
      anyOf: [
        { type: 'boolean', const: false },
        { type: 'string', checks: ['checkKeySeparator'] },
      ],
    },
    pluralSeparator: { default: '_', type: 'string', minLength: 1 },
    values: { default: 'keep', type: 'string', enum: ['keep', 'error'] },
    emptyTexts: { default: 'gap', type: 'string', enum: ['gap', 'keep'] },
    compile: {
      default: false,
      anyOf: [
        { type: 'boolean', const: false },
        { type: 'string', enum: ['icu'] },
      ],
    },
    reviewed: { default: false, type: 'boolean' },
    onServiceError: { type: 'string', enum: ['fail', 'snapshot', 'files'] },
    coverage: {
      default: {},
      type: 'object',
      properties: {
        minimum: {
          default: {},
          type: 'object',
          propertyNames: { type: 'string', minLength: 1 },
          additionalProperties: { type: 'number', minimum: 0, maximum: 1 },
        },
        onMissing: { default: 'warn', type: 'string', enum: ['warn', 'error', 'ignore'] },
      },
      additionalProperties: false,
    },
    push: {
      anyOf: [
        { type: 'boolean' },
        {
          type: 'object',
          properties: {
            create: { default: true, type: 'boolean' },
            concurrency: { default: 8, type: 'integer', minimum: 1, maximum: 1000 },
            holdAbove: { default: 100, type: 'integer', minimum: 0, maximum: 2147483647 },
          },
          additionalProperties: false,
        },
      ],
    },
    pull: {
      default: false,
      anyOf: [
        { type: 'boolean' },
        {
          type: 'object',
          properties: {
            intervalMs: { default: 30000, type: 'integer', minimum: 1, maximum: 2147483647 },
            write: { default: false, type: 'boolean' },
          },
          additionalProperties: false,
        },
      ],
    },
    prune: {
      default: false,
      anyOf: [
        { type: 'boolean' },
        {
          type: 'object',
          properties: {
            keep: { default: [], type: 'array', items: { type: 'string', minLength: 1 } },
            functions: { default: [], type: 'array', items: { type: 'string', minLength: 1 } },
            onUnknown: { default: 'keep', type: 'string', enum: ['keep', 'literals', 'ignore'] },
            ignoreIn: { default: [], type: 'array', items: { type: 'string', minLength: 1 } },
            perChunk: { default: false, type: 'boolean' },
          },
          additionalProperties: false,
        },
      ],
    },
    preload: {
      default: false,
      anyOf: [{ type: 'boolean' }, { type: 'array', items: { type: 'string', minLength: 1 } }],
    },
    delivery: { default: 'build', type: 'string', enum: ['build', 'live'] },
    refresh: {
      default: false,
      anyOf: [
        { type: 'boolean' },
        {
          type: 'object',
          properties: {
            intervalMs: { default: 60000, type: 'integer', minimum: 1000, maximum: 2147483647 },
            onVisible: { default: true, type: 'boolean' },
          },
          additionalProperties: false,
        },
      ],
    },
    library: { type: 'boolean' },
    report: { default: true, anyOf: [{ type: 'boolean' }, { type: 'string', const: 'json' }] },
    usage: {
      default: {},
      type: 'object',
      properties: {
        files: {
          default: [
            '{src,app,pages,components,layouts,lib,routes,views}/**/*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue,svelte,astro}',
            '*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue,svelte,astro}',
            '!**/*.{test,spec,stories,d}.*',
            '!**/{__tests__,__mocks__}/**',
            '!*.config.*',
          ],
          minItems: 1,
          type: 'array',
          items: { type: 'string', minLength: 1 },
        },
        literalsIn: { default: [], type: 'array', items: { type: 'string', minLength: 1 } },
        functions: { default: [], type: 'array', items: { type: 'string', minLength: 1 } },
        plurals: { type: 'string', enum: ['keys', 'messages'] },
      },
      additionalProperties: false,
    },
    pseudo: {
      default: false,
      anyOf: [
        { type: 'boolean', const: false },
        { type: 'string', minLength: 1 },
      ],
    },
    inspector: { default: true, anyOf: [{ type: 'boolean' }, { type: 'string', const: 'network' }] },
    edit: { default: false, type: 'boolean' },
    staleFile: { type: 'string', minLength: 1 },
    types: {
      default: false,
      anyOf: [
        { type: 'boolean', const: false },
        { type: 'string', minLength: 1, pattern: '\\.ts$' },
        {
          type: 'object',
          properties: {
            file: {
              default: 'localization.d.ts',
              type: 'string',
              minLength: 1,
              pattern: '\\.ts$',
            },
            i18next: {
              default: false,
              anyOf: [{ type: 'boolean' }, { type: 'string', const: 'selector' }],
            },
            vueI18n: { default: false, type: 'boolean' },
          },
          additionalProperties: false,
        },
      ],
    },
  },
  additionalProperties: false,
} as const

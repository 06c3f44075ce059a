/** `localization service tokens|keys|copy` manages the credentials of a running local service, and copies its data. */
import { resolve } from 'node:path'
import * as z from 'zod'
import type { CredentialOwner } from '../../api/projects.ts'
import { type Credential, credentialSchema, type MadeCredential } from '../../api/schemas.ts'
import { LocalizationError } from '../../errors.ts'
import { count } from '../../shared/figures.ts'
import {
  type CommandContext,
  type CommandGroup,
  defineCommand,
  defineGroup,
  durationMs,
  flag,
  UsageError,
  value,
} from '../command.ts'
import { table } from '../text.ts'
import { saveKey } from './projects.ts'

const credentialResult = credentialSchema.strip()
export const credentialsListResult = z.object({ credentials: z.array(credentialResult) })
export const credentialsChangeResult = z.object({
  dryRun: z.boolean(),
  /** `null` for `add` with `--dry-run`. */
  credential: credentialResult.nullable(),
  /** A new personal token, which is printed only once. */
  token: z.string().nullable(),
  /** The file to which a new API key was written. */
  keyFile: z.string().nullable(),
})
export const serviceCopyResult = z.object({
  dryRun: z.boolean(),
  tables: z.array(z.object({ table: z.string(), rows: z.number().int(), digest: z.string() })),
})

/** The kinds of credentials, with their names in messages. */
const KINDS = {
  tokens: { one: 'personal token', aOne: 'a personal token', isKey: false },
  keys: { one: 'API key', aOne: 'an API key', isKey: true },
} as const
type Kind = keyof typeof KINDS

const copy = defineCommand({
  description:
    'Copy all data between data folders and PostgreSQL databases into an empty target: all or nothing. ' +
    'LOCALIZATION_DATABASE_URL as source or target refers to the URL in that variable.',
  examples: [
    'service copy .localization/service LOCALIZATION_DATABASE_URL',
    'service copy postgres://app@db/app backup --dry-run',
  ],
  options: { dryRun: flag('copy and compare, and then leave the target empty') },
  result: serviceCopyResult,
  async work({ io, out, globals }, { dryRun }, from = '', to = '') {
    const { copyData, isDatabaseUrl } = await import('../../service/copy.ts')
    const place = (address: string) => {
      if (address === 'LOCALIZATION_DATABASE_URL') return io.env.LOCALIZATION_DATABASE_URL ?? ''
      return isDatabaseUrl(address) ? address : resolve(globals.root, address)
    }
    const tables = await copyData(place(from), place(to), dryRun, ({ table, rows }) =>
      out.say(`${table}: ${count(rows, 'row')}`),
    )
    return { data: { dryRun, tables } }
  },
  text({ data: { tables, dryRun } }, paint) {
    const rows = table(
      tables,
      [
        ['table', ({ table }) => table],
        ['rows', ({ rows }) => rows],
        ['digest, the same on both sides', ({ digest }) => digest],
      ],
      paint,
    )
    return `${rows}${dryRun ? '\nnothing was kept' : ''}`
  },
})

export const command = defineGroup(
  'Personal tokens and API keys of a running local service (needs LOCALIZATION_PERSONAL_TOKEN), and copies of ' +
    'its data.',
  { tokens: credentialCommands('tokens'), keys: credentialCommands('keys'), 'copy <from> <to>': copy },
)

function credentialCommands(kind: Kind): CommandGroup {
  const { one, aOne, isKey } = KINDS[kind]
  const project = value('<name>', 'the project: its name or its project token')
  // Tokens belong to the account and not to a project. They are printed and not saved.
  const owner = (isKey ? { project } : {}) as { project: typeof project }
  const saveKey = value<string | true>(
    '[file]',
    'write LOCALIZATION_API_KEY into this file (default: .env.local)',
    String,
  )
  const target = (isKey ? { saveKey } : {}) as { saveKey: typeof saveKey }
  const dryRun = flag('only show what would be done')
  const of = isKey ? ' --project shop' : ''
  const save = isKey ? ' --save-key ci.env' : ''

  const list = defineCommand({
    description: `List the valid ${one}s, without their secrets.`,
    examples: [`service ${kind} list${of}`],
    options: owner,
    result: credentialsListResult,
    async work(context, options) {
      const { credentials: api } = await context.client()
      return { data: { credentials: (await api.list(await ownerOf(context, kind, options.project))).map(resultOf) } }
    },
    text: ({ data: { credentials } }, paint) =>
      table(
        credentials,
        [
          ['id', ({ id }) => id],
          ['name', ({ name, isMain }) => (isMain ? `${name} (main)`.trim() : name)],
          ['created', ({ createdAt }) => createdAt],
          ['expires', ({ expiresAt }) => expiresAt],
        ],
        paint,
      ),
  })
  const add = defineCommand({
    description: `Create ${aOne}.`,
    examples: [`service ${kind} add ci${of}${save}`],
    options: {
      ...owner,
      ...target,
      dryRun,
      expires: value('<time>', 'how long it is valid, such as 720h; default: until it is revoked', durationMs),
    },
    result: credentialsChangeResult,
    async work(context, options, name = '') {
      const { credentials: api } = await context.client()
      if (isKey && !options.dryRun) assertSaveKey(options.saveKey)
      const ownedBy = await ownerOf(context, kind, options.project)
      if (options.dryRun) return changed(`would create the ${one} ${JSON.stringify(name)}`, null, { dryRun: true })
      return giveOut(context, kind, options.saveKey, await api.add(ownedBy, { name, expiresInMs: options.expires }))
    },
    text: ({ line }) => line,
  })
  const revoke = defineCommand({
    description: `Revoke ${aOne} immediately.`,
    examples: [`service ${kind} revoke 3f9a1c02b7de${of}`],
    options: { ...owner, dryRun },
    result: credentialsChangeResult,
    async work(context, options, id = '') {
      const { credentials: api } = await context.client()
      const ownedBy = await ownerOf(context, kind, options.project)
      const found = await find(context, ownedBy, kind, id)
      if (options.dryRun) return changed(`would revoke the ${one} ${nameOf(found)}`, found, { dryRun: true })
      const credential = resultOf(await api.revoke(ownedBy, id))
      return changed(`revoked the ${one} ${nameOf(credential)}`, credential)
    },
    text: ({ line }) => line,
  })
  const rotate = defineCommand({
    description: `Create a new ${one} and revoke the old one.`,
    examples: [`service ${kind} rotate 3f9a1c02b7de${of}${save}`],
    options: {
      ...owner,
      ...target,
      dryRun,
      overlap: value('<time>', 'how long the old one stays valid: 0, 90s, 5min, 24h', durationMs, 86_400_000),
    },
    result: credentialsChangeResult,
    async work(context, options, id = '') {
      const { credentials: api } = await context.client()
      if (isKey && !options.dryRun) assertSaveKey(options.saveKey)
      const ownedBy = await ownerOf(context, kind, options.project)
      const found = await find(context, ownedBy, kind, id)
      if (options.dryRun) return changed(`would rotate the ${one} ${nameOf(found)}`, found, { dryRun: true })
      return giveOut(context, kind, options.saveKey, await api.rotate(ownedBy, id, { overlapMs: options.overlap }))
    },
    text: ({ line }) => line,
  })
  return defineGroup(`List, add, revoke or rotate ${one}s.`, {
    list,
    'add <name>': add,
    'revoke <id>': revoke,
    'rotate <id>': rotate,
  })
}

/** Prints a new personal token, or saves a new API key in a file, because no command prints API keys. */
async function giveOut(
  context: CommandContext,
  kind: Kind,
  file: string | true | undefined,
  { secret, ...made }: MadeCredential,
) {
  const credential = resultOf(made)
  const { one, isKey } = KINDS[kind]
  if (!isKey) return changed(`${one} ${nameOf(credential)}, shown only now: ${secret}`, credential, { token: secret })
  context.io.hide(secret)
  const keyFile = file === true || file === undefined ? '.env.local' : file
  await saveKey(context, keyFile, secret, `the ${one} ${nameOf(credential)} is valid`)
  return changed(`${one} ${nameOf(credential)} is in ${keyFile}`, credential, { keyFile })
}

function assertSaveKey(file: string | true | undefined): void {
  if (file === undefined) throw new UsageError('a new API key is never printed: use --save-key to save it in a file')
}

async function ownerOf(context: CommandContext, kind: Kind, project: string | undefined): Promise<CredentialOwner> {
  if (kind === 'tokens') return {}
  const projects = await (await context.client()).projects.list()
  const found = projects.filter(
    ({ name, projectToken }) => project === undefined || project === name || project === projectToken,
  )
  const [only] = found
  if (only && found.length === 1) return { projectToken: only.projectToken }
  const known = (found.length > 1 ? found : projects).map(
    ({ name, projectToken }) => `${JSON.stringify(name)} (${projectToken})`,
  )
  const what = found.length > 1 ? 'several projects match' : `there is no project ${JSON.stringify(project ?? '')}`
  throw new UsageError(`${what}: name one with --project. Known: ${known.join(', ') || 'none'}.`)
}

async function find(context: CommandContext, owner: CredentialOwner, kind: Kind, id: string): Promise<Credential> {
  const found = (await (await context.client()).credentials.list(owner)).find((credential) => credential.id === id)
  if (found) return resultOf(found)
  throw new LocalizationError(`there is no valid ${KINDS[kind].one} with the id ${JSON.stringify(id)}`, {
    code: 'API_NOT_FOUND',
    hint: `\`localization service ${kind} list\` shows the ids.`,
  })
}

function changed(
  line: string,
  credential: Credential | null,
  { dryRun = false, token = null, keyFile = null }: Partial<z.infer<typeof credentialsChangeResult>> = {},
) {
  return { data: { dryRun, credential, token, keyFile }, line }
}

function nameOf({ id, name }: Pick<Credential, 'id' | 'name'>): string {
  return name === '' ? id : `${id} (${name})`
}

function resultOf({ id, name, createdAt, expiresAt, isMain }: Credential): Credential {
  return { id, name, createdAt, expiresAt, isMain }
}

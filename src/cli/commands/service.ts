/** `localization service tokens|keys|copy`: credentials of a local service that runs, and moving its data. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import * as z from 'zod'
import type { CredentialOwner } from '../../api/credentials.ts'
import { type Credential, credentialSchema, type MadeCredential } from '../../api/schemas.ts'
import { LocalizationError } from '../../errors.ts'
import { count, grouped } from '../../shared/figures.ts'
import { type Act, type AddCommand, type CommandContext, examples, UsageError } from '../command.ts'
import { writeKey } from '../key-file.ts'
import { durationMs } from '../options.ts'
import { type Column, type Paint, table } from '../text.ts'

const credentialResult = credentialSchema.strip()
export const credentialsListResult = z.object({ credentials: z.array(credentialResult) })
export const credentialsChangeResult = z.object({
  dryRun: z.boolean(),
  /** `null` with `--dry-run` of `add`. */
  credential: credentialResult.nullable(),
  /** A new personal token. It is printed once. */
  token: z.string().nullable(),
  /** The file that a new API key was written to. */
  keyFile: z.string().nullable(),
})
export const serviceCopyResult = z.object({
  dryRun: z.boolean(),
  tables: z.array(z.object({ table: z.string(), rows: z.number().int(), digest: z.string() })),
})
type Change = z.infer<typeof credentialsChangeResult>

interface Options {
  project?: string
  expires?: number
  overlap: number
  saveKey?: string | true
  dryRun?: boolean
}

/** The two kinds of credentials, in the words of the command line. */
const KINDS = {
  tokens: { one: 'personal token', isKey: false },
  keys: { one: 'API key', isKey: true },
} as const
type Kind = keyof typeof KINDS

export const addService: AddCommand = (program, act) => {
  const service = program
    .command('service')
    .summary('credentials and data of the local service')
    .description(
      'Personal tokens and API keys of a local service that runs (needs LOCALIZATION_PERSONAL_TOKEN), and copies of ' +
        'its data.',
    )
  for (const kind of ['tokens', 'keys'] as const) addKind(service, act, kind)
  service
    .command('copy <from> <to>')
    .description(
      'Copy all data between data folders and PostgreSQL databases (postgres://user@host:5432/database, or ' +
        'LOCALIZATION_DATABASE_URL for the address in that variable). All or nothing, into an empty target.',
    )
    .option('--dry-run', 'copy and compare, and then leave the target empty')
    .addHelpText(
      'after',
      examples(
        'service copy .localization/service LOCALIZATION_DATABASE_URL',
        'service copy postgres://app@db/app backup --dry-run',
      ),
    )
    .action(act(copy))
}

function addKind(service: Command, act: Act, kind: Kind): void {
  const { one, isKey } = KINDS[kind]
  const group = service.command(kind).description(`List, add, revoke or rotate ${one}s.`)
  const add = (usage: string, text: string, example: string) => {
    const command = group
      .command(usage)
      .description(text)
      .addHelpText('after', examples(`service ${kind} ${example}`))
    return isKey ? command.option('--project <name>', 'the project: its name or its project token') : command
  }
  const addDryRun = (command: Command) => command.option('--dry-run', 'only show what would be done')
  const addSaveKey = (command: Command) =>
    isKey
      ? command.option('--save-key [file]', 'write LOCALIZATION_API_KEY into this file (default: .env.local)')
      : command
  const of = isKey ? ' --project shop' : ''
  const save = isKey ? ' --save-key ci.env' : ''

  add('list', `List the valid ${one}s, without their secrets.`, `list${of}`).action(
    act((context, options: Options) => list(context, options, kind)),
  )
  addDryRun(addSaveKey(add('add <name>', `Make ${one === 'API key' ? 'an' : 'a'} ${one}.`, `add ci${of}${save}`)))
    .option('--expires <time>', 'how long it is valid, such as 720h; default: until it is revoked', durationMs)
    .action(act((context, options: Options, name: string) => make(context, options, kind, name)))
  addDryRun(
    add('revoke <id>', `End ${one === 'API key' ? 'an' : 'a'} ${one} at once.`, `revoke 3f9a1c02b7de${of}`),
  ).action(act((context, options: Options, id: string) => revoke(context, options, kind, id)))
  addDryRun(
    addSaveKey(
      add(
        'rotate <id>',
        `Make a new ${one} in place of another one, which then ends.`,
        `rotate 3f9a1c02b7de${of}${save}`,
      ),
    ),
  )
    .option('--overlap <time>', 'how long the old one stays valid: 0, 90s, 5min, 24h', durationMs, 86_400_000)
    .action(act((context, options: Options, id: string) => rotate(context, options, kind, id)))
}

async function copy(
  { io, out, globals }: CommandContext,
  { dryRun = false }: { readonly dryRun?: boolean },
  ...[from, to]: readonly [string, string]
) {
  const { copyData, isDatabaseUrl } = await import('../../service/copy.ts')
  const place = (address: string) => {
    if (address === 'LOCALIZATION_DATABASE_URL') return io.env.LOCALIZATION_DATABASE_URL ?? ''
    return isDatabaseUrl(address) ? address : resolve(globals.root, address)
  }
  const tables = await copyData({
    from: place(from),
    to: place(to),
    dryRun,
    onTable: ({ table, rows }) => out.say(`${table}: ${count(rows, 'row')}`),
  })
  const columns: Column<(typeof tables)[number]>[] = [
    { title: 'table', value: ({ table }) => table },
    { title: 'rows', align: 'right', value: ({ rows }) => grouped(rows) },
    { title: 'digest, the same on both sides', value: ({ digest }) => digest },
  ]
  const data: z.infer<typeof serviceCopyResult> = { dryRun, tables }
  return { data, text: (paint: Paint) => `${table(tables, columns, paint)}${dryRun ? '\nnothing was kept' : ''}` }
}

async function list(context: CommandContext, options: Options, kind: Kind) {
  const { credentials: api } = await context.client()
  const credentials = (await api.list(await ownerOf(context, options, kind))).map(resultOf)
  const columns: Column<Credential>[] = [
    { title: 'id', value: ({ id }) => id },
    { title: 'name', value: ({ name, isMain }) => (isMain ? `${name} (main)`.trim() : name) },
    { title: 'made', value: ({ createdAt }) => createdAt },
    { title: 'ends', value: ({ expiresAt }) => expiresAt ?? '' },
  ]
  const data: z.infer<typeof credentialsListResult> = { credentials }
  return { data, text: (paint: Paint) => table(credentials, columns, paint) }
}

async function make(context: CommandContext, options: Options, kind: Kind, name: string) {
  const { credentials: api } = await context.client()
  const { one } = KINDS[kind]
  checkSaveKey(kind, options)
  const owner = await ownerOf(context, options, kind)
  if (options.dryRun) return dryRun(`would make the ${one} ${JSON.stringify(name)}`, null)
  return handOver(context, options, kind, await api.add(owner, { name, expiresInMs: options.expires }))
}

async function revoke(context: CommandContext, options: Options, kind: Kind, id: string) {
  const { credentials: api } = await context.client()
  const { one } = KINDS[kind]
  const owner = await ownerOf(context, options, kind)
  const found = await find(context, owner, kind, id)
  if (options.dryRun) return dryRun(`would revoke the ${one} ${nameOf(found)}`, found)
  const credential = resultOf(await api.revoke(owner, id))
  const data: Change = { dryRun: false, credential, token: null, keyFile: null }
  return { data, text: () => `revoked the ${one} ${nameOf(credential)}` }
}

async function rotate(context: CommandContext, options: Options, kind: Kind, id: string) {
  const { credentials: api } = await context.client()
  checkSaveKey(kind, options)
  const owner = await ownerOf(context, options, kind)
  const found = await find(context, owner, kind, id)
  if (options.dryRun) return dryRun(`would rotate the ${KINDS[kind].one} ${nameOf(found)}`, found)
  return handOver(context, options, kind, await api.rotate(owner, id, { overlapMs: options.overlap }))
}

/** A personal token is printed, as `serve` does. An API key goes into a file: no command prints one. */
async function handOver(
  { io, globals, out }: CommandContext,
  { saveKey }: Options,
  kind: Kind,
  { secret, ...made }: MadeCredential,
) {
  const credential = resultOf(made)
  const { one, isKey } = KINDS[kind]
  if (!isKey) {
    const data: Change = { dryRun: false, credential, token: secret, keyFile: null }
    return { data, text: () => `${one} ${nameOf(credential)}, shown only now: ${secret}` }
  }
  io.hide(secret)
  const keyFile = saveKey === true || saveKey === undefined ? '.env.local' : saveKey
  if (await writeKey(resolve(globals.root, keyFile), secret)) {
    out.warn(`the API key that was in ${keyFile} before is replaced`)
  }
  const data: Change = { dryRun: false, credential, token: null, keyFile }
  return { data, text: () => `${one} ${nameOf(credential)} is in ${keyFile}` }
}

function checkSaveKey(kind: Kind, { saveKey, dryRun: isDryRun }: Options): void {
  if (KINDS[kind].isKey && saveKey === undefined && !isDryRun) {
    throw new UsageError('a new API key is never printed: name the file for it with --save-key')
  }
}

async function ownerOf(context: CommandContext, { project }: Options, kind: Kind): Promise<CredentialOwner> {
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
  const what = found.length > 1 ? 'more than one project fits' : `there is no project ${JSON.stringify(project ?? '')}`
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

function dryRun(text: string, credential: Credential | null) {
  const data: Change = { dryRun: true, credential, token: null, keyFile: null }
  return { data, text: () => text }
}

function nameOf({ id, name }: Pick<Credential, 'id' | 'name'>): string {
  return name === '' ? id : `${id} (${name})`
}

function resultOf({ id, name, createdAt, expiresAt, isMain }: Credential): Credential {
  return { id, name, createdAt, expiresAt, isMain }
}

/** The request of an auto-translate job: its validation, and its stored form. */
import { randomUUID } from 'node:crypto'
import type { StartJobRequest } from '../api/schemas.ts'
import { messageOf } from '../errors.ts'
import { badRequest, languageNotFound } from './http-error.ts'
import type { TranslationProvider } from './providers/types.ts'
import type { JobRecord } from './store/jobs.ts'
import { defaultLanguageOf, type ProjectRecord } from './store/projects.ts'
import type { Store } from './store/store.ts'

export const STARTED_PROGRESS = 0.01

export async function toJob(
  { projects }: Store,
  { id: projectId }: ProjectRecord,
  request: StartJobRequest,
  now: string,
): Promise<JobRecord> {
  const languages = await projects.languages(projectId)
  for (const language of [request.targetProjectLanguage, request.sourceProjectLanguage]) {
    const isKnown = !language || languages.some(({ key }) => key === language)
    if (!isKnown) throw badRequest(languageNotFound(language).message)
  }
  return {
    id: randomUUID(),
    projectId,
    state: 'STARTED',
    progress: STARTED_PROGRESS,
    started: now,
    message: 'OK',
    request: {
      translationProvider: request.translationProvider,
      targetProjectLanguage: request.targetProjectLanguage,
      targetLanguage: request.targetLanguage,
      sourceProjectLanguage: request.sourceProjectLanguage || defaultLanguageOf(languages),
      sourceLanguage: request.sourceLanguage || undefined,
      options: [...new Set(request.options)],
      glossaryId: request.providerBGlossaryId || undefined,
      formality: request.providerBFormality,
    },
    needsKey: Boolean(request.providerBApiKey),
    texts: 0,
    characters: 0,
    tooLong: 0,
    last: undefined,
    takeovers: 0,
  }
}

/** The contract: a glossary needs a key and a source language, and its language pair must match the request. */
export async function checkGlossary(
  { providerBGlossaryId: id, providerBApiKey: apiKey, translationProvider }: StartJobRequest,
  { request: { sourceLanguage, targetLanguage } }: JobRecord,
  provider: TranslationProvider,
  signal: AbortSignal,
): Promise<void> {
  if (!id) return
  if (translationProvider !== 'PROVIDER_B') throw badRequest('providerBGlossaryId works with PROVIDER_B only.')
  if (!apiKey) throw badRequest('providerBGlossaryId requires providerBApiKey.')
  if (!sourceLanguage) throw badRequest('providerBGlossaryId requires sourceLanguage.')
  const pair = await provider.glossary?.(id, { apiKey, signal }).catch((error) => {
    throw badRequest(redact(`The glossary cannot be read: ${messageOf(error)}`, apiKey))
  })
  if (!pair) return
  if (isSameLanguage(pair.sourceLanguage, sourceLanguage) && isSameLanguage(pair.targetLanguage, targetLanguage)) return
  const translates = `${pair.sourceLanguage} to ${pair.targetLanguage}`
  throw badRequest(`The glossary translates ${translates}, not ${sourceLanguage} to ${targetLanguage}.`)
}

/** Compares without regions: a glossary for `EN` also applies to `EN-GB`. */
function isSameLanguage(glossary: string, request: string): boolean {
  const [wide, narrow] = [glossary.toLowerCase(), request.toLowerCase()]
  return wide === narrow || wide === narrow.split(/[-_]/)[0]
}

export function redact(message: string, secret: string | undefined): string {
  return secret ? message.replaceAll(secret, '***') : message
}

import { expect, test } from 'vitest'
import {
  fromServiceNames,
  problemOfNames,
  type ServiceNames,
  toServiceNames,
} from '../../../src/shared/service-names.ts'

const NAMES: ServiceNames = {
  PROVIDER_A: 'GENERAL',
  PROVIDER_B: 'SPECIAL',
  providerBGlossaryId: 'specialGlossaryId',
  providerBApiKey: 'specialApiKey',
}

test('a request in the words of the service, and back', () => {
  const request = {
    translationProvider: 'PROVIDER_B',
    targetLanguage: 'PL',
    providerBApiKey: 'k',
    providerBFormality: 'more',
  }
  const spelled = {
    translationProvider: 'SPECIAL',
    targetLanguage: 'PL',
    specialApiKey: 'k',
    providerBFormality: 'more',
  }
  expect(toServiceNames(request, NAMES)).toEqual(spelled)
  expect(fromServiceNames(spelled, NAMES)).toEqual(request)
  expect(toServiceNames(request, {})).toEqual(request)
  expect(fromServiceNames(request, {})).toEqual(request)
})

test('an unknown provider stays; the words of the contract mean nothing to a service that has others', () => {
  expect(fromServiceNames({ translationProvider: 'PROVIDER_C' }, NAMES)).toEqual({ translationProvider: 'PROVIDER_C' })
  expect(fromServiceNames({ translationProvider: 'PROVIDER_B', providerBApiKey: 'k' }, NAMES)).toEqual({
    translationProvider: 'not PROVIDER_B',
  })
})

test('names may be exchanged', () => {
  const names = { PROVIDER_A: 'PROVIDER_B', PROVIDER_B: 'PROVIDER_A' }
  expect(problemOfNames(names)).toBe(undefined)
  expect(toServiceNames({ translationProvider: 'PROVIDER_A' }, names)).toEqual({ translationProvider: 'PROVIDER_B' })
  expect(fromServiceNames({ translationProvider: 'PROVIDER_B' }, names)).toEqual({ translationProvider: 'PROVIDER_A' })
})

test.each([
  [{ PROVIDER_A: 'X', PROVIDER_B: 'X' }, '"X" twice'],
  [{ PROVIDER_A: 'PROVIDER_B' }, '"PROVIDER_B" twice'],
  [{ providerBApiKey: 'targetLanguage' }, '"targetLanguage" twice'],
  [{ providerBApiKey: '' }, 'empty'],
])('%j cannot be told apart', (names, problem) => {
  expect(problemOfNames(names)).toContain(problem)
})

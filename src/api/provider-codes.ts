/** `pt-BR` as it is for the one provider of machine translation, `PT-BR` for the other. */
export function providerCode(language: string, provider: 'PROVIDER_A' | 'PROVIDER_B'): string {
  const code = language.replaceAll('_', '-')
  return provider === 'PROVIDER_B' ? code.toUpperCase() : code
}

/** Finds out what has changed since an earlier load, without loading the texts. */
import { readFileInputs } from './files.ts'
import { digestsOf, type Inputs } from './inputs.ts'
import type { LoadOptions } from './load.ts'
import { SERVICE_SOURCES, withClient } from './service-sources.ts'
import { storableValidator } from './validator.ts'

/** The inputs that a load would have now; `undefined` if the source cannot tell whether they have changed. */
export async function readInputs(
  options: Pick<LoadOptions, 'config' | 'openClient' | 'resourceCache' | 'signal'>,
  known: Inputs,
): Promise<Inputs | undefined> {
  const { config, resourceCache, signal } = options
  const source = await SERVICE_SOURCES[config.source]?.()
  const read = source?.inputs
  if (source && !read) return undefined
  const [files, service] = await Promise.all([
    readFileInputs(config),
    read && withClient(options, (client) => read({ config, client, resourceCache, signal }, known.validator)),
  ])
  const own = { files: digestsOf(files) }
  if (!service) return own
  if (!service.inputs) return { ...own, service: known.service, validator: known.validator }
  const validator = storableValidator(service.validator, service.staleMs)
  return { ...own, service: digestsOf(service.inputs), validator }
}

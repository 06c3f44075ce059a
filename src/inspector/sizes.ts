/** The answer for the sizes of the overview: which texts cost how many bytes. */
import type { InspectedProject } from './inspected-project.ts'
import type { Snapshot } from './snapshot.ts'

/** Nobody reads more of them. */
const MOST_CHUNKS = 500

export async function sizesOf(project: InspectedProject, snapshot: Snapshot) {
  const { chunks = [] } = (await project.report?.()) ?? {}
  return {
    /** By the last production build, the largest first. Empty: no report tells. */
    chunks: chunks
      .filter(({ bytes }) => bytes > 0)
      .map(({ name, kind, keys, shared, bytes, language, namespaces }) => {
        return { name, kind, keys, shared, bytes, language, namespaces }
      })
      .sort((a, b) => b.bytes - a.bytes)
      .slice(0, MOST_CHUNKS),
    /** The texts that the project has now in its default language, the largest first. */
    namespaces: snapshot.namespaces
      .map((namespace) => namespaceSize(snapshot, namespace))
      .filter(({ bytes }) => bytes > 0)
      .sort((a, b) => b.bytes - a.bytes),
  }
}

function namespaceSize({ messages, defaultLanguage }: Snapshot, namespace: string) {
  const texts = messages(defaultLanguage, namespace)
  const bytes = texts.size === 0 ? 0 : Buffer.byteLength(JSON.stringify(Object.fromEntries(texts)))
  return { namespace, keys: texts.size, bytes }
}

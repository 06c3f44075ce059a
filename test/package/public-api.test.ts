/** The public interface in `api/*.md`, brought up to date with `vitest -u`. A change there is a change for every user. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ApiName, readPublicApi, signature } from '../../scripts/public-api.ts'
import { repository } from '../helpers/bundlers.ts'

const signatureOf = ({ declarations }: ApiName) => declarations.map(signature).join('\n')
const declaredName = (text: string) => /\b(?:class|const|function|interface|type) (\w+)/.exec(text)?.[1]

test.each(readPublicApi().map((entry) => [entry.specifier, entry] as const))('%s', async (specifier, entry) => {
  const lines = entry.exported.map((each) => {
    const text = signatureOf(each)
    return declaredName(text) === each.name ? text : `// as ${each.name}\n${text}`
  })
  const rest = entry.inner.map(signatureOf)
  if (rest.length > 0) lines.push('// not exported, named above', ...rest)
  const text = entry.isAmbient ? signature(entry.source) : lines.join('\n')
  const page = `# \`${specifier}\`\n\n\`\`\`ts\n${text.trim()}\n\`\`\`\n`
  await expect(page).toMatchFileSnapshot(join(repository, `api/${entry.name}.md`))
})

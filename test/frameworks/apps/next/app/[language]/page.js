import { load } from 'virtual:translations'
import { Help } from './help.js'
import { Pots } from './pots.js'

export default async function Page({ params }) {
  const { language } = await params
  const texts = await load(language, 'common')
  return (
    <main>
      <h1>{texts.title}</h1>
      <Pots text={texts.pots} />
      <Help language={language} />
    </main>
  )
}

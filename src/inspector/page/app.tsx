/** The frame: who is shown, where one is, and whether the server is there. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { Overview, ProjectChoice } from '../wire.ts'
import { chooseProject, get, giveToken, needsToken } from './api.ts'
import { startListening, useConnection, useLive } from './live.ts'
import { LogView } from './log.tsx'
import { OverviewView } from './overview.tsx'
import { Notices, Trouble, Waiting } from './parts.tsx'
import { hrefOf, useRoute, type View } from './route.ts'
import { ServiceView } from './service.tsx'
import { SyncView } from './sync.tsx'
import { TextsView } from './texts.tsx'
import { ThemeButton } from './theme.tsx'

export function App() {
  const [isIn, setIn] = useState(!needsToken())
  const [isRefused, setRefused] = useState(false)
  const refuse = useCallback(() => {
    setRefused(true)
    setIn(false)
  }, [])
  return isIn ? <Projects onRefused={refuse} /> : <TokenForm isRefused={isRefused} onGiven={() => setIn(true)} />
}

function TokenForm({ isRefused, onGiven }: { isRefused: boolean; onGiven: () => void }) {
  const [given, setGiven] = useState('')
  return (
    <main class="lone">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault()
          giveToken(given.trim())
          onGiven()
        }}
      >
        <h1>Translations</h1>
        <p>The texts of this service are shown to whoever has the personal token, which it printed when it started.</p>
        {isRefused ? (
          <Trouble message="The service does not know this token: it makes a new one at each start." />
        ) : null}
        <label class="field">
          <span>Personal token</span>
          <input type="password" autocomplete="off" value={given} onInput={(e) => setGiven(e.currentTarget.value)} />
        </label>
        <button type="submit" class="button primary" disabled={given.trim() === ''}>
          Show the texts
        </button>
      </form>
    </main>
  )
}

function Projects({ onRefused }: { onRefused: () => void }) {
  const [projects, setProjects] = useState<readonly ProjectChoice[]>()
  const [trouble, setTrouble] = useState<string>()
  const [chosen, setChosen] = useState<string>()
  useEffect(() => {
    get<{ projects: readonly ProjectChoice[] }>('projects').then(
      ({ projects: all }) => {
        const wanted = new URLSearchParams(location.search).get('project')
        const first = all.find(({ id }) => id === wanted) ?? all[0]
        chooseProject(first?.id || undefined)
        setChosen(first?.id)
        setProjects(all)
        startListening()
      },
      (error: Error & { status?: number }) => {
        if (error.status === 403 && sessionStorage.length > 0) {
          sessionStorage.clear()
          onRefused()
        } else setTrouble(error.message)
      },
    )
  }, [onRefused])
  if (trouble !== undefined) {
    return (
      <main class="lone">
        <Trouble message={trouble} />
      </main>
    )
  }
  if (!projects) return <main class="lone">{<Waiting what="Asking the server" />}</main>
  if (chosen === undefined) {
    return (
      <main class="lone">
        <p>
          This service has no project yet. <code>localization projects create</code> makes one.
        </p>
      </main>
    )
  }
  return <Frame projects={projects} chosen={chosen} />
}

const TABS: readonly { readonly view: View; readonly label: string }[] = [
  { view: 'overview', label: 'Overview' },
  { view: 'texts', label: 'Texts' },
  { view: 'sync', label: 'Sync' },
  { view: 'service', label: 'Service' },
  { view: 'log', label: 'Log' },
]

function Frame({ projects, chosen }: { projects: readonly ProjectChoice[]; chosen: string }) {
  const { view, query } = useRoute()
  const overview = useLive<Overview>('change', 'overview')
  const isConnected = useConnection()
  const { data } = overview
  const open = data ? data.counts.conflict + data.counts.held + data.counts.waiting + data.counts.refused : 0
  useEffect(() => {
    if (data) document.title = `${data.name} · Translations`
  }, [data?.name])
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <h1>{data?.name ?? 'Translations'}</h1>
        {projects.length > 1 ? <ProjectSelect projects={projects} chosen={chosen} /> : null}
        <nav aria-label="Views">
          {TABS.filter((tab) => data?.kind !== 'service' || tab.view !== 'sync').map((tab) => (
            <a key={tab.view} href={hrefOf(tab.view)} aria-current={tab.view === view ? 'page' : undefined}>
              {tab.label}
              {tab.view === 'sync' && open > 0 ? (
                <span class={`badge ${data && data.counts.conflict > 0 ? 'bad' : ''}`}>
                  {open.toLocaleString('en')}
                  <span class="unseen"> open</span>
                </span>
              ) : null}
            </a>
          ))}
        </nav>
        <span class={`live ${isConnected ? 'on' : ''}`} role="status">
          {isConnected ? 'live' : 'not connected'}
        </span>
        <ThemeButton />
      </header>
      <main id="main" tabIndex={-1} class={view === 'texts' ? 'wide' : ''}>
        {overview.failure ? <Trouble message={overview.failure.message} /> : null}
        {data ? (
          <Content view={view} query={query} overview={data} />
        ) : overview.failure ? null : (
          <Waiting what="Loading" />
        )}
      </main>
      <Notices />
    </>
  )
}

function ProjectSelect({ projects, chosen }: { projects: readonly ProjectChoice[]; chosen: string }) {
  return (
    <label>
      <span class="unseen">Project</span>
      <select
        value={chosen}
        onChange={(event) => {
          location.assign(`?project=${encodeURIComponent(event.currentTarget.value)}#/overview`)
        }}
      >
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

function Content({
  view,
  query,
  overview,
}: {
  view: View
  query: Readonly<Record<string, string>>
  overview: Overview
}) {
  switch (view) {
    case 'texts':
      return <TextsView query={query} overview={overview} />
    case 'sync':
      return <SyncView overview={overview} />
    case 'service':
      return <ServiceView overview={overview} />
    case 'log':
      return <LogView />
    default:
      return <OverviewView overview={overview} />
  }
}

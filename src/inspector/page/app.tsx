/** The frame around all views: the selected project, the current view, and the state of the connection. */
import './page.css'
import { type FunctionComponent, render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { grouped } from '../../shared/figures.ts'
import type { Overview } from '../overview.ts'
import type { ProjectChoice } from '../protocol.ts'
import {
  answeredAt,
  asksForToken,
  CallError,
  chooseProject,
  get,
  giveToken,
  hasToken,
  messageOf,
  startListening,
  useConnection,
  useLive,
} from './calls.ts'
import { Busy, Card, Checkbox, ErrorText, Loaded, Notices } from './controls.tsx'
import { time } from './format.tsx'
import { OverviewView } from './overview.tsx'
import { hrefOf, type Query, readStored, store, useRoute, type View } from './route.ts'
import { ServiceView } from './service.tsx'
import { SyncView } from './sync.tsx'
import { TextsView } from './texts.tsx'

type Content = FunctionComponent<{ readonly overview: Overview; readonly query: Query }>

const VIEWS: Readonly<Record<View, { readonly label: string; readonly Content: Content }>> = {
  overview: { label: 'Overview', Content: OverviewView },
  texts: { label: 'Texts', Content: TextsView },
  sync: { label: 'Sync', Content: SyncView },
  service: { label: 'Service', Content: ServiceView },
  log: { label: 'Log', Content: LogView },
}

function App() {
  const [access, setAccess] = useState<'given' | 'asked' | 'refused'>(hasToken() ? 'given' : 'asked')
  const refuse = () => {
    giveToken('')
    setAccess('refused')
  }
  if (access === 'given') return <Projects onRefused={refuse} />
  return <TokenForm isRefused={access === 'refused'} onGiven={() => setAccess('given')} />
}

function Projects({ onRefused }: { onRefused: () => void }) {
  const [projects, setProjects] = useState<readonly ProjectChoice[]>()
  const [failure, setFailure] = useState<string>()
  useEffect(() => {
    get('projects', {}).then(setProjects, (error: unknown) => {
      if (asksForToken && error instanceof CallError && error.status === 403) onRefused()
      else setFailure(messageOf(error))
    })
  }, [])
  const wanted = new URLSearchParams(location.search).get('project')
  const chosen = projects?.find(({ id }) => id === wanted) ?? projects?.[0]
  // Not in an effect: the views call the server right after this.
  chooseProject(chosen?.id || undefined)
  if (projects && chosen) return <Frame projects={projects} chosen={chosen} />
  return (
    <main class="lone">
      {failure !== undefined && <ErrorText message={failure} />}
      {projects && (
        <p>
          This service has no projects yet. Create one with <code>localization projects create</code>.
        </p>
      )}
      {failure === undefined && !projects && <Busy what="Connecting to the server" />}
    </main>
  )
}

function Frame({ projects, chosen }: { projects: readonly ProjectChoice[]; chosen: ProjectChoice }) {
  const { view, query } = useRoute()
  const overview = useLive('change', 'overview', {})
  useEffect(startListening, [])
  const { name } = overview.data ?? {}
  useEffect(() => {
    if (name !== undefined) document.title = `${name} · Translations`
  }, [name])
  const { Content } = VIEWS[view]
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <h1>{name ?? 'Translations'}</h1>
        {projects.length > 1 && projectSelect(projects, chosen)}
        {tabs(view, overview.data)}
        <Contact sync={overview.data?.sync} />
        <ThemeButton />
      </header>
      <main id="main" tabIndex={-1} class={view === 'texts' ? 'wide' : ''}>
        <Loaded live={overview}>{(data) => <Content query={query} overview={data} />}</Loaded>
      </main>
      <Notices />
    </>
  )
}

/** The interval at which the displayed time is refreshed. */
const TICK_MS = 5_000

/** Shows "live" only if the service (or the dev server, if it does not sync) answered the last request. */
function Contact({ sync }: { sync: Overview['sync'] | undefined }) {
  const isConnected = useConnection()
  const [, draw] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => draw(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  const syncs = sync?.role === 'writer'
  const at = syncs ? sync.contactAt : answeredAt()
  const isLive = isConnected && sync !== undefined && !(syncs && sync.failure !== undefined) && at !== undefined
  const state = () => {
    if (!isConnected) return answeredAt() === 0 ? 'not connected' : `no response since ${time(answeredAt())}`
    if (sync?.failure !== undefined) return 'last request failed'
    return isLive ? `live, ${time(at)}` : 'connecting'
  }
  const other = syncs ? 'the service' : 'the dev server'
  return (
    <span class={`live ${isLive ? 'on' : ''}`} title={isLive ? `The last response from ${other}` : undefined}>
      {/* Screen readers announce only a changed state, not every new time. */}
      <span role="status" class="unseen">
        {isLive ? 'live' : state()}
      </span>
      <span aria-hidden="true">{state()}</span>
    </span>
  )
}

function tabs(view: View, overview: Overview | undefined) {
  const { conflict = 0, held = 0, waiting = 0, refused = 0 } = overview?.counts ?? {}
  const open = conflict + held + waiting + refused
  const views = (Object.keys(VIEWS) as readonly View[]).filter((one) => overview?.kind !== 'service' || one !== 'sync')
  return (
    <nav aria-label="Views">
      {views.map((one) => (
        <a key={one} href={hrefOf(one)} aria-current={one === view ? 'page' : undefined}>
          {VIEWS[one].label}
          {one === 'sync' && open > 0 && (
            <span class={`badge ${conflict > 0 ? 'bad' : ''}`}>
              {grouped(open)}
              <span class="unseen"> open</span>
            </span>
          )}
        </a>
      ))}
    </nav>
  )
}

function projectSelect(projects: readonly ProjectChoice[], chosen: ProjectChoice) {
  const open = (id: string) => location.assign(`?project=${encodeURIComponent(id)}#/overview`)
  return (
    <select aria-label="Project" value={chosen.id} onChange={(event) => open(event.currentTarget.value)}>
      {projects.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}

/** The log of syncs, translations and publishes, newest first. */
function LogView() {
  const log = useLive('log', 'log', {})
  const [onlyProblems, setOnlyProblems] = useState(false)
  const filter = (
    <Checkbox checked={onlyProblems} onChange={setOnlyProblems}>
      Warnings and errors only
    </Checkbox>
  )
  return (
    <Loaded live={log}>
      {(all) => {
        const lines = all.filter(({ level }) => !onlyProblems || level !== 'info').reverse()
        return (
          <Card title="Log" actions={filter}>
            {lines.length === 0 && <p class="soft">Nothing yet.</p>}
            <ol class="log">
              {lines.map(({ id, at, level, message }) => (
                <li key={id}>
                  <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleTimeString()}</time>
                  <span>
                    {level === 'warn' && <strong class="warn">warning: </strong>}
                    {level === 'error' && <strong class="bad">error: </strong>}
                    {message}
                  </span>
                </li>
              ))}
            </ol>
          </Card>
        )
      }}
    </Loaded>
  )
}

/** Asks for a service's personal token. */
function TokenForm({ isRefused, onGiven }: { isRefused: boolean; onGiven: () => void }) {
  const [given, setGiven] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    giveToken(given.trim())
    onGiven()
  }
  return (
    <main class="lone">
      <form class="card" onSubmit={submit}>
        <h1>Translations</h1>
        <p>To see this service's texts, enter the personal token that it printed when it started.</p>
        {isRefused && <ErrorText message="Unknown token. The service creates a new one each time it starts." />}
        <label class="field">
          <span>Personal token</span>
          <input type="password" autocomplete="off" value={given} onInput={(e) => setGiven(e.currentTarget.value)} />
        </label>
        <button type="submit" class="button primary" disabled={given.trim() === ''}>
          Show texts
        </button>
      </form>
    </main>
  )
}

const SIGNS = { auto: '◐', light: '☀', dark: '☾' }
type Theme = keyof typeof SIGNS
const THEMES = Object.keys(SIGNS) as readonly Theme[]
const STORED = 'localization-theme'

function applyTheme(): Theme {
  const theme = THEMES.find((one) => one === readStored('localStorage', STORED)) ?? 'auto'
  document.documentElement.style.colorScheme = theme === 'auto' ? '' : theme
  return theme
}

function ThemeButton() {
  const [theme, setTheme] = useState(applyTheme)
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto'
  return (
    <button
      type="button"
      class="button quiet"
      aria-label={`Theme: ${theme}. Change to ${next}`}
      onClick={() => {
        store('localStorage', STORED, next)
        setTheme(applyTheme())
      }}
    >
      {SIGNS[theme]}
    </button>
  )
}

applyTheme()
render(<App />, document.getElementById('app') as HTMLElement)

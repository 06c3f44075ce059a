/** What the scripts of package.json run. */

export type Scripts = Readonly<Record<string, string>>

/** `vite`, `npx vite build`, `node node_modules/vite/bin/vite.js`, but not `vitest` or `vite-node`. */
export function runsTool(command: string, tool: string): boolean {
  return new RegExp(`(?:^|[\\s;&|(/])${tool}(?:\\.[cm]?js)?(?=[\\s;&|)]|-dev-server|$)`).test(command)
}

/** The script that builds is the first. */
export function inOrder(scripts: Scripts): [name: string, command: string][] {
  const rank = (name: string) => (name === 'build' ? 0 : name.startsWith('build') ? 1 : 2)
  return Object.entries(scripts).sort(([a], [b]) => rank(a) - rank(b))
}

/** It serves or watches, and does not end. */
const SERVES = /\s(?:serve|server|dev|preview|start|--watch|-w)(?=\s|$)|-dev-server\b/

/** The name of the script that builds the app: `build`, else the first that runs the tool and ends. */
export function buildScript(scripts: Scripts, tool: string | undefined): string | undefined {
  if (scripts.build !== undefined || tool === undefined) return scripts.build === undefined ? undefined : 'build'
  // Without a command, Vite and Farm serve.
  const ends = tool === 'vite' || tool === 'farm' ? /\sbuild(?=\s|$)/ : /^/
  return inOrder(scripts).find(
    ([, command]) => runsTool(command, tool) && !SERVES.test(command) && ends.test(command),
  )?.[0]
}

/** The configurations that scripts name, relative to the root. */
export function namedConfigs(scripts: Scripts, tool: string): string[] {
  const option = new RegExp(
    `(?:^|[\\s&;|/])${tool}\\b[^&;|]*?\\s(?:--config|-c)[=\\s]+["']?([\\w./-]+\\.[cm]?[jt]s)`,
    'g',
  )
  const named = inOrder(scripts).flatMap(([, command]) => [...command.matchAll(option)].map(([, path = '']) => path))
  return [...new Set(named.map((path) => path.replace(/^\.\//, '')))]
}

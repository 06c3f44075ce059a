/** The translation files of the sync model, as the user, the engine and the commands leave them. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { IDS, nameOf, type TextPlace } from './steps.ts'

export class ModelFiles {
  readonly root: string
  /** Half-typed files: path to the content when it is whole. */
  readonly broken = new Map<string, string>()
  /** Each text when the files were last compared, or as the user saved it: a difference is somebody else's change. */
  before = new Map<string, string | undefined>()

  constructor(root: string) {
    this.root = root
  }

  pathOf({ language, namespace }: TextPlace): string {
    return join(this.root, 'locales', language, `${namespace}.json`)
  }

  isBroken(id: TextPlace): boolean {
    return this.broken.has(this.pathOf(id))
  }

  text(id: TextPlace): string | undefined {
    return this.#texts(this.pathOf(id))[id.key]
  }

  set(id: TextPlace, value: string | undefined): void {
    const path = this.pathOf(id)
    const texts = this.#texts(path)
    if (value === undefined) delete texts[id.key]
    else texts[id.key] = value
    this.broken.delete(path)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify(texts, null, 2))
    this.before.set(nameOf(id), value)
  }

  /** Leaves the file without its last bracket, as while somebody types. */
  break(id: TextPlace): void {
    const path = this.pathOf(id)
    if (!existsSync(path) || this.broken.has(path)) return
    const content = readFileSync(path, 'utf8')
    this.broken.set(path, content)
    writeFileSync(path, content.trimEnd().slice(0, -1))
  }

  /** Makes half-typed files whole. */
  mend(): void {
    for (const [path, content] of this.broken) writeFileSync(path, content)
    this.broken.clear()
  }

  remove(id: TextPlace): void {
    const path = this.pathOf(id)
    rmSync(path, { force: true })
    this.broken.delete(path)
    for (const other of IDS) if (this.pathOf(other) === path) this.before.set(nameOf(other), undefined)
  }

  /** The content of the text's file; `undefined`: there is none. */
  content(id: TextPlace): string | undefined {
    const path = this.pathOf(id)
    return this.broken.get(path) ?? (existsSync(path) ? readFileSync(path, 'utf8') : undefined)
  }

  /** Puts a content back, as git does. Gives the texts that the file has now. */
  restore(id: TextPlace, content: string | undefined): readonly TextPlace[] {
    const path = this.pathOf(id)
    this.broken.delete(path)
    if (content === undefined) rmSync(path, { force: true })
    else {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
    }
    const inside = IDS.filter((other) => this.pathOf(other) === path)
    for (const other of inside) this.before.set(nameOf(other), this.text(other))
    return inside
  }

  /** Each text by its name. */
  all(): Map<string, string | undefined> {
    const paths = new Set(IDS.map((id) => this.pathOf(id)))
    const inFiles = new Map(Array.from(paths, (path) => [path, this.#texts(path)]))
    return new Map(IDS.map((id) => [nameOf(id), inFiles.get(this.pathOf(id))?.[id.key]]))
  }

  /** From now on, differences are looked for against the files as they are. */
  remember(): void {
    this.before = this.all()
  }

  #texts(path: string): Record<string, string> {
    const content = this.broken.get(path) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '{}')
    return JSON.parse(content) as Record<string, string>
  }
}

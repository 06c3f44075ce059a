/** When a dev server that reads on demand begins to read everything, to watch and to sync: not while a page loads. */
import { messageOf } from '../../../errors.ts'
import type { Logger } from '../../../logger.ts'
import type { Session } from '../../session.ts'

/** Without a request for so long, the server counts as idle. */
const IDLE_MS = 500
/** A page that polls does not keep the server from it. */
const LATEST_MS = 5_000

export class SyncStart {
  readonly #session: Session
  readonly #logger: Logger
  readonly #latest = performance.now() + LATEST_MS
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(session: Session, logger: Logger) {
    this.#session = session
    this.#logger = logger
    this.#timer = setTimeout(() => this.#begin(), IDLE_MS)
    session.onClose(() => this.#end())
  }

  /** A request came. */
  readonly postpone = (): void => {
    if (this.#isOver) return
    clearTimeout(this.#timer)
    const waitMs = Math.min(IDLE_MS, this.#latest - performance.now())
    this.#timer = setTimeout(() => this.#begin(), Math.max(0, waitMs))
  }

  #begin(): void {
    this.#end()
    const { dev } = this.#session
    this.#session.ready().then(
      () => dev.startSync(),
      (error: unknown) => {
        this.#logger.error(messageOf(error))
        // A request loads again.
        this.#session.onLoad(() => dev.startSync())
      },
    )
  }

  #end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }
}

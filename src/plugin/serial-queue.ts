/** Runs jobs one after another. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Returns the function that enqueues the job. A job that has not begun serves every call until it begins. */
  coalesce<T>(job: () => Promise<T>): () => Promise<T> {
    let waiting: Promise<T> | undefined
    const run = () => {
      waiting = undefined
      return job()
    }
    return () => {
      if (!waiting) {
        waiting = this.#last.then(run)
        this.#last = waiting.catch(() => {})
      }
      return waiting
    }
  }

  /** Resolves when the jobs enqueued so far have ended. */
  idle(): Promise<unknown> {
    return this.#last
  }
}

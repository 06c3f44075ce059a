/**
 * The part of undici's `Dispatcher` that this package needs. Declared here, because only `api/transport` imports
 * undici.
 */
export interface RequestDispatcher {
  dispatch(options: never, handler: never): boolean
}

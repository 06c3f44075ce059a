/**
 * The part of undici's `Dispatcher` that the package needs. It is declared here because only `api/transport` imports
 * undici.
 */
export interface RequestDispatcher {
  dispatch(options: never, handler: never): boolean
}

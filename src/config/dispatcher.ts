/** An undici `Dispatcher` as far as the package needs it; spelled out because only `api/transport` imports undici. */
export interface RequestDispatcher {
  dispatch(options: never, handler: never): boolean
}

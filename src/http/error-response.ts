/** How one error code is answered and documented. `meaning` and `remedy` are the page behind the problem's `type` URL. */
export interface ErrorResponse {
  status: number
  title: string
  meaning: string
  remedy: string
}

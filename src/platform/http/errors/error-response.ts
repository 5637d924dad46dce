/**
 * The response and documentation of one error code. `meaning` and `remedy` are shown on the page behind the problem's
 * `type` URL.
 */
export interface ErrorResponse {
  status: number
  title: string
  meaning: string
  remedy: string
}

import type { ErrorCode, InvalidField, Problem, TokenError, TokenErrorCode } from './api-types.ts'

/** What every error of a call has in common. */
export class HousebillError extends Error {
  override name = 'HousebillError'
  /** The operation that was called. */
  readonly operationId: string
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined
  /** The response's `Retry-After` in seconds; undefined if it had none. */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, about: ErrorOrigin, cause?: unknown) {
    super(`${about.operationId}: ${message}`, cause === undefined ? {} : { cause })
    this.operationId = about.operationId
    this.status = about.status
    this.retryAfterSeconds = about.retryAfterSeconds
  }
}

/** Where an error comes from. */
export interface ErrorOrigin {
  operationId: string
  status?: number | undefined
  retryAfterSeconds?: number | undefined
}

/** Housebill refused the call, and says why: see `code`, and the page at `type`. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends HousebillError {
  override name = 'ApiError'
  readonly code: Code
  /** A summary, the same for every error with this code. */
  readonly title: string
  /** What went wrong and how to fix it. */
  readonly detail: string
  /** A URL that opens the documentation of this error. */
  readonly type: string
  /** Name this id when you ask the operator about the error. */
  readonly requestId: string
  /** Every invalid field of the request. */
  readonly errors: readonly InvalidField[]

  constructor(problem: Problem & { code: Code }, about: ErrorOrigin) {
    super(`${problem.code}: ${problem.detail} (${problem.requestId})`, about)
    this.code = problem.code
    this.title = problem.title
    this.detail = problem.detail
    this.type = problem.type
    this.requestId = problem.requestId
    this.errors = problem.errors ?? []
  }
}

/** The server issued or revoked no token. */
export class TokenRefusedError extends HousebillError {
  override name = 'TokenRefusedError'
  readonly code: TokenErrorCode

  constructor({ error, error_description }: TokenError, about: ErrorOrigin) {
    super(`${error}: ${error_description}`, about)
    this.code = error
  }
}

/**
 * There was no response, or one that is not Housebill's, such as the error page of a proxy. A change may have been made
 * or not.
 */
export class ConnectionError extends HousebillError {
  override name = 'ConnectionError'
}

/**
 * Whether Housebill refused a call for one of these reasons; without codes, for any reason.
 *
 *     if (isApiError(error, 'quote_expired')) await client.getQuoteTotalCost(quoteId)
 */
export function isApiError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is ApiError<Code> {
  return error instanceof ApiError && (codes.length === 0 || codes.some((code) => code === error.code))
}

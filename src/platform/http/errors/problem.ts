import type { DomainError, ErrorCode } from '../../kernel/errors.ts'
import type { ErrorResponse } from './error-response.ts'

/** The table of errors, which `app/http/error-responses.ts` puts together from the modules'. */
export type ErrorResponses = Readonly<Record<ErrorCode, ErrorResponse>>

export const problemContentType = 'application/problem+json; charset=utf-8'

/** The problem document of RFC 9457, with our `code`, `requestId` and `errors`. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: ErrorCode
  requestId: string
  errors?: { pointer: string; code: string; detail: string }[]
}

/** What problem documents are written with: where this server is, and what its errors are called. */
export interface ProblemWording {
  publicUrl: string
  errorResponses: ErrorResponses
}

/** `type` links to the error's documentation on this server. */
export function problemOf(
  error: DomainError,
  requestId: string,
  { publicUrl, errorResponses }: ProblemWording,
): Problem {
  const { status, title } = errorResponses[error.code]
  return {
    type: `${publicUrl}/docs/errors/${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    requestId,
    ...(error.fields.length > 0 ? { errors: [...error.fields] } : {}),
  }
}

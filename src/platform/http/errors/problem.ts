import type { DomainError, ErrorCode } from '../../kernel/errors.ts'
import { errorResponses } from './error-responses.ts'

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

/** `type` links to the error's documentation on this server. */
export function problemOf(error: DomainError, requestId: string, publicUrl: string): Problem {
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

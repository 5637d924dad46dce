import type { TSchema } from 'typebox'
import type { ErrorResponses } from '../http/errors/problem.ts'
import { nameOf } from '../http/schemas/named.ts'
import type { ErrorCode } from '../kernel/errors.ts'
import { rateLimitedHeaders, referencesTo } from './components.ts'
import type { Examples } from './examples.ts'

/** The table of errors, and the schema of a problem document. */
export interface DocumentedErrors {
  responses: ErrorResponses
  schema: TSchema
}

/** The error responses of one document. */
export interface ProblemResponses {
  /**
   * The responses for these codes, by status. A response with a single code is shared by all operations that have it.
   */
  write(codes: readonly ErrorCode[]): Record<string, unknown>
  /** The shared responses that were written so far. */
  shared(): Record<string, unknown>
  /** The examples of the codes that were written so far. */
  examples(): Record<string, unknown>
}

/** `examples` has an example for each code. */
export function createProblemResponses(
  examples: Examples['errors'],
  { responses: errorResponses, schema }: DocumentedErrors,
): ProblemResponses {
  // Safe: the table's type has exactly these keys.
  const errorCodes = Object.keys(errorResponses) as readonly ErrorCode[]
  const shared = new Map<string, unknown>()
  const used = new Set<ErrorCode>()

  function responseFor(codes: readonly ErrorCode[]): unknown {
    const [only, ...others] = codes
    if (only === undefined || others.length > 0) return describe(codes)
    const name = responseName(only)
    shared.set(name, describe(codes))
    return { $ref: `#/components/responses/${name}` }
  }

  function describe(codes: readonly ErrorCode[]): unknown {
    const shown = codes.filter((code) => code in examples)
    const retry = codes.some((code) => [409, 429, 503].includes(errorResponses[code].status)) ? ['Retry-After'] : []
    return {
      description: codes.map((code) => `\`${code}\`: ${errorResponses[code].title}`).join('\n\n'),
      'x-error-codes': codes,
      headers: referencesTo([...rateLimitedHeaders, ...retry]),
      content: {
        'application/problem+json': {
          schema: { $ref: `#/components/schemas/${nameOf(schema)?.name}` },
          examples: Object.fromEntries(shown.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    }
  }

  return {
    write(codes) {
      for (const code of codes) used.add(code)
      const inOrder = errorCodes.filter((code) => codes.includes(code))
      const byStatus = Map.groupBy(inOrder, (code) => errorResponses[code].status)
      return Object.fromEntries([...byStatus].map(([status, ofStatus]) => [String(status), responseFor(ofStatus)]))
    },
    shared: () => Object.fromEntries([...shared].sort(([a], [b]) => (a < b ? -1 : 1))),
    examples: () =>
      Object.fromEntries(errorCodes.filter((code) => used.has(code)).map((code) => [code, { value: examples[code] }])),
  }
}

/** `NotFound` for `not_found`. */
function responseName(code: ErrorCode): string {
  return code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

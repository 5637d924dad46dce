import Type from 'typebox'
import { createFault } from '../../../domain/sandbox/faults/create-fault.ts'
import { maxTimes } from '../../../domain/sandbox/faults/fault.ts'
import { type ErrorCode, type FieldError, suggestName } from '../../../kernel/errors.ts'
import { documentedCodes } from '../../openapi/documented-codes.ts'
import { type Operation, route } from '../../route.ts'
import { RequestObject } from '../../wire/named.ts'
import { FaultDelay, FaultMomentName, FaultObject, presentFault, statusOf } from '../../wire/sandbox/fault.ts'
import { GivenId, WholeNumber } from '../../wire/values.ts'

/** What a request says about the error. */
interface Wanted {
  operation?: unknown
  status?: unknown
  code?: unknown
  delayMs?: unknown
  acts?: unknown
}

/** `operations` are those that can be made to fail. The sandbox's own cannot, so that a fault can always be removed. */
export function createFaultRoute(operations: readonly Operation[]) {
  const codesByOperation = new Map(operations.map((each) => [each.operationId, documentedCodes(each)]))
  const known = [...codesByOperation.keys()]

  function codesOf(operation: unknown): readonly ErrorCode[] {
    return typeof operation === 'string' ? (codesByOperation.get(operation) ?? []) : []
  }

  /** The codes that the operation documents, with this status if the request names one. */
  function possibleCodes({ operation, status }: Wanted): readonly ErrorCode[] {
    const codes = codesOf(operation)
    return status === undefined ? codes : codes.filter((code) => statusOf(code) === status)
  }

  function chosenCode(wanted: Wanted): ErrorCode | null {
    const codes = possibleCodes(wanted)
    if (wanted.code !== undefined) return codes.find((code) => code === wanted.code) ?? null
    return wanted.status === undefined ? null : (codes[0] ?? null)
  }

  function problems(body: unknown): FieldError[] {
    const wanted = (body ?? {}) as Wanted
    const { operation, status, code, delayMs, acts } = wanted
    const codes = possibleCodes(wanted)
    const invalid = (pointer: string, errorCode: string, detail: string) => [{ pointer, code: errorCode, detail }]
    // The schema reports a name that is missing or no text.
    if (typeof operation !== 'string') return []
    if (!codesByOperation.has(operation))
      return invalid(
        '/operation',
        'unknown_operation',
        `Use one of ${known.join(', ')}.${suggestName(operation, known)}`,
      )
    if (status === undefined && code === undefined)
      return (delayMs ?? 0) === 0
        ? invalid(
            '/status',
            'required',
            'Send a status, a code or a delayMs above 0, so that there is something to do.',
          )
        : []
    if (codes.length === 0)
      return invalid('/status', 'not_documented', `${operation} documents ${statusesOf(operation)}.`)
    if (code === undefined && codes.length > 1)
      return invalid(
        '/code',
        'required',
        `${operation} has several errors with the status ${status}: ${codes.join(', ')}.`,
      )
    const chosen = chosenCode(wanted)
    if (chosen === null)
      return invalid('/code', 'not_documented', `With this status, ${operation} documents ${codes.join(', ')}.`)
    if (acts === 'after' && statusOf(chosen) < 500)
      return invalid('/acts', 'not_allowed', 'An operation that took effect can only fail with the status 500 or 503.')
    return []
  }

  function statusesOf(operation: unknown): string {
    return [...new Set(codesOf(operation).map(statusOf))].sort().join(', ')
  }

  return route({
    operationId: 'sandboxCreateFault',
    method: 'POST',
    path: '/Sandbox/faults',
    tag: 'Sandbox',
    summary: 'Make an operation fail or respond slowly',
    description:
      'Your next calls of the operation return the error that you name, with the headers of the real one. Send `status` alone if the operation has one error with it, otherwise `code`. With `delayMs` alone, calls are only slow. If there are several faults for an operation, the oldest acts first. A fault takes effect at once or, if the sandbox runs several processes, within two seconds.',
    scope: 'sandbox:steer',
    sandboxOnly: true,
    body: RequestObject('CreateFaultRequest', 'What happens to which calls.', {
      operation: GivenId('An operationId of this document that is not one of the sandbox.'),
      status: Type.Optional(
        WholeNumber({
          minimum: 400,
          maximum: 599,
          description: 'The HTTP status of an error that the operation documents.',
        }),
      ),
      code: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'The code of an error that the operation documents.',
        }),
      ),
      times: Type.Optional(
        WholeNumber({
          minimum: 1,
          maximum: maxTimes,
          default: 1,
          description: 'How many calls are affected. Defaults to 1.',
        }),
      ),
      delayMs: Type.Optional(FaultDelay),
      acts: Type.Optional(FaultMomentName),
    }),
    refine: problems,
    reply: FaultObject,
    errors: ['validation_failed'],
    handle: (services, { caller, body }) =>
      createFault(services, caller, {
        operationId: body.operation,
        code: chosenCode(body),
        delayMs: body.delayMs ?? 0,
        acts: body.acts ?? 'before',
        remaining: body.times ?? 1,
      }),
    present: presentFault,
  })
}

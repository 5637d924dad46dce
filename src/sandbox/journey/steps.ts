import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { type HttpResponse, parseJsonBody } from './exchange.ts'

/** One call of the journey and its result. Never contains a token, a secret or a URL's query. */
export interface Step {
  number: number
  name: string
  /** The tenant that the step is about; null if it is about the whole household. */
  customerId: string | null
  method: string
  /** The path, or the URL without its query. */
  path: string
  /** Null if there was no response. */
  status: number | null
  durationMs: number
  /** A short description of the response. */
  answer: string
  /**
   * The total cost as known so far, or the part of it that tenants have agreed to; null if this step changed neither.
   */
  money: string | null
}

/** Why a step failed, for people and programs. */
export interface StepFailure {
  /** What is wrong, in a sentence. */
  reason: string
  /** The error document in the response, if there is one. */
  problem: ErrorDocument | undefined
  /** What the person who runs the journey can do about the failure. */
  remedy: string
}

/** Thrown when a step fails, which ends the journey. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
  readonly step: Step
  readonly failure: StepFailure

  constructor(step: Step, failure: StepFailure, cause?: unknown) {
    super(failure.reason, { cause })
    this.step = step
    this.failure = failure
  }
}

const text = Type.Optional(Type.String())

/**
 * The members of an error document that may be printed. Nothing else is printed, because other responses could contain
 * a secret.
 */
const ErrorDocument = Type.Object({
  type: text,
  title: text,
  status: Type.Optional(Type.Integer()),
  detail: text,
  code: text,
  requestId: text,
  errors: Type.Optional(
    Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() })),
  ),
  error: text,
  error_description: text,
})
/** A problem document (RFC 9457), or the error of a token request (RFC 6749). */
export type ErrorDocument = Static<typeof ErrorDocument>

/** The documented members of a response's error document; undefined if the response is not an error document. */
export function readErrorDocument(answer: HttpResponse): ErrorDocument | undefined {
  const value = parseJsonBody(answer)
  if (!Value.Check(ErrorDocument, value) || (value.title === undefined && value.error === undefined)) return undefined
  const known = Object.keys(ErrorDocument.properties)
  return Object.fromEntries(Object.entries(value).filter(([name]) => known.includes(name)))
}

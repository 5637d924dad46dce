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

/** What is printed of a problem document (RFC 9457), or of the error of a token request (RFC 6749). */
export interface ErrorDocument {
  type?: string
  title?: string
  status?: number
  detail?: string
  code?: string
  requestId?: string
  errors?: readonly { pointer: string; code: string; detail: string }[]
  error?: string
}

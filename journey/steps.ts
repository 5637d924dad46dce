import type { ErrorDocument } from './error-document.ts'

/** One call of the journey and its result. Never contains a token, a secret or a link's query. */
export interface Step {
  number: number
  name: string
  /** The tenant it concerns; null for the household. */
  customerId: string | null
  method: string
  /** The path, or the URL without its query. */
  path: string
  /** Null if there was no response. */
  status: number | null
  durationMs: number
  /** The response in brief. */
  answer: string
  /** The money known so far, if the step changed it. */
  money: string | null
}

/** Why a step failed, for people and programs. */
export interface StepFailure {
  /** What is wrong, in a sentence. */
  reason: string
  /** Every figure or field that does not agree, if that is the failure. */
  mismatches: readonly string[]
  /** The error document returned. */
  problem: ErrorDocument | undefined
  /** What to do about it. */
  remedy: string
}

/** The journey ends at this step. */
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

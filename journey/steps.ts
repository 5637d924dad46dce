import type { ErrorDocument } from './error-document.ts'

/** One call of the journey and what came of it. Never holds a token, a secret or a link's query. */
export interface Step {
  number: number
  name: string
  /** Which tenant it is about; null for the household. */
  customerId: string | null
  method: string
  /** The path, or the URL without its query. */
  path: string
  /** Null where no answer came. */
  status: number | null
  durationMs: number
  /** The answer in brief. */
  answer: string
  /** The money known so far, where the step has changed it. */
  money: string | null
}

/** Why a step failed, for people and programs. */
export interface StepFailure {
  /** What is wrong, in a sentence. */
  reason: string
  /** Every figure or field that does not agree, where that is the failure. */
  mismatches: readonly string[]
  /** The error document that was answered. */
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

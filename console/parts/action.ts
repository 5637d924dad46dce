import { html, type TemplateResult } from 'lit-html'
import { type CallResult, type Failure, hasUnknownOutcome, isUnauthenticated } from '../api/failure.ts'
import type { PageContext } from '../page.ts'
import { type FieldElements, failureBox } from './failure-box.ts'

/**
 * Runs the actions of a page, or of one form on it, one at a time. While one is running, further button presses are
 * ignored.
 */
export interface ActionRunner {
  /**
   * Makes a call and passes the response data to `done`. If the call fails, `problem` shows why, with a retry button if
   * that helps.
   */
  run<Data>(name: string, ask: () => Promise<CallResult<Data>>, done: (data: Data) => void): Promise<void>
  failure(): Failure | null
  problem(places?: FieldElements): TemplateResult
  /**
   * A button for an action. `name` must be the name given to `run`, so that the button shows when its action is
   * running.
   */
  button(name: string, press: (() => void) | undefined, look?: 'primary' | 'plain' | 'danger'): TemplateResult
}

export function createActionRunner({ refresh, focus, isOpen }: PageContext): ActionRunner {
  let busyWith: string | null = null
  let failure: Failure | null = null
  let again: (() => void) | undefined
  const run: ActionRunner['run'] = async (name, ask, done) => {
    if (busyWith !== null) return
    busyWith = name
    failure = null
    refresh()
    const response = await ask()
    busyWith = null
    failure = isUnauthenticated(response.failure) ? null : response.failure
    // Invalid input must be corrected and sent again; anything else can be retried unchanged.
    again = canRepeat(response.failure) ? () => void run(name, ask, done) : undefined
    if (!isOpen()) return
    refresh()
    if (response.failure === null) done(response.data)
    else if (failure !== null) focus('.failure')
  }
  return {
    run,
    failure: () => failure,
    problem: (places) => failureBox({ failure, again, ...(places === undefined ? {} : { places }) }),
    button: (name, press, look = 'plain') =>
      html`<button
        type=${press === undefined ? 'submit' : 'button'}
        class=${look}
        aria-disabled=${busyWith === null ? 'false' : 'true'}
        @click=${press}
      >
        ${busyWith === name ? `${name}…` : name}
      </button>`,
  }
}

function canRepeat(failure: Failure | null): boolean {
  if (failure === null) return false
  return hasUnknownOutcome(failure) || (failure.kind === 'problem' && failure.problem.status === 429)
}

import { html, type TemplateResult } from 'lit-html'
import { type Answer, type Failure, isSignedOut, isUndecided } from '../api/failure.ts'
import type { PageContext } from '../page.ts'
import { type FieldPlaces, failureBox } from './failure-box.ts'

/** Things one does on a page, one at a time: a second press while one is under way does nothing. */
export interface Action {
  /** Calls, and hands on what was answered; a failure is shown by `problem`, and can be tried again as it was. */
  run<Data>(name: string, ask: () => Promise<Answer<Data>>, done: (data: Data) => void): Promise<void>
  failure(): Failure | null
  problem(places?: FieldPlaces): TemplateResult
  /** A button for it; `name` is what `run` is given, by which the button knows that it is busy. */
  button(name: string, press: (() => void) | undefined, look?: 'primary' | 'plain' | 'danger'): TemplateResult
}

/** For one page, or one form of it. */
export function createAction({ refresh, focus, isOpen }: PageContext): Action {
  let busyWith: string | null = null
  let failure: Failure | null = null
  let again: (() => void) | undefined
  const run: Action['run'] = async (name, ask, done) => {
    if (busyWith !== null) return
    busyWith = name
    failure = null
    refresh()
    const answer = await ask()
    busyWith = null
    failure = isSignedOut(answer.failure) ? null : answer.failure
    // What was refused is put right and sent anew; anything else can be repeated as it was.
    again = canRepeat(answer.failure) ? () => void run(name, ask, done) : undefined
    if (!isOpen()) return
    refresh()
    if (answer.failure === null) done(answer.data)
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
  return isUndecided(failure) || (failure.kind === 'problem' && failure.problem.status === 429)
}

import { html, type TemplateResult } from 'lit-html'
import { type CallResult, type Failure, isUnauthenticated } from '../api/failure.ts'
import type { PageContext } from '../page.ts'
import { failureBox } from './failure-box.ts'

/** Data that a page loads and shows, with its loading and failure states. */
export interface Loader<Data> {
  data(): Data | undefined
  /** Replaces the loaded data, for example with what a later call returned. */
  set(data: Data): void
  load(): Promise<void>
  /**
   * Renders a loading message at first, then the data with `show`. Also shows any failure, with a button to try again.
   */
  view(show: (data: Data) => TemplateResult): TemplateResult
}

/** `what` completes "Loading …". A response is ignored if another load or change began after its request was sent. */
export function createLoader<Data>(
  { refresh }: PageContext,
  what: string,
  read: () => Promise<CallResult<Data>>,
): Loader<Data> {
  let data: Data | undefined
  let failure: Failure | null = null
  let begun = 0
  const load = async () => {
    begun += 1
    const turn = begun
    failure = null
    refresh()
    const answer = await read()
    if (turn !== begun) return
    if (answer.failure === null) data = answer.data
    failure = isUnauthenticated(answer.failure) ? null : answer.failure
    refresh()
  }
  return {
    data: () => data,
    set(changed) {
      begun += 1
      data = changed
      failure = null
      refresh()
    },
    load,
    view(show) {
      const problem = failureBox({ failure, again: () => void load() })
      if (data !== undefined) return html`${problem}${show(data)}`
      return failure === null ? html`<p class="loading" role="status">Loading ${what}…</p>` : problem
    },
  }
}

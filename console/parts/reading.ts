import { html, type TemplateResult } from 'lit-html'
import { type Answer, type Failure, isSignedOut } from '../api/failure.ts'
import type { PageContext } from '../page.ts'
import { failureBox } from './failure-box.ts'

/** Something a page reads and shows: what is known of it, whether it is being read, and why it could not be. */
export interface Reading<Data> {
  data(): Data | undefined
  /** What a change answered: as good as reading it again. */
  set(data: Data): void
  load(): Promise<void>
  /** The data as `show` has it; before it is there, that it is coming; and what went wrong, with another try. */
  view(show: (data: Data) => TemplateResult): TemplateResult
}

/** `what` completes "Loading …". An answer that was overtaken by a later one is dropped. */
export function createReading<Data>(
  { refresh }: PageContext,
  what: string,
  read: () => Promise<Answer<Data>>,
): Reading<Data> {
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
    failure = isSignedOut(answer.failure) ? null : answer.failure
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

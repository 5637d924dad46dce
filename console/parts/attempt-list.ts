import { html, nothing, type TemplateResult } from 'lit-html'
import { limits, type Operations } from '../api/partner-api.ts'
import { durationInWords } from '../time.ts'
import { textBox } from './json-text.ts'
import { moment } from './moment.ts'
import { badge, givenUpReasons } from './webhook-words.ts'

type Delivery = Operations['getDelivery']['response']
type Attempt = Delivery['attempts'][number]

/** Lists every attempt, the latest first and expanded. A receiver's response is always shown as text. */
export function attemptList({ givenUpBecause, attempts, attemptCount }: Delivery): TemplateResult {
  if (attempts.length === 0)
    return html`<p class="empty">
      ${givenUpBecause === null ? 'No attempts have ended yet.' : `The delivery failed without an attempt: ${givenUpReasons[givenUpBecause]}.`}
    </p>`
  return html`${
    attempts.length < attemptCount
      ? html`<p class="quiet">The latest ${attempts.length} of ${attemptCount}.</p>`
      : nothing
  }
  ${attempts.toReversed().map((attempt, index) => attemptBox(attempt, index === 0))}`
}

function attemptBox(attempt: Attempt, isLatest: boolean): TemplateResult {
  const { attemptNumber, startedAt, durationMs, responseStatus, error, requestHeaders, responseBody } = attempt
  return html`<details class="attempt" ?open=${isLatest}>
    <summary>
      Attempt ${attemptNumber} ${badge(error === null ? 'good' : 'bad', responseStatus ?? 'No response')}
      <span class="quiet">${moment(startedAt)} · ${durationInWords(durationMs)}</span>
    </summary>
    ${error === null ? nothing : html`<p class="fault">${error}</p>`}
    <h3>Request headers</h3>
    <dl class="headers">
      ${Object.entries(requestHeaders).map(
        ([name, value]) => html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
      )}
    </dl>
    <h3>Response from your receiver</h3>
    ${answer(responseBody)}
  </details>`
}

function answer(body: string | null): TemplateResult {
  if (body === null) return html`<p>There was no response.</p>`
  if (body === '') return html`<p>The body is empty.</p>`
  return html`${textBox('Response from your receiver', body)}
    <p class="quiet">Only the first ${limits.keptBodyKiB} KiB are kept.</p>`
}

import { html, nothing, type TemplateResult } from 'lit-html'
import { durationInWords, momentInWords } from '../time.ts'
import { moment } from './moment.ts'
import { badge, type Delivery, deliveryBadge, deliveryHref, givenUpReasons, isTestDelivery } from './webhook-words.ts'

/** A delivery in a list: its type, time, status and reason. */
export function deliveryRow(delivery: Delivery): TemplateResult {
  const { deliveryId, eventType, createdAt, quoteId, lastAttempt } = delivery
  return html`<p>
      <a href=${deliveryHref(deliveryId)}>${eventType}<span class="unseen"> of ${momentInWords(createdAt)}</span></a>
      ${deliveryBadge(delivery)} ${isTestDelivery(delivery) ? badge('waiting', 'Test event') : nothing}
    </p>
    <p class="quiet">${moment(createdAt)} · ${attemptsInWords(delivery)}${next(delivery)}</p>
    ${quoteId === null ? nothing : html`<p class="quiet"><code>${quoteId}</code></p>`}
    ${
      lastAttempt === null
        ? nothing
        : html`<p class="quiet">
            Latest response: ${lastAttempt.responseStatus ?? 'none'} after ${durationInWords(lastAttempt.durationMs)}.
            ${lastAttempt.error ?? nothing}
          </p>`
    }`
}

function attemptsInWords({ attemptCount, givenUpBecause }: Delivery): string {
  const attempts = attemptCount === 0 ? 'no attempts' : attemptCount === 1 ? '1 attempt' : `${attemptCount} attempts`
  return givenUpBecause === null ? attempts : `${attempts}; ${givenUpReasons[givenUpBecause]}`
}

function next({ nextAttemptAt }: Delivery) {
  return nextAttemptAt === null ? nothing : html` · next ${moment(nextAttemptAt)}`
}

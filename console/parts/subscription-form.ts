import { html, nothing, type TemplateResult } from 'lit-html'
import { eventSummaries } from '../api/event-summaries.ts'
import { type Failure, fieldError } from '../api/failure.ts'
import { type EventType, eventTypes } from './webhook-words.ts'

/** The form fields to which the errors of a registration or an update refer. */
export const subscriptionErrorFields = {
  '/url': { id: 'url', label: 'URL' },
  '/events': { id: 'events-first', label: 'Events' },
}

/** The form fields for a registration or an update. What was typed is kept after an error. */
export function subscriptionFields(
  failure: Failure | null,
  initial: { url: string; events: readonly EventType[] },
): TemplateResult {
  const urlFault = fieldError(failure, '/url')
  const eventsFault = fieldError(failure, '/events')
  return html`<div class="field">
      <label for="url">URL of your receiver</label>
      <p class="hint" id="url-hint">Starts with https:// and is reachable from the internet. A sandbox may also allow a receiver on its own machine.</p>
      ${fault('url-fault', urlFault)}
      <input
        id="url"
        name="url"
        type="text"
        inputmode="url"
        autocapitalize="none"
        spellcheck="false"
        autocomplete="off"
        value=${initial.url}
        aria-invalid=${urlFault === undefined ? nothing : 'true'}
        aria-describedby=${urlFault === undefined ? 'url-hint' : 'url-fault url-hint'}
      />
    </div>
    <fieldset class="field" aria-describedby=${eventsFault === undefined ? nothing : 'events-fault'}>
      <legend>Events</legend>
      ${fault('events-fault', eventsFault)}
      ${Object.entries(eventSummaries).map(
        ([type, summary], index) =>
          html`<label class="choice">
            <input
              type="checkbox"
              name="events"
              id=${index === 0 ? 'events-first' : nothing}
              value=${type}
              ?checked=${initial.events.some((event) => event === type)}
            />
            <span><code>${type}</code> ${summary}</span>
          </label>`,
      )}
    </fieldset>`
}

/** The form's current values. */
export function readSubscription(form: HTMLFormElement): { url: string; events: EventType[] } {
  const given = new FormData(form)
  return {
    url: String(given.get('url') ?? '').trim(),
    events: eventTypes.filter((type) => given.getAll('events').includes(type)),
  }
}

function fault(id: string, text: string | undefined) {
  return text === undefined ? nothing : html`<p class="fault" id=${id}>${text}</p>`
}

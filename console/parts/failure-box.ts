import { html, nothing, type TemplateResult } from 'lit-html'
import { describeFailure, type Failure, fieldErrorsOf, isWithin } from '../api/failure.ts'

/** The element id and the label of each form field, by JSON pointer. */
export type FieldElements = Readonly<Record<string, { id: string; label: string }>>

interface FailureBoxOptions {
  failure: Failure | null
  again?: (() => void) | undefined
  places?: FieldElements
}

/**
 * Describes a failure, with the remedy, the request id and links to invalid fields. Without a failure, returns an empty
 * alert element, so that screen readers announce a later failure.
 */
export function failureBox({ failure, again, places = {} }: FailureBoxOptions): TemplateResult {
  return html`<div role="alert">${failure === null ? nothing : filledBox(failure, again, places)}</div>`
}

function filledBox(failure: Failure, again: (() => void) | undefined, places: FieldElements): TemplateResult {
  const { title, detail, remedy } = describeFailure(failure)
  return html`<div class="failure" tabindex="-1">
    <h2>${title}</h2>
    <p>${detail}</p>
    ${faultList(failure, places)} ${remedy === null ? nothing : html`<p>${remedy}</p>`} ${facts(failure)}
    ${again === undefined ? nothing : html`<button type="button" @click=${again}>Try again</button>`}
  </div>`
}

function faultList(failure: Failure, places: FieldElements) {
  const faults = fieldErrorsOf(failure)
  if (faults.length === 0) return nothing
  return html`<ul>
    ${faults.map(({ pointer, detail }) => {
      const place = Object.entries(places).find(([field]) => isWithin(pointer, field))?.[1]
      if (place === undefined) return html`<li><code>${pointer}</code> ${detail}</li>`
      const focus = (event: Event) => {
        event.preventDefault()
        document.getElementById(place.id)?.focus()
      }
      return html`<li><a href=${`#${place.id}`} @click=${focus}>${place.label}: ${detail}</a></li>`
    })}
  </ul>`
}

function facts(failure: Failure) {
  if (failure.kind === 'no-response') return nothing
  if (failure.kind === 'unreadable')
    return failure.requestId === null
      ? nothing
      : html`<p class="quiet">Request id: <code>${failure.requestId}</code></p>`
  const { code, requestId } = failure.problem
  return html`<p class="quiet">
    Request id: <code>${requestId}</code> · Code:
    <a href=${`/docs/errors/${encodeURIComponent(code)}`} target="_blank" rel="noreferrer">
      <code>${code}</code><span class="unseen"> (explained in a new tab)</span>
    </a>
  </p>`
}

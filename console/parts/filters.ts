import { html, nothing, type TemplateResult } from 'lit-html'
import type { PageContext } from '../page.ts'
import { fromDatetimeLocal } from '../time.ts'

/** A filter of a list: a choice, a text or a time (in UK time). */
export type Filter =
  | { name: string; label: string; kind: 'choice'; choices: readonly { value: string; label: string }[] }
  | { name: string; label: string; kind: 'text' | 'moment' }

/** A form that sets the query of the page's URL, so that a filtered list has its own URL. */
export function filterForm({ query, go }: PageContext, filters: readonly Filter[]): TemplateResult {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const given = [...new FormData(event.currentTarget)]
      .map(([name, value]) => [name, String(value).trim()])
      .filter(([, value]) => value !== '')
    go(`${location.pathname}?${new URLSearchParams(given)}`)
  }
  const isSet = filters.some(({ name }) => query.has(name))
  return html`<form class="filters" @submit=${submit}>
    ${filters.map(
      (filter) =>
        html`<div class="field">
          <label for=${filter.name}>${filter.label}</label>
          ${control(filter, query.get(filter.name) ?? '')}
        </div>`,
    )}
    <div class="buttons">
      <button>Filter</button>
      ${isSet ? html`<a href=${location.pathname}>Clear filters</a>` : nothing}
    </div>
  </form>`
}

/** A query parameter's value if it is one of these choices; otherwise undefined. */
export function readChosenValue<Value extends string>(
  query: URLSearchParams,
  name: string,
  values: readonly Value[],
): Value | undefined {
  return values.find((value) => value === query.get(name))
}

/** The time in a query parameter, as an instant. */
export function readChosenTime(query: URLSearchParams, name: string): string | undefined {
  return fromDatetimeLocal(query.get(name) ?? '')
}

function control(filter: Filter, value: string) {
  const { name } = filter
  if (filter.kind === 'choice')
    return html`<select id=${name} name=${name}>
      ${filter.choices.map(
        (choice) => html`<option value=${choice.value} ?selected=${choice.value === value}>${choice.label}</option>`,
      )}
    </select>`
  return html`<input
    id=${name}
    name=${name}
    type=${filter.kind === 'moment' ? 'datetime-local' : 'text'}
    autocomplete="off"
    value=${value}
  />`
}

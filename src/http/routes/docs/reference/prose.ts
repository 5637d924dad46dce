import { type Html, html } from '../../../pages/html.ts'
import { operationHref, type Reference } from './reference.ts'

/** Returns the URL of the page that documents inline code such as `GET /Quotes/{id}`; undefined if there is none. */
export type FindPage = (code: string) => string | undefined

/**
 * Returns a function that finds the page of the operation named by a piece of inline code, such as `GET /Quotes`. The code may include
 * `/partner-api` or a query, and its letter case does not matter.
 */
export function createOperationPageFinder(reference: Reference): FindPage {
  const pages = new Map<string, string>()
  for (const { calls } of reference.groups)
    for (const { method, path, operation } of calls) {
      const href = operationHref(operation.operationId)
      pages.set(`${method} ${path}`.toLowerCase(), href)
      pages.set(`${method} ${path.replace('/partner-api', '')}`.toLowerCase(), href)
    }
  return (code) => pages.get(code.toLowerCase().replace(/\?.*$/, ''))
}

/** Renders inline code such as `GET /Quotes/{id}`, with a link to the page that documents it if there is one. */
export function renderCode(code: string, findPage: FindPage): Html {
  const href = findPage(code)
  return href === undefined ? html`<code>${code}</code>` : html`<a href="${href}"><code>${code}</code></a>`
}

/** Renders text from the OpenAPI document, in which backticks mark code. */
export function renderProse(text: string, findPage: FindPage): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : renderCode(part, findPage)))}`
}

import { type Html, html } from '../../../pages/html.ts'
import { operationHref, type Reference } from './reference.ts'

/** The URL of the page that code such as `GET /Quotes/{id}` names; undefined if it has none. */
export type FindPage = (code: string) => string | undefined

/** Finds operations' pages, with or without `/partner-api` and query, in any letter case. */
export function pagesOfOperations(reference: Reference): FindPage {
  const pages = new Map<string, string>()
  for (const { calls } of reference.groups)
    for (const { method, path, operation } of calls) {
      const href = operationHref(operation.operationId)
      pages.set(`${method} ${path}`.toLowerCase(), href)
      pages.set(`${method} ${path.replace('/partner-api', '')}`.toLowerCase(), href)
    }
  return (code) => pages.get(code.toLowerCase().replace(/\?.*$/, ''))
}

/** A piece of code, linked to its page if it has one. */
export function codeWord(code: string, findPage: FindPage): Html {
  const href = findPage(code)
  return href === undefined ? html`<code>${code}</code>` : html`<a href="${href}"><code>${code}</code></a>`
}

/** A text of the document, with code between backticks. */
export function prose(text: string, findPage: FindPage): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : codeWord(part, findPage)))}`
}

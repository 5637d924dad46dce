import { type Html, html } from '../../../pages/html.ts'
import { operationHref, type Reference } from './reference.ts'

/** The address of what a word written as code names, such as `GET /Quotes/{id}`; undefined where it has no page. */
export type FindPage = (code: string) => string | undefined

/** Finds the pages of operations, written with or without `/partner-api`, in any letter case, with or without a query. */
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

/** A word of code, with the link to its page where it has one. */
export function codeWord(code: string, findPage: FindPage): Html {
  const href = findPage(code)
  return href === undefined ? html`<code>${code}</code>` : html`<a href="${href}"><code>${code}</code></a>`
}

/** A text of the document: what is between backticks as code. */
export function prose(text: string, findPage: FindPage): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : codeWord(part, findPage)))}`
}

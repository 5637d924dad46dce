import { errorResponses } from '../../error-responses.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Page } from '../../pages/send-page.ts'
import type { GuideSection } from './guides/guides.ts'
import type { DocumentedMessage, DocumentedOperation } from './operation-links.ts'

/** Something that a search can find. */
interface Entry {
  href: string
  title: string
  /** Another name of it, which counts like the title. */
  alias?: string
  /** Where it is, such as the guide's title. */
  place: string
  text: string
}

const shownResults = 40

/**
 * Returns a function that makes the page of results for the words of a search: sections of guides, operations, messages and error codes that contain
 * all of them, those with the words in their title first.
 */
export function createSearch(
  sections: readonly GuideSection[],
  operations: readonly DocumentedOperation[],
  messages: readonly DocumentedMessage[],
): (query: string) => Page {
  const entries: Entry[] = [
    ...operations.map(({ href, operationId, method, path, summary, description }) => ({
      href,
      alias: operationId,
      title: `${method} ${path.replace('/partner-api', '')}`,
      place: 'API reference',
      text: `${summary}. ${description}`,
    })),
    ...messages.map(({ href, type, summary }) => ({ href, title: type, place: 'API reference', text: `${summary}.` })),
    ...sections,
    ...Object.entries(errorResponses).map(([code, { title, meaning }]) => ({
      href: `/docs/errors/${code}`,
      title: code,
      place: 'Errors',
      text: `${title}. ${meaning}`,
    })),
  ]
  return (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0)
      return searchPage(html`<p>Enter words of a guide, an operation, an event or an error above.</p>`)
    const has = (text: string) => words.every((word) => text.toLowerCase().includes(word))
    const isNamed = ({ title, alias = '' }: Entry) => has(`${title} ${alias}`)
    const found = entries.filter(({ title, alias = '', text }) => has(`${title} ${alias} ${text}`))
    const sorted = [...found.filter(isNamed), ...found.filter((entry) => !isNamed(entry))]
    const list = sorted
      .slice(0, shownResults)
      .map(
        ({ href, title, place, text }) =>
          html`<dt><a href="${href}">${title}</a></dt><dd><span class="quiet">${place}.</span> ${excerpt(text, words[0] ?? '')}</dd>`,
      )
    if (list.length === 0) return searchPage(html`<p>Nothing found. Try fewer or shorter words.</p>`)
    return searchPage(html`<dl class="operations">${list}</dl>`)
  }
}

function searchPage(results: Html): Page {
  return { title: 'Search', body: html`<h1>Search</h1>${results}` }
}

/** The words around the first place where `word` is. */
function excerpt(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word))
  const from = at < 80 ? 0 : text.indexOf(' ', at - 80) + 1
  const whole = text.slice(from).replaceAll('`', '').trim()
  const part = whole.length <= 200 ? whole : `${whole.slice(0, whole.lastIndexOf(' ', 200))} …`
  return from > 0 ? `… ${part}` : part
}

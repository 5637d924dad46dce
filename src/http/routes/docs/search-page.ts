import { errorResponses } from '../../error-responses.ts'
import { html } from '../../pages/html.ts'
import type { Page } from '../../pages/send-page.ts'
import type { GuideSection } from './guides/guides.ts'
import type { DocumentedMessage, DocumentedOperation } from './operation-links.ts'

/** Something that a search can find. */
interface Entry {
  href: string
  title: string
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
    ...operations.map(({ href, method, path, summary, description }) => ({
      href,
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
    const has = (text: string) => words.every((word) => text.toLowerCase().includes(word))
    const found = words.length === 0 ? [] : entries.filter(({ title, text }) => has(`${title} ${text}`))
    const sorted = [...found.filter(({ title }) => has(title)), ...found.filter(({ title }) => !has(title))]
    const list = sorted
      .slice(0, shownResults)
      .map(
        ({ href, title, place, text }) =>
          html`<dt><a href="${href}">${title}</a></dt><dd><span class="quiet">${place}.</span> ${excerpt(text, words[0] ?? '')}</dd>`,
      )
    const body = html`<h1>Search</h1>${list.length === 0 ? html`<p>Nothing found. Try fewer or shorter words.</p>` : html`<dl class="operations">${list}</dl>`}`
    return { title: 'Search', body }
  }
}

/** The words around the first place where `word` is. */
function excerpt(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word))
  const from = at < 80 ? 0 : text.indexOf(' ', at - 80) + 1
  const whole = text.slice(from).replaceAll('`', '').trim()
  const part = whole.length <= 200 ? whole : `${whole.slice(0, whole.lastIndexOf(' ', 200))} …`
  return from > 0 ? `… ${part}` : part
}

import { parentPort, workerData } from 'node:worker_threads'
import MiniSearch from 'minisearch'
import type { DocsPage } from './documents.ts'
import { createPageFinder, type DocumentedOperation } from './operation-links.ts'
import { type RenderedPage, renderMarkdown } from './render-markdown.ts'
import { ignoredWords, otherWords, type SearchEntry, searchOptions, termOf } from './search-options.ts'

/*
 * A thread that renders all pages, or makes the index of the search, and ends. It posts JSON: each page's text and
 * headings by path, or the index.
 */
const { pages, operations, makes }: { pages: DocsPage[]; operations: DocumentedOperation[]; makes: 'pages' | 'index' } =
  workerData
const findPage = createPageFinder(operations)
const guides = '/docs/guides/'
const titles = new Map(pages.map(({ path, title }) => [`${path.replace(guides, '')}.md`, title]))
const rendered = pages.map((page): [DocsPage, RenderedPage] => {
  const folder = page.path.startsWith(guides) ? page.path.slice(guides.length).replace(/[^/]*$/, '') : ''
  return [page, renderMarkdown(page.markdown, { findPage, titles, folder })]
})
parentPort?.postMessage(
  makes === 'index'
    ? JSON.stringify({ options: searchOptions, ignored: ignoredWords, index: indexOf(entries()) })
    : JSON.stringify(
        Object.fromEntries(rendered.map(([{ path }, { markup, contents }]) => [path, { markup, contents }])),
      ),
)

/** Text of guides by heading, errors as a whole, and operations, which the reference shows. */
function entries(): Omit<SearchEntry, 'id'>[] {
  const inPages = rendered.flatMap(([{ path, title, section, summary }, { parts }]) => {
    if (path.startsWith('/docs/errors/')) {
      const code = path.replace('/docs/errors/', '')
      const text = parts.map((part) => part.text).join(' ')
      return [{ title: `${code.replaceAll('_', ' ')}: ${title}`, page: 'Errors', text, href: path }]
    }
    if (section === undefined || section === 'Look up') return []
    return parts.map(({ id, heading, text }, index) =>
      index === 0
        ? { title: heading, page: section, text: `${summary} ${text}`, href: path }
        : { title: heading, page: title, text, href: `${path}#${id}` },
    )
  })
  const inReference = operations.map(({ summary, method, path, description, operationId, href }) => ({
    title: summary,
    page: 'API reference',
    text: `${method} ${path} ${operationId} ${description}`,
    href,
  }))
  return [...inPages, ...inReference]
}

function indexOf(found: readonly Omit<SearchEntry, 'id'>[]): unknown {
  const { fields, storeFields } = searchOptions
  const index = new MiniSearch<SearchEntry>({ fields: [...fields], storeFields: [...storeFields], processTerm: termOf })
  index.addAll(found.map((entry, id) => ({ ...entry, id, otherWords: otherWords[entry.href] })))
  return index.toJSON()
}

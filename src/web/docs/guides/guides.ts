import { readFileSync } from 'node:fs'
import { Marked, type RendererObject, type Token, type Tokens } from 'marked'
import { codeBlock, escapeHtml, type Html, html, printedBlock, raw, scrollBox } from '../../../pages/html.ts'
import type { DocsPage } from '../docs-frame.ts'
import { type FindPage, renderCode } from '../operation-links.ts'

/**
 * Returns a function that creates heading ids as GitHub does, so that links to headings work both on GitHub and here:
 * lower case, hyphens for spaces, no punctuation, and a number at the end if the heading is repeated. Each document
 * needs a new function.
 * @internal A test checks links in documents with it.
 */
export function createHeadingIdGenerator(): (heading: string) => string {
  const taken = new Map<string, number>()
  return (heading) => {
    const plain = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    const times = taken.get(plain) ?? 0
    taken.set(plain, times + 1)
    return times === 0 ? plain : `${plain}-${times}`
  }
}

/** The pages a guide can link to. */
interface ServedPages {
  findPage: FindPage
  /** Titles of guides, by file name. */
  titles: ReadonlyMap<string, string>
}

/**
 * Renders Markdown, with a list of sections under the title. HTML in it is shown as text. Links lead to pages on this
 * server, and code such as `GET /Quotes/{id}` to the operation's page.
 */
export function renderGuide(markdown: string, served: ServedPages): Html {
  const marked = new Marked()
  const tokens = marked.lexer(markdown)
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading')
  const idOf = createHeadingIdGenerator()
  const ids = new Map(headings.map((heading) => [heading, idOf(textOf(heading))]))
  marked.use({ renderer: rendererFor(served, ids) })
  const [title] = headings
  const render = (part: readonly Token[]) => raw(marked.parser([...part]))
  return html`${render(tokens.filter((token) => token === title))}${contentsOf(headings, ids)}${render(tokens.filter((token) => token !== title))}`
}

/** The list of sections of a long page. */
function contentsOf(headings: readonly Tokens.Heading[], ids: ReadonlyMap<Tokens.Heading, string>): Html {
  const links = headings
    .filter(({ depth }) => depth === 2)
    .map((heading) => html`<li><a href="#${ids.get(heading)}">${textOf(heading)}</a></li>`)
  return html`<nav class="contents" aria-label="On this page"><ul>${links}</ul></nav>`
}

function rendererFor({ findPage, titles }: ServedPages, ids: ReadonlyMap<Tokens.Heading, string>): RendererObject {
  return {
    heading(token) {
      return `<h${token.depth} id="${escapeHtml(ids.get(token) ?? '')}">${this.parser.parseInline(token.tokens)}</h${token.depth}>`
    },
    html: ({ text }) => escapeHtml(text),
    // The items of a checklist: a box that nobody can tick would be a control without a name.
    checkbox: () => '<span class="check">☐</span> ',
    image: ({ href, text }) => {
      const drawing = /^([\w-]+\.svg)$/.exec(href)?.[1]
      return drawing === undefined
        ? escapeHtml(text)
        : scrollBox('Drawing', html`<img src="/docs/assets/${drawing}" alt="${text}">`).markup
    },
    codespan: ({ text }) => renderCode(text, findPage).markup,
    code: ({ text, lang }) => (lang === 'text' ? printedBlock(text) : codeBlock(text)).markup,
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens)
      const address = servedUrl(href)
      if (address === undefined) return words
      // Guides link to each other by file name; pages show the title.
      const named = words.replace(/^[\w-]+\.md/, (file) => escapeHtml(titles.get(file) ?? file))
      return `<a href="${escapeHtml(address)}">${named}</a>`
    },
    table({ header, rows }) {
      const cells = (row: readonly Tokens.TableCell[], open: string, close: string) =>
        row.map(({ tokens }) => `${open}${this.parser.parseInline(tokens)}${close}`).join('')
      const head = cells(header, '<th scope="col">', '</th>')
      const body = rows.map((row) => `<tr>${cells(row, '<td>', '</td>')}</tr>`).join('')
      return scrollBox('Table', raw(`<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`)).markup
    },
  }
}

/** The text of a token, without markup. */
function textOf(token: Token): string {
  if (token.type === 'list') return (token as Tokens.List).items.map(textOf).join(' ')
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].flatMap((row) => row.map(({ tokens }) => tokens.map(textOf).join(''))).join(' ')
  }
  if ('tokens' in token && token.tokens !== undefined) return token.tokens.map(textOf).join('')
  return 'text' in token && typeof token.text === 'string' ? token.text : ''
}

/**
 * The partner guides in `docs/`, by file name without `.md`, and what each is about, in the order in which a newcomer
 * reads them.
 */
const guideSummaries: Readonly<Record<string, string>> = {
  quickstart: 'The first quote with curl, then the first contract, with a card that you type in a browser.',
  concepts: 'The words of the API, and the life of a quote with the call that leads to each status.',
  'sell-without-screens': 'One call for a household, and a link for each tenant: everything else happens on our pages.',
  'selling-from-your-tenancy-flow':
    'A worked example: an application that goes from a postcode to a link for each tenant on one page.',
  sandbox: 'Sample properties, test cards and sandbox calls: how to test every outcome.',
  'tenant-emails': 'Which e-mails we send to tenants, when, and who can switch them off.',
  webhooks: 'Registering, verifying signatures, responding, ordering, retries and redelivery.',
  'errors-and-retries': 'What an error looks like, which calls to repeat and when, and which never.',
  idempotency: 'How to repeat a call without doing something twice, also after a crash.',
  authentication: 'Credentials, scopes by call, changing a secret, limits.',
  clients: 'Ready-made clients: what they do for you, and the first quote.',
  'api-behaviour': 'Statuses, conventions, dates, prices and payments: the rules behind the reference.',
  'developer-pages': 'The pages for developers: what they show, and how to fix a webhook.',
  'going-live': 'What to check before your program leaves the sandbox.',
  versioning: 'What can change at any time, and how you learn of anything else.',
}

/** The URL of a guide's page. */
function guideHref(name: string): string {
  return `/docs/guides/${name}`
}

/**
 * The URL that a link in a guide has on this server. Anchors and external links do not change; guides and error codes
 * link to their pages. Undefined if the target is not served.
 */
function servedUrl(target: string): string | undefined {
  if (/^(#|https?:\/\/)/.test(target)) return target
  const [path = '', anchor = ''] = target.split('#', 2)
  if (path === '../openapi/partner-api.json') return '/openapi.json'
  if (path === 'errors.md') return anchor === '' ? '/docs/errors' : `/docs/errors/${anchor}`
  const name = path.replace(/\.md$/, '')
  if (name === path || !Object.hasOwn(guideSummaries, name)) return undefined
  return anchor === '' ? guideHref(name) : `${guideHref(name)}#${anchor}`
}

const folder = new URL('../../../../docs/', import.meta.url)

/** A guide for partners' developers, from `docs/`. */
export interface Guide {
  name: string
  href: string
  title: string
  summary: string
  markdown: string
}

/** Loads every guide. Throws if a file or its title is missing, so that startup fails rather than a later request. */
export function loadGuides(): Guide[] {
  return Object.entries(guideSummaries).map(([name, summary]) => {
    const markdown = readFileSync(new URL(`${name}.md`, folder), 'utf8')
    const [, title] = /^# (.+)$/m.exec(markdown) ?? []
    if (title === undefined) throw new Error(`docs/${name}.md has no title.`)
    return { name, href: guideHref(name), title, summary, markdown }
  })
}

/** Renders a guide, with a link to the one that a newcomer reads next. */
export function guideBody(guide: Guide, guides: readonly Guide[], findPage: FindPage): Html {
  const titles = new Map(guides.map(({ name, title }) => [`${name}.md`, title]))
  const next = guides[guides.indexOf(guide) + 1]
  return html`${renderGuide(guide.markdown, { findPage, titles })}${
    next && html`<p class="next">Next: <a href="${next.href}">${next.title}</a></p>`
  }`
}

/** The page that lists the guides. */
export function guidesPage(guides: readonly Guide[]): DocsPage {
  const list = guides.map(
    ({ href, title, summary }) => html`<dt><a href="${href}">${title}</a></dt><dd>${summary}</dd>`,
  )
  return { title: 'Guides', body: html`<h1>Guides</h1><dl class="operations">${list}</dl>` }
}

import { createRequire } from 'node:module'
import { Marked, type RendererObject, type Token, type Tokens } from 'marked'
import { escapeHtml, type Html, html, printedBlock, raw, scrollBox } from '../../pages/html.ts'
import { guidePaths } from './documents.ts'
import { type FindPage, renderCode } from './operation-links.ts'

// Not imported: its types bring those of browsers with them, which contradict Node's.
const hljs: {
  getLanguage(name: string): unknown
  highlight(code: string, options: { language: string }): { value: string }
} = createRequire(import.meta.url)('highlight.js/lib/common')

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

/** What a page needs to know of the others. */
interface ServedPages {
  findPage: FindPage
  /** Titles of guides, by the path of their file in `docs/`. */
  titles: ReadonlyMap<string, string>
  /** The folder of the page's own file in `docs/`, with a slash at its end; empty for `docs/` itself. */
  folder?: string
}

/** A page's text as HTML, its headings, and its parts for the search. */
export interface RenderedPage {
  markup: string
  contents: { id: string; text: string; depth: number }[]
  /** The text under each heading, without markup. */
  parts: { id: string; heading: string; text: string }[]
}

/** Blocks of code that show the same in several languages, by the language of the block. */
const tabNames: Readonly<Record<string, string>> = { sh: 'curl', ts: 'TypeScript', python: 'Python' }

/**
 * Renders Markdown. HTML in it is shown as text. Links lead to pages on this server, and code such as
 * `GET /Quotes/{id}` to the operation's page. Blocks of shell, TypeScript and Python that follow each other become tabs.
 */
export function renderMarkdown(markdown: string, served: ServedPages): RenderedPage {
  const marked = new Marked()
  const tokens = marked.lexer(markdown)
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading')
  const idOf = createHeadingIdGenerator()
  const ids = new Map(headings.map((heading) => [heading, idOf(textOf(heading))]))
  marked.use({ renderer: rendererFor(served, ids) })
  const markup = grouped(tokens).map((group) => {
    const parsed = marked.parser(group)
    return group.length === 1 ? parsed : `<div class="tabs">${parsed}</div>`
  })
  const named = headings.map((heading) => ({ heading, id: ids.get(heading) ?? '', text: textOf(heading) }))
  const parts = named.map(({ heading, id, text }, index) => {
    const [from, next] = [tokens.indexOf(heading) + 1, named[index + 1]?.heading]
    const own = tokens.slice(from, next === undefined ? undefined : tokens.indexOf(next))
    return { id, heading: text, text: own.map(textOf).join(' ') }
  })
  const contents = named.flatMap(({ heading: { depth }, id, text }) =>
    depth === 2 || depth === 3 ? [{ id, text, depth }] : [],
  )
  return { markup: markup.join(''), contents, parts }
}

/** Each token alone, but blocks that show the same in several languages together. */
function grouped(tokens: readonly Token[]): Token[][] {
  const groups: Token[][] = []
  const languageOf = (token: Token | undefined) =>
    token?.type === 'code' && tabNames[token.lang] !== undefined ? (token.lang as string) : undefined
  for (const token of tokens.filter(({ type }) => type !== 'space')) {
    const [last, language] = [groups.at(-1), languageOf(token)]
    const taken = last?.map(languageOf)
    if (language !== undefined && taken?.[0] !== undefined && !taken.includes(language)) last?.push(token)
    else groups.push([token])
  }
  return groups
}

function rendererFor(served: ServedPages, ids: ReadonlyMap<Tokens.Heading, string>): RendererObject {
  const { findPage, titles, folder = '' } = served
  return {
    heading(token) {
      const id = escapeHtml(ids.get(token) ?? '')
      const link = `<a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(textOf(token))}">#</a>`
      return `<h${token.depth} id="${id}">${this.parser.parseInline(token.tokens)}${token.depth === 1 ? '' : ` ${link}`}</h${token.depth}>`
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
    code: ({ text, lang = '' }) => (lang === 'text' ? printedBlock(text) : codeOf(text, lang)).markup,
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens)
      const address = servedUrl(href, folder)
      if (address === undefined) return words
      // Guides link to each other by file name; pages show the title.
      const named = words.replace(/^[\w-]+\.md/, (file) => escapeHtml(titles.get(`${folder}${file}`) ?? file))
      return `<a href="${escapeHtml(address)}">${named}</a>`
    },
    // On a phone, each row is a card, in which every cell names its column.
    table({ header, rows }) {
      const names = header.map(textOfCell)
      const cell = ({ tokens }: Tokens.TableCell, index: number) =>
        `<td data-label="${escapeHtml(names[index] ?? '')}">${this.parser.parseInline(tokens)}</td>`
      const head = header.map(({ tokens }) => `<th scope="col">${this.parser.parseInline(tokens)}</th>`).join('')
      const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('')
      return scrollBox(
        'Table',
        raw(`<table class="cards"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`),
      ).markup
    },
  }
}

/** A block of code, with its colours if its language is known. */
function codeOf(text: string, lang: string): Html {
  const [language = ''] = lang.split(' ')
  const isKnown = hljs.getLanguage(language) !== undefined
  const code = isKnown ? raw(hljs.highlight(text, { language }).value) : html`${text}`
  return html`<pre tabindex="0" data-language="${tabNames[language] ?? ''}"><code>${code}</code></pre>`
}

function textOfCell({ tokens }: Tokens.TableCell): string {
  return tokens.map(textOf).join('')
}

/** The text of a token, without markup. */
function textOf(token: Token): string {
  if (token.type === 'list') return (token as Tokens.List).items.map(textOf).join(' ')
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].flatMap((row) => row.map(textOfCell)).join(' ')
  }
  if ('tokens' in token && token.tokens !== undefined) return token.tokens.map(textOf).join('')
  return 'text' in token && typeof token.text === 'string' ? token.text : ''
}

/**
 * The URL that a link in a guide has on this server. Anchors, addresses of this server and external links do not change;
 * guides and error codes link to their pages. Undefined if the target is not served.
 */
function servedUrl(target: string, folder: string): string | undefined {
  if (/^(#|https?:\/\/|\/(?!\/))/.test(target)) return target
  const [path = '', anchor = ''] = target.split('#', 2)
  const file = new URL(path, `file:///docs/${folder}`).pathname
  const suffix = anchor === '' ? '' : `#${anchor}`
  if (file === '/openapi/partner-api.json') return '/openapi.json'
  if (file === '/CHANGELOG.md') return `/docs/changelog${suffix}`
  if (file === '/docs/generated/errors.md') return anchor === '' ? '/docs/errors' : `/docs/errors/${anchor}`
  const page = guidePaths.get(file.replace('/docs/', ''))
  return page && `${page}${suffix}`
}

/** The Markdown of a page for programs: its links lead to the Markdown of other pages. */
export function markdownTwin(markdown: string, publicUrl: string, folder: string): string {
  return markdown.replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (_all, mark: string, words: string, target: string) => {
    const address = mark === '' ? servedUrl(target, folder) : undefined
    if (address === undefined) return words
    const [path = '', anchor] = address.split('#', 2)
    if (!path.startsWith('/')) return `[${words}](${address})`
    const twin = path.startsWith('/docs') && path !== '/docs/reference' ? `${path}.md` : path
    return `[${words}](${publicUrl}${twin}${anchor === undefined ? '' : `#${anchor}`})`
  })
}

import { readFileSync } from 'node:fs'
import type { FastifyReply } from 'fastify'
import { markupOfPage } from '../../pages/frame.ts'
import { type Html, html, raw } from '../../pages/html.ts'
import { assetOf, createLook, scriptOf } from '../../pages/look.ts'
import { type DocsPage, sectionsOf } from './documents.ts'
import type { RenderedPage } from './render-markdown.ts'

const read = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')

/** How the pages of the documentation look. */
export const docsLook = createLook({ moreCss: read('docs.css'), moreScript: read('docs.js') })

/** The script of the reference, and what it shows above the renderer, in the colours that the renderer has chosen. */
export const referenceScript = scriptOf(read('reference.js'))
export const barStyles = assetOf(read('bar.css'), 'css', 'text/css; charset=utf-8')

/** The library of the search, which a page loads when somebody begins to search. */
export const searchScript = scriptOf(readFileSync(new URL(import.meta.resolve('minisearch')), 'utf8'))

const links = {
  '/docs/guides/quickstart': 'Quickstart',
  '/docs/reference': 'Reference',
  '/docs/errors': 'Errors',
  '/workplace/developers/sign-in': 'Developers',
}
const navigation = html`<a class="name" href="/docs">Housebill docs</a><nav aria-label="Documentation"><ul>${Object.entries(
  links,
).map(([href, text]) => html`<li><a href="${href}">${text}</a></li>`)}</ul></nav>`

const header = html`${navigation}
<form class="search" role="search" data-script="${searchScript.path}"><label class="unseen" for="search">Search the documentation</label><input id="search" type="search" placeholder="Search" autocomplete="off"><p class="unseen" role="status"></p><ol class="results" hidden></ol></form>`

/** Writes a page with the list of all pages beside it, and sets its headers. Without `rendered`, it is not there. */
export function markupOfDocsPage(
  reply: FastifyReply,
  pages: readonly DocsPage[],
  page: DocsPage,
  { markup, contents }: Pick<RenderedPage, 'markup' | 'contents'>,
  reference?: ReferenceData,
): string {
  const { css, script } = docsLook
  const isListed = page.section !== undefined
  const frame = { siteName: 'Housebill', cssPath: css.path, scriptPath: script.path, header, isPublic: true }
  const sections = contents.length < 2 || reference !== undefined ? null : contentsOf(contents)
  const trail = page.path.startsWith('/docs/errors/')
    ? html`<p class="back"><a href="/docs/errors">All errors</a></p>`
    : null
  return markupOfPage(
    reply,
    { ...frame, side: sideOf(pages, page) },
    {
      title: page.title,
      body: html`${sections}<article>${trail}${raw(markup)}${isListed && neighboursOf(pages, page)}</article>${reference && referenceOf(reference)}`,
      isWide: true,
      allowed: {
        'connect-src': "'self'",
        ...(reference && {
          'style-src': "'self' 'unsafe-inline'",
          'img-src': "'self' data:",
          'font-src': "'self' data:",
        }),
      },
    },
  )
}

/** What the reference's script needs to know of this server and its reader. */
export interface ReferenceData {
  rendererPath: string
  /** Whether its readers can send requests: in a sandbox. */
  mayTry: boolean
  /** Where its script gets a token, if it gets one. */
  tokenPath: string | undefined
}

/** What the script of the reference shows when an operation is opened. The renderer makes its styles itself. */
function referenceOf({ rendererPath, mayTry, tokenPath }: ReferenceData): Html {
  return html`<noscript><p>To open an operation, the reference needs JavaScript. <a href="/openapi.json">openapi.json</a> has everything for tools.</p></noscript>
<template id="opened"><section class="bar" aria-label="Housebill">${navigation}</section><div id="reference"><p class="bar">Loading the reference …</p></div></template>
<script src="${referenceScript.path}" defer data-renderer="${rendererPath}" data-styles="${barStyles.path}" data-try-it="${mayTry ? 'yes' : 'no'}"${tokenPath && html` data-token="${tokenPath}"`}></script>`
}

function sideOf(pages: readonly DocsPage[], { path }: DocsPage): Html {
  const sections = sectionsOf(pages).map(
    ([section, own]) =>
      html`<p>${section}</p><ul>${own.map(
        (page) =>
          html`<li><a href="${page.path}"${page.path === path && raw(' aria-current="page"')}>${page.title}</a></li>`,
      )}</ul>`,
  )
  return html`<nav class="side" aria-label="All pages"><details><summary>All pages</summary>${sections}<p><a href="/workplace/developers/sign-in">Pages for developers</a></p></details></nav>`
}

function contentsOf(contents: RenderedPage['contents']): Html {
  return html`<nav class="contents" aria-label="On this page"><details><summary>On this page</summary><ul>${contents.map(
    ({ id, text, depth }) => html`<li${depth === 3 && raw(' class="deep"')}><a href="#${id}">${text}</a></li>`,
  )}</ul></details></nav>`
}

function neighboursOf(pages: readonly DocsPage[], page: DocsPage): Html {
  const listed = pages.filter(({ section }) => section !== undefined)
  const place = listed.indexOf(page)
  const link = (neighbour: DocsPage | undefined, words: string) =>
    neighbour &&
    html`<a rel="${words.toLowerCase()}" href="${neighbour.path}"><span>${words}</span>${neighbour.title}</a>`
  return html`<nav class="neighbours" aria-label="Previous and next">${link(listed[place - 1], 'Previous')}${link(listed[place + 1], 'Next')}<a href="${page.path}.md">This page as Markdown</a></nav>`
}

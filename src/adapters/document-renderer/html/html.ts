import { readFileSync } from 'node:fs'
import type { ContractDocument, KeyFact, Section } from '../../../domain/contracts/document.ts'
import type { DocumentIdentity } from '../../../domain/contracts/document-renderer.ts'
import { type FontLibrary, subsetsFor } from '../fonts/font-library.ts'
import { type FontWeight, fontWeights } from '../fonts/font-packages.ts'
import { blockHtml } from './html-blocks.ts'
import { escapeHtml, quoteCssString } from './html-escape.ts'

export interface HtmlOptions extends DocumentIdentity {
  fonts: FontLibrary
}

const styleSheet = ['contract.css', 'contract-media.css']
  .map((name) => readFileSync(new URL(`./${name}`, import.meta.url), 'utf8'))
  .join('\n')

/**
 * Renders the document as one self-contained HTML file. Styles and fonts are embedded. There are no scripts and no requests, and
 * the page's own content security policy forbids both. The same input gives the same bytes.
 */
export function renderContractHtml(document: ContractDocument, options: HtmlOptions): Buffer {
  const body = bodyHtml(document)
  const html = `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; font-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
<meta name="format-detection" content="telephone=no">
<meta name="dcterms.identifier" content="${escapeHtml(options.contractId)}">
<meta name="dcterms.created" content="${options.acceptedAt.toISOString()}">
<title>${escapeHtml(document.title)}</title>
<style>
${fontFaces(body, options.fonts)}
${styleSheet}
${pageFurniture(document)}
</style>
</head>
<body>
${body}
</body>
</html>
`
  return Buffer.from(html, 'utf8')
}

/** Lets people who use a keyboard or a screen reader pass over what precedes the content. */
const skipText = 'Skip to the content'

function bodyHtml(document: ContractDocument): string {
  return `<a class="skip" href="#main">${skipText}</a>
${document.mark === null ? '' : `<p class="mark">${escapeHtml(document.mark)}</p>\n`}<div class="page">
<header>
<p class="issuer">${escapeHtml(document.issuer)}</p>
<h1>${escapeHtml(document.title)}</h1>
${document.introduction.map((text) => `<p class="introduction">${escapeHtml(text)}</p>`).join('\n')}
</header>
<main id="main" tabindex="-1">
${keyFactsHtml(document.keyFacts)}<nav aria-labelledby="contents">
<h2 id="contents">${escapeHtml(document.contentsHeading)}</h2>
<ul>${document.sections.map(({ id, heading }) => `<li><a href="#${id}">${escapeHtml(heading)}</a></li>`).join('\n')}</ul>
</nav>
${document.sections.map(sectionHtml).join('\n')}
</main>
</div>`
}

function keyFactsHtml(keyFacts: ContractDocument['keyFacts']): string {
  if (keyFacts === null) return ''
  return `<section class="key-facts" aria-labelledby="key-facts">
<h2 id="key-facts">${escapeHtml(keyFacts.heading)}</h2>
<dl>${keyFacts.facts.map(keyFactHtml).join('\n')}</dl>
</section>
`
}

function keyFactHtml({ label, value, note }: KeyFact): string {
  return `<div><dt>${escapeHtml(label)}</dt><dd class="value">${escapeHtml(value)}</dd><dd class="note">${escapeHtml(note)}</dd></div>`
}

function sectionHtml({ id, heading, blocks }: Section): string {
  return `<section id="${id}" aria-labelledby="${id}-heading">
<h2 id="${id}-heading">${escapeHtml(heading)}</h2>
${blocks.map(blockHtml).join('\n')}
</section>`
}

/**
 * Embeds the fonts that the text needs. Only Latin has both weights: browsers synthesise bold for the rare heading in another
 * script, which keeps the file small.
 */
function fontFaces(body: string, fonts: FontLibrary): string {
  return subsetsFor(body, fonts)
    .flatMap((subset) => {
      const weights: FontWeight[] = subset.name.endsWith('-latin') ? ['regular', 'strong'] : ['regular']
      return weights.map((weight) => {
        const data = subset.file(weight, 'woff2').toString('base64')
        return `@font-face{font-family:"Contract Sans";font-weight:${fontWeights[weight]};src:url(data:font/woff2;base64,${data}) format("woff2");unicode-range:${subset.unicodeRange}}`
      })
    })
    .join('\n')
}

/** Styles for print only: page numbers, the contract's id and the mark on every sheet. */
function pageFurniture({ mark, issuer, reference }: ContractDocument): string {
  return `@page{@bottom-left{content:${quoteCssString(`${issuer} · ${reference}`)}}@bottom-right{content:"Page " counter(page) " of " counter(pages)}${
    mark === null ? '' : `@top-center{content:${quoteCssString(mark)}}`
  }}`
}

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { htmlDocument } from '../../pages/document.ts'
import { escapeHtml, html, raw } from '../../pages/html.ts'
import { contentSecurityPolicy } from '../../platform/http/security-headers.ts'
import type { Block, Column, ContractDocument, Detail, Form, FormField, KeyFact, Section, Table } from '../document.ts'
import type { DocumentIdentity } from '../document-renderer.ts'
import { type FontSubset, type FontWeight, fontWeights } from './font-library.ts'
import type { PdfFonts } from './pdf-fonts.ts'

interface HtmlOptions extends DocumentIdentity {
  fonts: PdfFonts
}

const styleSheet = readFileSync(new URL('./contract.css', import.meta.url), 'utf8')

/**
 * Renders the document as one self-contained HTML file. Styles and fonts are embedded. There are no scripts and no
 * requests, and the page's own content security policy forbids both. The same input gives the same bytes.
 */
export function renderContractHtml(document: ContractDocument, options: HtmlOptions): Buffer {
  const body = bodyHtml(document)
  const style = `
${fontFaces(body, options.fonts)}
${styleSheet}
${pageFurniture(document)}
`
  const policy = contentSecurityPolicy({
    'style-src': `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    'font-src': 'data:',
    // Only a header can say who may frame a document.
    'frame-ancestors': '',
  })
  const { markup } = htmlDocument({
    title: document.title,
    head: html`<meta http-equiv="Content-Security-Policy" content="${raw(policy)}">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
<meta name="dcterms.identifier" content="${options.contractId}">
<meta name="dcterms.created" content="${options.acceptedAt.toISOString()}">
<style>${raw(style)}</style>`,
    body: raw(body),
  })
  return Buffer.from(markup, 'utf8')
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
 * Embeds the fonts that the text needs, each for exactly the characters that it draws: the ranges published with the
 * subsets overlap, and some name characters that the font does not have. Only Latin has both weights: browsers
 * synthesise bold for the rare heading in another script, which keeps the file small.
 */
function fontFaces(body: string, fonts: PdfFonts): string {
  return [...charactersBySubset(body, fonts)]
    .flatMap(([subset, characters]) => {
      const weights: FontWeight[] = subset.name.endsWith('-latin') ? ['regular', 'strong'] : ['regular']
      const range = [...characters].map((character) => `U+${character.codePointAt(0)?.toString(16)}`).sort()
      return weights.map((weight) => {
        const data = subset.file(weight, 'woff2').toString('base64')
        return `@font-face{font-family:"Contract Sans";font-weight:${fontWeights[weight]};src:url(data:font/woff2;base64,${data}) format("woff2");unicode-range:${range}}`
      })
    })
    .join('\n')
}

const graphemes = new Intl.Segmenter('en-GB', { granularity: 'grapheme' })

/** A letter and its marks are drawn with one font, if there is one that has them all. */
function charactersBySubset(text: string, fonts: PdfFonts): Map<FontSubset, Set<string>> {
  const found = new Map<FontSubset, Set<string>>()
  const add = (drawn: string) => {
    const subset = fonts.faceFor(drawn, 'regular')?.subset
    if (subset !== undefined) found.set(subset, new Set([...(found.get(subset) ?? []), ...drawn]))
    return subset !== undefined
  }
  for (let code = 0x20; code < 0x7f; code += 1) add(String.fromCharCode(code))
  for (const run of new Set(text.match(/[ -~]?[^\n-~]+/g)))
    for (const { segment } of graphemes.segment(run)) if (!add(segment)) for (const character of segment) add(character)
  return found
}

/** Styles for print only: page numbers, the contract's id and the mark on every sheet. */
function pageFurniture({ mark, issuer, reference }: ContractDocument): string {
  return `@page{@bottom-left{content:${quoteCssString(`${issuer} · ${reference}`)}}@bottom-right{content:"Page " counter(page) " of " counter(pages)}${
    mark === null ? '' : `@top-center{content:${quoteCssString(mark)}}`
  }}`
}

/** Renders a block of a section as HTML. All text of blocks is escaped here and nowhere else. */
function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h3>${escapeHtml(block.text)}</h3>`
    case 'paragraph':
      return `<p>${escapeHtml(block.text)}</p>`
    case 'notice':
      return `<p class="notice">${escapeHtml(block.text)}</p>`
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>`
    case 'details':
      return `<dl class="details">${block.items.map(detailHtml).join('')}</dl>`
    case 'table':
      return tableHtml(block)
    case 'form':
      return formHtml(block)
  }
}

function detailHtml({ term, lines, link }: Detail): string {
  const text = linesHtml(lines)
  const value = link === undefined ? text : `<a href="${escapeHtml(link)}">${text}</a>`
  return `<div><dt>${escapeHtml(term)}</dt><dd>${value}</dd></div>`
}

function linesHtml(lines: readonly string[]): string {
  return lines.map(escapeHtml).join('<br>\n')
}

function tableHtml({ caption, columns, rows, total }: Table): string {
  const head = columns.map((column) => `<th scope="col"${alignment(column)}>${escapeHtml(column.heading)}</th>`)
  const foot = total === undefined ? '' : `<tfoot>${rowHtml(total, columns)}</tfoot>`
  return `<div class="scroll"><table><caption>${escapeHtml(caption)}</caption>
<thead><tr>${head.join('')}</tr></thead>
<tbody>${rows.map((row) => rowHtml(row, columns)).join('\n')}</tbody>${foot}</table></div>`
}

function rowHtml(cells: readonly string[], columns: readonly Column[]): string {
  const all = cells.map((cell, index) =>
    index === 0
      ? `<th scope="row"${alignment(columns[index])}>${escapeHtml(cell)}</th>`
      : `<td${alignment(columns[index])}>${escapeHtml(cell)}</td>`,
  )
  return `<tr>${all.join('')}</tr>`
}

function alignment(column: Column | undefined): string {
  return column === undefined || column.holds === 'words' ? '' : ` class="${column.holds}"`
}

function formHtml({ instruction, addresseeLabel, addressee, statement, fields }: Form): string {
  return `<div class="form">
<p class="instruction">${escapeHtml(instruction)}</p>
<dl class="details"><div><dt>${escapeHtml(addresseeLabel)}</dt><dd>${linesHtml(addressee)}</dd></div></dl>
<p>${escapeHtml(statement)}</p>
<dl class="details">${fields.map(fieldHtml).join('')}</dl>
</div>`
}

function fieldHtml({ label, lines }: FormField): string {
  const blank = lines.length === 0 ? ' class="blank"' : ''
  return `<div><dt>${escapeHtml(label)}</dt><dd${blank}>${linesHtml(lines)}</dd></div>`
}

/** Quotes text as a CSS string for a style element. */
function quoteCssString(text: string): string {
  const escaped = text.replaceAll(
    /[^\p{L}\p{N} ,.:_-]/gu,
    (character) => `\\${character.codePointAt(0)?.toString(16)} `,
  )
  return `"${escaped}"`
}

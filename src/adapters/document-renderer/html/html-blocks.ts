import type { Block, Column, Detail, Form, FormField, Table } from '../../../domain/contracts/document.ts'
import { escapeHtml } from './html-escape.ts'

/** Renders a block of a section as HTML. All text of blocks is escaped here and nowhere else. */
export function blockHtml(block: Block): string {
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
  const html = cells.map((cell, index) =>
    index === 0
      ? `<th scope="row"${alignment(columns[index])}>${escapeHtml(cell)}</th>`
      : `<td${alignment(columns[index])}>${escapeHtml(cell)}</td>`,
  )
  return `<tr>${html.join('')}</tr>`
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

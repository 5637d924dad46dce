import { escapeControls } from '../platform/kernel/plain-text.ts'

/**
 * Formats rows as aligned text, indented and separated by two spaces. Columns named in `right` are right-aligned.
 * Nothing is truncated; line breaks and other controls within a cell are escaped.
 */
export function alignRows(
  texts: readonly (readonly string[])[],
  { right = [] }: { right?: readonly number[] } = {},
): string {
  const rows = texts.map((row) => row.map((text) => escapeControls(text)))
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  )
  return rows
    .map((row) =>
      widths
        .map((width, column) => {
          const text = row[column] ?? ''
          const space = ' '.repeat(width - widthOf(text))
          return right.includes(column) ? space + text : text + space
        })
        .join('  '),
    )
    .map((line) => `  ${line.trimEnd()}`)
    .join('\n')
}

/** Counts code points without combining marks, because names may be in any script. */
function widthOf(text: string): number {
  return [...text.replace(/\p{M}/gu, '')].length
}

/** Formats 12345 as `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-GB')
}

/** Formats an instant as `2026-11-20 09:25 UTC`. */
export function formatInstant(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

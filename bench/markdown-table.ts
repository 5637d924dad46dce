/** A Markdown table, padded so that it can be read as text too. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** Milliseconds for a table. */
export const ms = (value: number): string => `${value.toFixed(1)} ms`

/** A whole number for a table, e.g. `1,000,000`. */
export const whole = (value: number): string => Math.round(value).toLocaleString('en-GB')

/** A ratio for a table. */
export const ratio = (value: number): string => (value < 0.1 ? value.toPrecision(1) : value.toFixed(2))

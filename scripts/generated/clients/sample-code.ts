/** How a language writes data and calls. */
export interface CodeStyle {
  text(value: string): string
  /** A member of an object, whose value is written already. */
  member(name: string, written: string): string
  words: Readonly<Record<'true' | 'false' | 'null', string>>
  margin: string
  /** What is between a brace and what is on the same line. */
  padding: string
}

/** An argument of a call: data, or a name that is written as it is, or both. */
export interface Argument {
  prefix?: string
  data?: unknown
}

/** Longer lines are broken. The place in the reference where code is shown is narrow. */
const longestLine = 72

/**
 * Writes a call such as `client.getQuote('quote_1')` in one line if there is room. Otherwise the last object begins in the line of the call, or
 * else each argument has a line.
 */
export function renderCall(head: string, given: readonly Argument[], style: CodeStyle): string {
  const inOneLine = `${head}(${given.map((argument) => renderArgument(argument, style)).join(', ')})`
  if (inOneLine.length <= longestLine || given.length === 0) return inOneLine
  const broken = given.map((argument, index) =>
    index < given.length - 1 ? renderArgument(argument, style) : renderArgument(argument, style, ''),
  )
  const withBrokenObject = `${head}(${broken.join(', ')})`
  const [firstLine = '', ...others] = withBrokenObject.split('\n')
  if (others.length > 0 && firstLine.length <= longestLine) return withBrokenObject
  const lines = given.map((argument) => `${style.margin}${renderArgument(argument, style, style.margin)},\n`)
  return `${head}(\n${lines.join('')})`
}

/** With a margin, an object that is too long for a line that begins there has several. */
function renderArgument({ prefix = '', data }: Argument, style: CodeStyle, margin?: string): string {
  if (data === undefined) return prefix
  return prefix + (margin === undefined ? renderInline(data, style) : renderData(data, style, margin))
}

function renderData(value: unknown, style: CodeStyle, margin: string): string {
  const inOneLine = renderInline(value, style)
  const isShort = margin !== '' && margin.length + inOneLine.length <= longestLine
  if (typeof value !== 'object' || value === null || isShort || Object.keys(value).length === 0) return inOneLine
  const inner = margin + style.margin
  const render = (part: unknown) => renderData(part, style, inner)
  const parts = Array.isArray(value)
    ? value.map(render)
    : Object.entries(value).map(([name, part]) => style.member(name, render(part)))
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${margin}${close}`
}

function renderInline(value: unknown, style: CodeStyle): string {
  if (typeof value === 'string') return style.text(value)
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return style.words[value ? 'true' : 'false']
  if (typeof value !== 'object') throw new Error(`no data: ${typeof value}`)
  if (value === null) return style.words.null
  if (Array.isArray(value)) return `[${value.map((part) => renderInline(part, style)).join(', ')}]`
  const parts = Object.entries(value).map(([name, part]) => style.member(name, renderInline(part, style)))
  return parts.length === 0 ? '{}' : `{${style.padding}${parts.join(', ')}${style.padding}}`
}

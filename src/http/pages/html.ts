/** Markup that is safe to send: made by the `html` tag, which escapes what is put into it, or vouched for with `raw`. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }

  toString(): string {
    return this.markup
  }
}

/** What may stand in a template: text and numbers are escaped, markup is not; nothing is written for null and false. */
export type HtmlValue = string | number | Html | null | undefined | false | readonly HtmlValue[]

/**
 * A template tag for HTML: every value is escaped for element content and for **quoted** attributes. It does not make
 * a value safe inside `<script>`, `<style>`, an unquoted attribute or a `javascript:` address: pass data there by
 * `data-` attributes instead.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const parts = strings.map((text, index) => text + (index < values.length ? markupOf(values[index]) : ''))
  return new Html(parts.join(''))
}

/** Vouches for markup of our own making, such as a style sheet read from a file. Never for anything a caller sent. */
export function raw(markup: string): Html {
  return new Html(markup)
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as it may stand in element content and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character)
}

function markupOf(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Html) return value.markup
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return String(value)
  return value.map(markupOf).join('')
}

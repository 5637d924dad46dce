/** Wraps a wide table in a box that scrolls separately from the page, including by keyboard. */
export function scrollBox(label: string, table: Html): Html {
  return html`<div class="scroll" role="group" aria-label="${label}" tabindex="0">${table}</div>`
}

/** Renders a code block that, like a wide table, scrolls separately from the page. */
export function codeBlock(code: string): Html {
  return html`<pre tabindex="0"><code>${code}</code></pre>`
}

/** Renders what commands print: unlike a code block, it is not there to be copied. */
export function printedBlock(text: string): Html {
  return html`<pre class="printed" tabindex="0"><code>${text}</code></pre>`
}

/** Markup that is safe to send: made by the `html` tag, which escapes its values, or marked as trusted with `raw`. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }

  toString(): string {
    return this.markup
  }
}

/** What a template accepts: text and numbers are escaped, markup is not; null and false are left out. */
export type HtmlValue = string | number | Html | null | undefined | false | readonly HtmlValue[]

/**
 * A template tag for HTML: every value is escaped for element content and for **quoted** attributes. Values are not
 * safe inside
 * `<script>`, `<style>`, an unquoted attribute or a `javascript:` URL: pass data there in `data-` attributes instead.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const parts = strings.map((text, index) => text + (index < values.length ? markupOf(values[index]) : ''))
  return new Html(parts.join(''))
}

/** Marks our own markup, such as a style sheet read from a file, as trusted. Never use it for request data. */
export function raw(markup: string): Html {
  return new Html(markup)
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for element content and quoted attributes. */
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

import { type Html, html } from './html.ts'

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

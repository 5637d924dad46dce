import { type Html, html } from './html.ts'

/** A box in which a wide table scrolls by itself, by the keyboard too, and the page does not. */
export function scrollBox(label: string, table: Html): Html {
  return html`<div class="scroll" role="group" aria-label="${label}" tabindex="0">${table}</div>`
}

/** A block of code that scrolls by itself in the same way. */
export function codeBlock(code: string): Html {
  return html`<pre tabindex="0"><code>${code}</code></pre>`
}

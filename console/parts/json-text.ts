import { html, type TemplateResult } from 'lit-html'

/** Text from elsewhere in a box of its own: as text, whatever it looks like. */
export function textBox(label: string, text: string): TemplateResult {
  return html`<pre tabindex="0" role="group" aria-label=${label}><code>${text}</code></pre>`
}

/** JSON set out over lines; what is no JSON as it is. */
export function setOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

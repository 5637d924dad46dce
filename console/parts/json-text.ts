import { html, type TemplateResult } from 'lit-html'

/** Shows external content in a box. It is always shown as text, never as HTML. */
export function textBox(label: string, text: string): TemplateResult {
  return html`<pre tabindex="0" role="group" aria-label=${label}><code>${text}</code></pre>`
}

/** Indents JSON; returns other text unchanged. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

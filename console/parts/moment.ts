import { html, type TemplateResult } from 'lit-html'
import { momentInWords } from '../time.ts'

/** A time in UK format, with the exact instant in the tooltip and in `datetime`. */
export function moment(instant: string): TemplateResult {
  return html`<time datetime=${instant} title=${instant}>${momentInWords(instant)}</time>`
}

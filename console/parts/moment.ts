import { html, type TemplateResult } from 'lit-html'
import { momentInWords } from '../time.ts'

/** A time in UK format; the exact instant is in its tooltip and `datetime`. */
export function moment(instant: string): TemplateResult {
  return html`<time datetime=${instant} title=${instant}>${momentInWords(instant)}</time>`
}

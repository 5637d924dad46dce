import { html, type TemplateResult } from 'lit-html'
import { momentInWords } from '../time.ts'

/** A moment in UK form; the exact instant is in its tooltip and for programs. */
export function moment(instant: string): TemplateResult {
  return html`<time datetime=${instant} title=${instant}>${momentInWords(instant)}</time>`
}

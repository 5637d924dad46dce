import { createHash } from 'node:crypto'
import { type Form, FormRejected } from './form.ts'
import { type Html, html } from './html.ts'

/** What a form carries of the figures that it was shown with, as a hash. */
export function shownFigures(figures: unknown): Html {
  return html`<input type="hidden" name="figures" value="${hashOf(figures)}">`
}

/**
 * Throws unless these are the figures that were shown: something can have happened meanwhile. Called under the lock.
 * `text` says so, beside what has the id `field`.
 */
export function requireShown(form: Form, figures: unknown, text: string, field = 'figures'): void {
  if (form.text('figures') !== hashOf(figures)) throw new FormRejected([{ field, text }])
}

function hashOf(figures: unknown): string {
  return createHash('sha256').update(JSON.stringify(figures)).digest('hex')
}

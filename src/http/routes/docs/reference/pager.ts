import { type Html, html } from '../../../pages/html.ts'

/** A page to link to. */
interface Target {
  href: string
  text: string
}

/** Links to the previous page and the next page about `subject`; undefined if there is only one page. */
export function pager(subject: string, targets: readonly Target[], at: number): Html | undefined {
  const before = targets[at - 1]
  const after = targets[at + 1]
  if (before === undefined && after === undefined) return undefined
  return html`<nav class="pager" aria-label="More of ${subject}">${before === undefined ? '' : html`<a href="${before.href}" rel="prev">Previous: ${before.text}</a>`}${
    after === undefined ? '' : html`<a href="${after.href}" rel="next">Next: ${after.text}</a>`
  }</nav>`
}

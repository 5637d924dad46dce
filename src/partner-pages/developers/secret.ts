import { randomUUID } from 'node:crypto'
import { type Form, hiddenFields } from '../../pages/form.ts'
import type { Shown } from '../../pages/frame.ts'
import { type Html, html } from '../../pages/html.ts'
import { copyable } from '../../pages/lists.ts'

/** What makes a form take effect once: an `Idempotency-Key` of its own. */
export function keyField(form: Form): Html[] {
  return hiddenFields([['key', form.text('key') || randomUUID()]])
}

/** A page that shows a signing secret. Only the response to the form has it. */
export function shownOnce(title: string, secret: string, more: Html, webhook: string): Shown {
  const body = html`<h1>${title}</h1><h2>The signing secret</h2>
<p><strong>It is shown only once.</strong> Store it as safely as your client secret. Your receiver needs it to verify every message.</p>
<p id="secret">${copyable(secret)}</p>${more}
<p><a class="button" href="${webhook}">I have saved it. Go to the webhook</a></p>`
  return { title, body }
}

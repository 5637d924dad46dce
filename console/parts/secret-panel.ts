import { html, type TemplateResult } from 'lit-html'
import type { PageContext } from '../page.ts'

/** A read-only text field with a button that copies its content. */
function copyField(
  { say }: Pick<PageContext, 'say'>,
  { id, label, text }: { id: string; label: string; text: string },
): TemplateResult {
  const copy = async () => {
    const field = document.getElementById(id)
    if (!(field instanceof HTMLTextAreaElement)) return
    field.select()
    say({ text: (await copied(text)) ? `${label}: copied.` : `${label}: selected. Copy it with your keyboard.` })
  }
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <div class="copy">
      <textarea id=${id} class="mono" rows="2" readonly spellcheck="false" .value=${text}></textarea>
      <button type="button" @click=${copy}>Copy<span class="unseen"> ${label}</span></button>
    </div>
  </div>`
}

/** Shows a signing secret, which can be seen only once. */
export function secretPanel(
  context: Pick<PageContext, 'say'>,
  secret: string,
  further: TemplateResult,
): TemplateResult {
  return html`<section class="panel important">
    <h2>The signing secret</h2>
    <p><strong>It is shown only once.</strong> Store it as safely as your client secret. Your receiver needs it to verify every message.</p>
    ${copyField(context, { id: 'secret', label: 'Signing secret', text: secret })} ${further}
  </section>`
}

/** Browsers allow clipboard access only over HTTPS and on localhost. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

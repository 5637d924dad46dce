import { textField } from '../../pages/fields.ts'
import { FormRejected, formOf } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { root } from '../tenant-http.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { codeMailOf, codeMinutes, codesOf, enterCode, sendCode } from './tenant-sessions.ts'

const text = words.code

/**
 * The check that it is the tenant: partners and forwarded e-mails have the link too, but not the tenant's mailbox. A
 * sandbox shows the code, because it sends no e-mails.
 */
export const codePage: TenantPage = {
  name: 'code',
  needs: 'link',
  when: 'always',
  async show(visit, form) {
    const { session, customer, deps, caller, customerId } = visit
    const owner = { db: deps.db, partnerId: caller.partnerId, customerId, now: caller.now }
    if (session.isConfirmed) return { goTo: next(visit) }
    const masked = maskedEmail(customer.personal.email)
    const { formToken, codeExpiresAt } = session
    const action = (what: string) => html`<input type="hidden" name="do" value="${what}">`
    const mail = codeExpiresAt === null ? undefined : await codeMailOf(owner, codeExpiresAt)
    // The mail server can have refused the e-mail, or not taken it yet.
    const sentence =
      mail === 'sent' ? text.sent(masked, codeMinutes) : mail === 'pending' ? text.onItsWay(masked, codeMinutes) : null
    const refused = mail !== undefined && sentence === null ? text.notSent(deps.operator.trader.phone) : undefined
    if (codeExpiresAt === null || (refused !== undefined && deps.realm === 'live')) {
      const send = formOf(formToken, action('send'), text.send)
      return {
        title: text.title,
        body: html`<h1>${text.title}</h1>${problemOf(form.problemOf('code') ?? refused)}<p>${text.intro(masked)}</p>${send}${newLink}`,
      }
    }
    const [code] = deps.realm === 'sandbox' ? codesOf(deps.cipher, session, codeExpiresAt) : []
    const field = textField(form, {
      name: 'code',
      label: text.label,
      inputMode: 'numeric',
      autocomplete: 'one-time-code',
      maxLength: 12,
      size: 'short',
    })
    return {
      title: text.title,
      body: html`<h1>${text.title}</h1>${sentence === null ? null : html`<p>${sentence}</p>`}
${code === undefined ? null : html`<p class="notice">${text.sandbox(code)}</p>`}
${formOf(formToken, html`${action('enter')}${field}`, words.continue)}
${formOf(formToken, action('send'), text.again, { look: 'plain' })}${newLink}`,
    }
  },
  async submit(visit, form) {
    const { deps, customerId, session, caller } = visit
    if (session.isConfirmed) return next(visit)
    const owner = { db: deps.db, partnerId: caller.partnerId, customerId, now: caller.now }
    if (form.text('do') === 'enter') {
      const code = form.text('code').replaceAll(/\s/g, '')
      const isRight = await enterCode({ ...owner, cipher: deps.cipher }, session, code)
      if (!isRight) throw new FormRejected([{ field: 'code', text: text.wrong }])
      visit.markDevice()
      return next(visit)
    }
    const wait = await deps.countCode(visit)
    if (wait > 0) throw new FormRejected([{ field: 'code', text: text.limited(wait) }], wait)
    const isSent = await sendCode(owner, deps, { secret: session.secret, quote: visit.quote })
    if (!isSent) throw new FormRejected([{ field: 'code', text: text.notSent(deps.operator.trader.phone) }])
    await deps.sendTenantMails(caller.partnerId, customerId)
    return `${visit.path('code')}?next=${encodeURIComponent(visit.query.get('next') ?? '')}`
  },
}

/** The way out for whom somebody else with the link has left no codes. */
const newLink = html`<p class="hint"><a href="${root}">${words.ended.newLink}</a></p>`

function problemOf(problem: string | undefined) {
  return problem === undefined ? null : html`<p class="problem" id="code">${problem}</p>`
}

/** The page that the tenant wanted to see: only one of their own. */
function next(visit: Visit): string {
  const wanted = visit.query.get('next') ?? ''
  return visit.path(/^[a-z.-]{1,40}$/.test(wanted) && wanted !== 'code' ? wanted : '')
}

/** Enough of the address for its owner to know it: "a…@example.com". */
function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, 1)}…${email.slice(at)}`
}

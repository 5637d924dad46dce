import { updateCustomerRoute } from '../../onboarding/customers.route.ts'
import { changeDetails } from '../../onboarding/update-customer.ts'
import { checkedBody } from '../../pages/checked-body.ts'
import { boxField, textField } from '../../pages/fields.ts'
import { type Form, FormRejected, formOf, hiddenFields } from '../../pages/form.ts'
import type { Shown } from '../../pages/frame.ts'
import { html } from '../../pages/html.ts'
import type { Tx } from '../../platform/db/database.ts'
import { hasUnusualDomain } from '../../platform/kernel/email.ts'
import { root } from '../tenant-http.ts'
import type { GoTo, TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { codeMailOf, codeMinutes, codesOf, enterCode, sendCode } from './tenant-sessions.ts'

const text = words.code

/**
 * The check that it is the tenant: partners and forwarded e-mails have the link too, but not the tenant's mailbox. A
 * sandbox shows the code, because it sends no e-mails. A tenant who was added without an address first says theirs.
 */
export const codePage: TenantPage = {
  name: 'code',
  needs: 'link',
  when: 'always',
  problems: { '/email': { field: 'email', text: words.details.problems['/email'] } },
  show,
  async submit(visit, form) {
    const { deps, customerId, session, caller } = visit
    if (session.isConfirmed) return next(visit)
    const firstAddress = visit.customer.personal.email === '' ? givenAddress(visit, form) : undefined
    const owner = { db: deps.db, partnerId: caller.partnerId, customerId, now: caller.now }
    if (form.text('do') === 'enter') {
      const code = form.text('code').replaceAll(/\s/g, '')
      const isRight = await enterCode(
        { ...owner, cipher: deps.cipher },
        session,
        code,
        firstAddress === undefined ? undefined : keeping(visit, firstAddress),
      )
      if (!isRight) throw new FormRejected([{ field: 'code', text: text.wrong }])
      visit.markDevice()
      return next(visit)
    }
    const wait = await deps.countCode(visit)
    if (wait > 0) throw new FormRejected([{ field: 'code', text: text.limited(wait) }], wait)
    const codeExpiresAt = await sendCode(owner, deps, { secret: session.secret, quote: visit.quote, firstAddress })
    if (codeExpiresAt === null)
      throw new FormRejected([{ field: 'code', text: text.notSent(deps.operator.trader.phone) }])
    await deps.sendTenantMails(caller.partnerId, customerId)
    if (firstAddress !== undefined) return show({ ...visit, session: { ...session, codeExpiresAt } }, form)
    return `${visit.path('code')}?next=${encodeURIComponent(visit.query.get('next') ?? '')}`
  },
}

async function show(visit: Visit, form: Form): Promise<Shown | GoTo> {
  const { session, customer, deps, caller, customerId } = visit
  const owner = { db: deps.db, partnerId: caller.partnerId, customerId, now: caller.now }
  if (session.isConfirmed) return { goTo: next(visit) }
  const isFirst = customer.personal.email === ''
  const address = customer.personal.email || form.text('email')
  const isAsked = isFirst && (address === '' || form.problems.some(({ field }) => field !== 'code'))
  if (isAsked) return askForAddress(visit, form)
  const masked = maskedEmail(address)
  const { formToken, codeExpiresAt } = session
  const sentAlong = hiddenFields(
    isFirst
      ? [
          ['email', address],
          ['sure', 'yes'],
        ]
      : [],
  )
  const action = (what: string) => html`<input type="hidden" name="do" value="${what}">${sentAlong}`
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
  const [code] =
    deps.realm === 'sandbox' ? codesOf(deps.cipher, session, codeExpiresAt, isFirst ? address : undefined) : []
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
  ${formOf(formToken, action('send'), text.again, { look: 'plain' })}${isFirst ? html`<p><a href="${visit.path('code')}">${text.otherAddress}</a></p>` : newLink}`,
  }
}

/** Asks a tenant who was added without an address for theirs: the first step, before anything is given. */
function askForAddress({ session }: Visit, form: Form): Shown {
  const { title, intro, send, sure } = text.first
  const entered = form.text('email')
  const label = words.details.email
  const fields = html`<input type="hidden" name="do" value="send">
${textField(form, { name: 'email', label, type: 'email', autocomplete: 'email', maxLength: 254 })}
${hasUnusualDomain(entered) && boxField(form, { name: 'sure', label: sure(entered) })}`
  return { title, body: html`<h1>${title}</h1><p>${intro}</p>${formOf(session.formToken, fields, send)}` }
}

/** The first address, as entered. Throws `FormRejected`, and the API's error for what is none. */
function givenAddress(visit: Visit, form: Form): string {
  const { email } = checkedBody(updateCustomerRoute, { email: form.text('email') }, visit)
  if (form.text('sure') === 'yes' || !hasUnusualDomain(email)) return email
  throw new FormRejected([{ field: 'sure', text: text.first.sureProblem }])
}

/** Keeps the first address, which is proved. Throws if the customer got one meanwhile. */
function keeping({ deps, caller, customerId }: Visit, address: string) {
  const change = { personal: { email: address }, psr: undefined }
  const keep = async (tx: Tx) => {
    await changeDetails(tx, deps, caller, customerId, change, ({ personal }) => {
      if (personal.email !== '') throw new FormRejected([{ field: 'code', text: text.wrong }])
    })
  }
  return { address, keep }
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

import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { rawBody } from '../platform/http/plugins/body.ts'
import { type IsoDate, isIsoDate } from '../platform/kernel/dates.ts'
import { type Html, html } from './html.ts'
import { words } from './words.ts'

/** What is wrong with a field, in words for its reader. `field` is the id of the field that the summary links to. */
export interface Problem {
  field: string
  text: string
}

/** Thrown when what somebody entered cannot be used: the page is shown again, with everything that was entered. */
export class FormRejected extends Error {
  override readonly name = 'FormRejected'
  readonly problems: readonly Problem[]
  /** For how many seconds it cannot be used because there were too many. */
  readonly retryAfterSeconds: number | undefined

  constructor(problems: readonly Problem[], retryAfterSeconds?: number) {
    super('the form has problems')
    this.problems = problems
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** What was entered in a form. A page that is opened for the first time has an empty one. */
export class Form {
  readonly #entered: URLSearchParams
  readonly problems: readonly Problem[]

  constructor(entered: URLSearchParams, problems: readonly Problem[] = []) {
    this.#entered = entered
    this.problems = problems
  }

  /** The text of a field without spaces around it; `otherwise` if the form has no such field. */
  text(name: string, otherwise = ''): string {
    return this.#entered.get(name)?.trim() ?? otherwise
  }

  /** A long text, typed or from a file. Throws `FormRejected` for a file that is not in UTF-8. */
  longText(name: string): string {
    const text = this.text(name)
    if (text.includes('\uFFFD')) throw new FormRejected([{ field: name, text: words.notUtf8 }])
    return text
  }

  /** The values of the boxes that were ticked. */
  chosen(name: string): string[] {
    return this.#entered.getAll(name)
  }

  /** Every field with its value, as sent. */
  entered(): [name: string, value: string][] {
    return [...this.#entered]
  }

  problemOf(field: string): string | undefined {
    return this.problems.find((problem) => problem.field === field)?.text
  }

  /** The same form with what was found wrong with it. Of a day that no month has, that is said instead. */
  with(problems: readonly Problem[]): Form {
    const told = problems.map((problem) =>
      this.#hasNoSuchDay(problem.field) ? { ...problem, text: words.noSuchDay } : problem,
    )
    return new Form(this.#entered, told)
  }

  /** Whether what was entered looks like a date, such as 30 2 1995, and is none. */
  #hasNoSuchDay(name: string): boolean {
    const [day = '', month = '', year = ''] = ['day', 'month', 'year'].map((part) => this.text(`${name}-${part}`))
    return /^\d{1,2}$/.test(day) && /^\d{1,2}$/.test(month) && /^\d{4}$/.test(year) && this.date(name) === 'wrong'
  }

  /**
   * A date from its three fields; null if all are empty, `'wrong'` if they are no date. Two digits are no year: whose
   * birthday it is cannot be guessed.
   */
  date(name: string): IsoDate | null | 'wrong' {
    const [day, month, year] = ['day', 'month', 'year'].map((part) => this.text(`${name}-${part}`))
    if (day === '' && month === '' && year === '') return null
    if (!/^\d{1,2}$/.test(day ?? '') || !/^\d{1,2}$/.test(month ?? '') || !/^\d{4}$/.test(year ?? '')) return 'wrong'
    const date = `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`
    return isIsoDate(date) ? date : 'wrong'
  }
}

/** What was entered in the form that a request brings. */
export function formIn(request: FastifyRequest): Form {
  return new Form(new URLSearchParams(rawBody(request).toString('utf8')))
}

/** A form that is sent to the page it stands on, with its token and one button. */
export function formOf(
  formToken: string,
  content: Html,
  button: string,
  {
    action,
    look = 'first',
    takesFiles = false,
  }: { action?: string; look?: 'first' | 'second' | 'plain'; takesFiles?: boolean | undefined } = {},
): Html {
  return html`<form method="post" novalidate${action === undefined ? null : html` action="${action}"`}${takesFiles && html` enctype="multipart/form-data"`}>
<input type="hidden" name="formToken" value="${formToken}">
${content}
<button type="submit"${look === 'first' ? null : html` class="${look}"`}>${button}</button>
</form>`
}

/** Values as hidden fields. */
export function hiddenFields(values: readonly (readonly [name: string, value: string])[]): Html[] {
  return values.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}

/** What somebody sent to a page before they were asked to sign in. */
export interface Entered {
  form: Form
  path: string
  /** Whether the form that sends it again can be as large as one with files. */
  takesFiles: boolean
}

/** Where one signs in beside this page, and the form that then sends again what was entered. */
export function goOnAfterSignIn({ form, path, takesFiles }: Entered, signInPath: string): Html {
  return html`<p><a class="button" href="${signInPath}" target="_blank">${words.signIn}</a></p>
<form method="post" action="${path}"${takesFiles && html` enctype="multipart/form-data"`}>${hiddenFields(form.entered())}<button type="submit" class="second">${words.goOn}</button></form>`
}

/** What makes a form take effect once, however often it is sent: an `Idempotency-Key` of its own. */
export function keyField(form = new Form(new URLSearchParams())): Html {
  return html`${hiddenFields([['key', form.text('key') || randomUUID()]])}`
}

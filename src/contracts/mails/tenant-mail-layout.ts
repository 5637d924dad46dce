import { htmlDocument } from '../../pages/document.ts'
import { type Html, html, raw } from '../../pages/html.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { momentInWords } from '../../platform/kernel/in-words.ts'
import { listInWords } from '../../platform/kernel/period-text.ts'

/** A part of an e-mail, from top to bottom. A text is a paragraph. */
export type MailPart =
  | string
  | { heading: string }
  /** Facts with a name each, such as "First day". */
  | { rows: readonly (readonly [name: string, value: string])[] }
  | { list: readonly string[] }
  /** What the reader types somewhere else. */
  | { code: string }
  /** What the reader is asked to do. An e-mail has at most one. */
  | { button: string; url: string }
  | { link: string; url: string }

/** A part as it is stored. What depends on whom an e-mail reaches and when is filled in when it leaves. */
export type StoredPart =
  | MailPart
  | { greeting: string }
  /** What the tenant has still to do before they can do this. */
  | { whatIsLeft: string }
  | { button: string; opens: 'pages' }
  /** Says until when the link works, and then this. */
  | { untilLinkEnds: string }
  | { link: string; opens: 'refusal' }
  /** Only for whom never had a contract. */
  | { unlessCustomer: readonly StoredPart[] }

/** What is filled in. */
export interface FilledIn {
  name: string
  /** What the tenant has still to do, such as "your card". */
  left: readonly string[]
  /** The link to the tenant's pages. Without an end, it is the permanent address. */
  pages: { url: string; expiresAt: Date | null }
  /** Where the reader says that they are not who was meant; null once they have had a contract. */
  refusalUrl: string | null
}

/** The words of an e-mail as they are stored. */
export interface MailContent {
  subject: string
  parts: readonly StoredPart[]
  /** The last day on which it is of use; by default it is always. */
  until?: IsoDate
  /** The address that it goes to. By default the one that the customer has when it is sent. */
  to?: string
  /** The name that it greets, of a customer who was erased before it was sent. By default the one they have then. */
  name?: string
}

/** How e-mails look. */
export interface MailLook {
  /** The trading name of the operator, which stands above everything. */
  traderName: string
  /** The operator's colour, as `#rrggbb`, on which white can be read; by default ours. */
  colour?: string | undefined
}

/** The parts of an e-mail as it is sent. */
export function fillIn(parts: readonly StoredPart[], filled: FilledIn): MailPart[] {
  const { name, left, pages, refusalUrl } = filled
  return parts.flatMap((part): MailPart[] => {
    if (typeof part === 'string') return [part]
    if ('greeting' in part) return [`${part.greeting} ${name},`]
    if ('whatIsLeft' in part) return [`What is left is ${listInWords([...left, part.whatIsLeft])}.`]
    if ('unlessCustomer' in part) return refusalUrl === null ? [] : fillIn(part.unlessCustomer, filled)
    if ('untilLinkEnds' in part) {
      const until = pages.expiresAt === null ? '' : `The link works until ${momentInWords(pages.expiresAt)}. `
      const text = `${until}${part.untilLinkEnds}`.trim()
      return text === '' ? [] : [text]
    }
    if (!('opens' in part)) return [part]
    return 'button' in part
      ? [{ button: part.button, url: pages.url }]
      : [{ link: part.link, url: refusalUrl ?? pages.url }]
  })
}

const ownColour = '#0b5c4b'

/** An e-mail as it is sent. Pure: the same words in the same look give the same bytes. */
export function renderMail(
  content: { subject: string; parts: readonly MailPart[] },
  look: MailLook,
): { subject: string; text: string; html: string } {
  return {
    subject: content.subject,
    text: content.parts.map((part) => `${asText(part)}\n`).join('\n'),
    html: layout(content, look),
  }
}

function asText(part: MailPart): string {
  if (typeof part === 'string') return part
  if ('heading' in part) return part.heading.toUpperCase()
  if ('rows' in part) return part.rows.map(([name, value]) => `${name}: ${value}`).join('\n')
  if ('list' in part) return part.list.map((item) => `- ${item}`).join('\n')
  if ('code' in part) return part.code
  return `${'button' in part ? part.button : part.link}:\n${part.url}`
}

/*
 * Mail programs ignore style sheets and much of CSS, so every element has its styles, and tables make the column. No
 * picture, font or script is loaded: what is loaded tells its sender that and where an e-mail was read.
 */
const font = 'font-family:Arial,Helvetica,sans-serif;'
const textStyle = `margin:0 0 20px;${font}font-size:16px;line-height:1.5;color:#1d2021;`
const styles = {
  page: 'margin:0;padding:0;background-color:#f3f4f4;',
  outer: 'width:100%;background-color:#f3f4f4;border-collapse:collapse;',
  around: 'padding:16px 12px 32px;',
  column: 'width:100%;max-width:600px;border-collapse:collapse;background-color:#ffffff;',
  trader: `padding:20px 24px;${font}font-size:18px;font-weight:bold;color:#ffffff;`,
  body: 'padding:28px 24px 12px;',
  title: `margin:0 0 20px;${font}font-size:24px;line-height:1.25;font-weight:bold;color:#1d2021;`,
  text: textStyle,
  heading: `margin:28px 0 12px;${font}font-size:18px;line-height:1.3;font-weight:bold;color:#1d2021;`,
  rows: 'width:100%;margin:0 0 20px;border-collapse:collapse;',
  name: `padding:8px 12px 8px 0;border-bottom:1px solid #c9cdcf;${font}font-size:16px;line-height:1.4;font-weight:bold;text-align:left;vertical-align:top;color:#1d2021;`,
  value: `padding:8px 0;border-bottom:1px solid #c9cdcf;${font}font-size:16px;line-height:1.4;text-align:left;vertical-align:top;color:#1d2021;`,
  list: `margin:0 0 20px;padding:0 0 0 24px;${font}font-size:16px;line-height:1.5;color:#1d2021;`,
  item: 'margin:0 0 8px;',
  code: `margin:0 0 20px;${font}font-size:32px;line-height:1.2;font-weight:bold;letter-spacing:4px;color:#1d2021;`,
  buttonBox: 'padding:14px 22px;border-radius:4px;',
  button: `${font}font-size:18px;line-height:1.2;font-weight:bold;color:#ffffff;text-decoration:none;`,
  link: 'text-decoration:underline;',
} as const

function layout(
  { subject, parts }: Parameters<typeof renderMail>[0],
  { traderName, colour = ownColour }: MailLook,
): string {
  const body = html`<table role="presentation" cellpadding="0" cellspacing="0" style="${styles.outer}"><tr><td align="center" style="${styles.around}">
<table role="presentation" cellpadding="0" cellspacing="0" style="${styles.column}">
<tr><td style="${styles.trader}background-color:${colour};">${traderName}</td></tr>
<tr><td style="${styles.body}">
<h1 style="${styles.title}">${subject}</h1>
${parts.map((part) => asHtml(part, colour))}</td></tr>
</table>
</td></tr></table>`
  return htmlDocument({
    title: subject,
    head: html`<meta name="color-scheme" content="light">`,
    body,
    bodyAttributes: html` style="${styles.page}"`,
  }).markup
}

function asHtml(part: MailPart, colour: string): Html {
  if (typeof part === 'string') return html`<p style="${styles.text}">${inLines(part)}</p>\n`
  if ('heading' in part) return html`<h2 style="${styles.heading}">${part.heading}</h2>\n`
  if ('rows' in part)
    return html`<table cellpadding="0" cellspacing="0" style="${styles.rows}">
${part.rows.map(([name, value]) => html`<tr><th scope="row" style="${styles.name}">${name}</th><td style="${styles.value}">${value}</td></tr>\n`)}</table>\n`
  if ('list' in part)
    return html`<ul style="${styles.list}">${part.list.map((item) => html`<li style="${styles.item}">${item}</li>`)}</ul>\n`
  if ('code' in part) return html`<p style="${styles.code}">${part.code}</p>\n`
  if ('button' in part)
    return html`<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 24px;"><tr><td style="${styles.buttonBox}background-color:${colour};"><a href="${part.url}" style="${styles.button}">${part.button}</a></td></tr></table>\n`
  return html`<p style="${styles.text}"><a href="${part.url}" style="${styles.link}color:${colour};">${part.link}</a></p>\n`
}

function inLines(text: string): Html[] {
  return text.split('\n').map((line, index) => html`${index === 0 ? null : raw('<br>')}${line}`)
}

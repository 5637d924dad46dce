import { parse } from 'csv-parse/sync'
import { addDays, type IsoDate, isIsoDate, isoDate } from '../../platform/kernel/dates.ts'
import { comparableEmail, hasUnusualDomain, isPlausibleEmail } from '../../platform/kernel/email.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { isPossiblePhone } from '../../platform/kernel/phone.ts'
import { isPersonName } from '../../platform/kernel/plain-text.ts'

/*
 * Reads a list of tenancies as a letting agent's program or spreadsheet has it. Nothing is guessed: what can be read in
 * two ways is a problem, with its reason in words.
 */

/** What a column of a list can hold, and what agents call it. */
export const columnKinds = {
  address: 'Address',
  postcode: 'Postcode',
  name: 'Tenant’s name',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail address',
  phone: 'Phone',
  start: 'First day',
  end: 'Last day',
  reference: 'Reference',
  branch: 'Branch',
  soldBy: 'Negotiator',
  permission: 'May pass details on',
  bills: 'Bills in the rent',
  guarantor: 'Guarantor’s e-mail address',
  other: 'Not used',
} as const
export type ColumnKind = keyof typeof columnKinds

/** A list as it was written: the same number of cells in each row, and what each column is taken for. */
export interface WrittenList {
  /** Empty texts without headings. */
  headings: string[]
  columns: ColumnKind[]
  rows: string[][]
}

/** What is wrong with a row, beside a cell; of the whole row if `column` is null. */
export interface CellProblem {
  column: number | null
  text: string
  /** Whether the row is only held back: nothing in it is wrong. */
  isHeld?: true
}

/** What a row says. */
export interface ReadRow {
  address: string
  postcode: string
  start: IsoDate | null
  end: IsoDate | null
  /** The lead tenant first. */
  tenants: { name: string; email: string; phone: string }[]
  reference: string
  branch: string
  soldBy: string
  /** Whether the tenants allowed that their details are passed on; null if the row does not say. */
  mayPassOn: boolean | null
  problems: CellProblem[]
}

/** What headings say of their columns, the first that fits. */
const headingKinds: readonly (readonly [RegExp, ColumnKind])[] = [
  [/guarantor.*mail/, 'guarantor'],
  [
    /guarantor|landlord|(branch|agent|negotiator|office).*(mail|phone)|title|salutation|rent (amount|pcm)|deposit/,
    'other',
  ],
  [/bills/, 'bills'],
  [/pass|permission|consent|gdpr|opt.?in/, 'permission'],
  [/mail/, 'email'],
  [/phone|mobile|^tel|telephone|whatsapp/, 'phone'],
  [/post ?code|^pc$/, 'postcode'],
  [/address|street|^town|^city|^county|property|house|flat/, 'address'],
  [/(end|expir|last|finish|vacat|move.?out|to$)(?!.*name)/, 'end'],
  [/start|first day|move.?in|commenc|begin|tenancy date|^from|^date/, 'start'],
  [/first ?name|forename|given/, 'firstName'],
  [/last ?name|surname|family/, 'lastName'],
  [/branch|office/, 'branch'],
  [/negotiator|agent|sold by|lister|manager/, 'soldBy'],
  [/^(ref|reference|id|tenancy (id|ref))|(ref|id)$/, 'reference'],
  [/name|tenant|occupier/, 'name'],
]

/** Reads what was pasted or is in a file: with tabs, semicolons, commas or bars between the cells. */
export function readList(text: string): WrittenList {
  const records = splitRecords(text)
  const width = Math.max(0, ...records.map((cells) => cells.length))
  const all = records.map((cells) => [...cells, ...Array<string>(width - cells.length).fill('')])
  const [first = []] = all
  const hasHeadings = !first.some((cell) => cell.includes('@')) && first.filter(kindOfHeading).length >= 2
  const body = hasHeadings ? all.slice(1) : all
  const headings = hasHeadings ? first : first.map(() => '')
  const columns = guessColumns(hasHeadings ? first : [], body, width)
  return { headings, columns, rows: joinTenantLines(columns, body) }
}

function kindOfHeading(heading: string): ColumnKind | undefined {
  const plain = heading.toLowerCase().replaceAll(/[_.\s-]+/g, ' ')
  return headingKinds.find(([form]) => form.test(plain.trim()))?.[1]
}

function splitRecords(text: string): string[][] {
  const options = { relax_column_count: true, relax_quotes: true, skip_empty_lines: true, trim: true, bom: true }
  const readWith = (delimiter: string): string[][] => {
    try {
      return parse(text, { ...options, delimiter })
    } catch {
      // A quotation mark that is never closed is a sign like any other.
      return parse(text, { ...options, delimiter, quote: null })
    }
  }
  const read = ['\t', ';', '|', ','].map((delimiter) => readWith(delimiter).filter((cells) => cells.some(Boolean)))
  // Commas also stand inside addresses: whichever most lines agree on, the rarer sign first.
  const [best = []] = read.sort((one, other) => agreement(other) - agreement(one))
  return best
}

/** How many lines have the commonest number of cells, if that is more than one. */
function agreement(records: readonly (readonly string[])[]): number {
  const counts = Map.groupBy(records, ({ length }) => length)
  const widest = [...counts].filter(([cells]) => cells > 1).map(([, lines]) => lines.length)
  return Math.max(0, ...widest) / Math.max(1, records.length)
}

/** What most cells of a column look like, if its heading says nothing. */
const contentKinds: readonly (readonly [kind: ColumnKind, fits: (cell: string) => boolean])[] = [
  ['email', (cell) => cell.includes('@')],
  ['postcode', (cell) => postcodeOnly.test(cell)],
  ['phone', (cell) => isPossiblePhone(cell) && cell.length >= 9],
  ['start', (cell) => readDate(cell) !== undefined],
  ['address', (cell) => /\d/.test(cell) && /\p{L}{3}/u.test(cell)],
  ['name', (cell) => /^\p{L}+[\p{L}' .*&-]* [\p{L}'*-]+$/u.test(cell)],
]

/** By heading; a column without one, or with one that says nothing, by most of its cells. */
function guessColumns(headings: readonly string[], rows: readonly string[][], width: number): ColumnKind[] {
  const kinds: ColumnKind[] = []
  for (let column = 0; column < width; column += 1) {
    const heading = headings[column] ?? ''
    const cells = rows.map((row) => row[column] ?? '').filter(Boolean)
    const looks = contentKinds.find(([, fits]) => cells.filter(fits).length > cells.length / 2)?.[0] ?? 'other'
    const isNew = !kinds.includes(looks) || looks === 'email' || looks === 'phone'
    const guessed = isNew ? looks : looks === 'start' ? 'end' : 'other'
    kinds.push(kindOfHeading(heading) ?? (looks === 'name' && heading !== '' ? 'other' : guessed))
  }
  return kinds
}

const postcodeOnly = /^[a-z]{1,2}\d[a-z\d]? ?\d[a-z]{2}$/i

/** Columns of which each tenant has one. */
const ofTenant: readonly ColumnKind[] = ['name', 'firstName', 'lastName', 'email', 'phone', 'permission']

/** Lines of one tenant each become one row of the tenancy, if all else in them is the same. */
function joinTenantLines(columns: readonly ColumnKind[], rows: readonly string[][]): string[][] {
  const joined: string[][] = []
  const isOwn = columns.map((kind) => ofTenant.includes(kind))
  for (const row of rows) {
    const before = joined.at(-1)
    const isSame = before?.every((cell, column) => isOwn[column] || cell === row[column])
    const names = isOwn.some(
      (own, column) => own && columns[column] !== 'permission' && before?.[column] !== row[column],
    )
    const hasAddress = columns.some((kind, column) => kind === 'address' && row[column] !== '')
    if (before !== undefined && isSame && names && hasAddress)
      joined[joined.length - 1] = before.map((cell, column) => (isOwn[column] ? `${cell}\n${row[column]}` : cell))
    else joined.push([...row])
  }
  return joined
}

const months = 'january february march april may june july august september october november december'.split(' ')

/**
 * A day as people in Britain write it, the day before the month; undefined for what is none or has no year. Numbers are
 * days as spreadsheets count them.
 */
export function readDate(text: string): IsoDate | undefined {
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/[t ]\d\d?:\d\d.*$/, '')
  if (/^\d{5}$/.test(plain) && plain >= '36526' && plain <= '73050')
    return addDays(isoDate('1970-01-01'), Number(plain) - 25_569)
  const figures = plain
    .replace(/^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+/, '')
    .replace(/^(\d+)(st|nd|rd|th)\b/, '$1')
    .replace(/(?:of )?\b(?:sept\b|[a-z]{3,9})/, (name) => {
      const short = name.replace('of ', '').replace(/^sept$/, 'sep')
      return String(months.findIndex((each) => each.startsWith(short)) + 1 || name)
    })
  const british = /^(\d{1,2})[-/., ]+(\d{1,2})[-/., ]+(\d{4}|\d{2})$/.exec(figures)
  const iso = /^(\d{4})[-/., ]+(\d{1,2})[-/., ]+(\d{1,2})$/.exec(figures)
  const [day = '', month = '', year = ''] = british?.slice(1) ?? iso?.slice(1).toReversed() ?? []
  const date = `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isIsoDate(date) ? date : undefined
}

/** What a row is read with. */
export interface ListContext {
  today: IsoDate
  /** The domain of the reader's own e-mail address, if it is the agency's. */
  ownDomain: string | undefined
}

const notYet = /^(tbc|tba|tbd|unknown|asap|n\/?a|none|pending|[?.-]*)$/i
const billsIncluded = /bills?\s*(are\s*)?inc|inc(l|luding|ludes|lusive)?\.?\s*(of\s*)?(all\s*)?bills/i
const yes = /^(y|yes|true|1|x|✓|ok|agreed)$/i

/** Reads a row: what it says, and everything in it that has to be looked at. */
export function readRow(columns: readonly ColumnKind[], cells: readonly string[], context: ListContext): ReadRow {
  const problems: CellProblem[] = []
  const where = (kind: ColumnKind) => columns.flatMap((each, column) => (each === kind ? [column] : []))
  const textOf = (kind: ColumnKind, between = ', ') =>
    where(kind)
      .map((column) => cells[column] ?? '')
      .filter(Boolean)
      .join(between)
  const place = (kind: ColumnKind) => where(kind)[0] ?? null
  const address = textOf('address')
  if (address === '') problems.push({ column: place('address'), text: 'There is no address.' })
  for (const [column, cell] of cells.entries())
    if ((columns[column] === 'bills' && yes.test(cell)) || (billsIncluded.test(cell) && !/exc|not inc/i.test(cell)))
      problems.push({ column, text: 'The rent includes the bills, so they must not be sold.' })
  const { start, end } = readDays(textOf('start', ' '), textOf('end', ' '), context.today, (kind, text, isHeld) =>
    problems.push({ column: place(kind), text, ...(isHeld && { isHeld: true }) }),
  )
  const tenants = readTenants(columns, cells, context, problems)
  const said = textOf('permission', '\n').split('\n').filter(Boolean)
  const mayPassOn = said.length === 0 ? null : said.every((each) => yes.test(each.trim()))
  const [reference, branch, soldBy] = [textOf('reference', ' '), textOf('branch'), textOf('soldBy')]
  return {
    address,
    postcode: textOf('postcode', ' '),
    start,
    end,
    tenants,
    reference,
    branch,
    soldBy,
    mayPassOn,
    problems,
  }
}

function readDays(
  from: string,
  to: string,
  today: IsoDate,
  report: (kind: 'start' | 'end', text: string, isHeld?: boolean) => void,
): { start: IsoDate | null; end: IsoDate | null } {
  const [start, end] = [readDate(from) ?? null, readDate(to) ?? null]
  if (end === null && !notYet.test(to))
    report('end', 'This is not a day that exists. Write it as 27/3/2027, or leave it empty.')
  if (end !== null && end < today)
    report('end', `The tenancy ended on ${dayInWords(end)}: these are last year’s tenants.`)
  else if (notYet.test(from)) report('start', 'No first day is known yet. The row waits until you give it.', true)
  else if (start === null)
    report('start', 'This is not a day that exists. Write day, month and year, such as 27/3/2027.')
  else if (start <= today)
    report(
      'start',
      `The tenancy began on ${dayInWords(start)}. If the tenants still want bills, give a first day from tomorrow on.`,
    )
  else if (end !== null && end <= start) report('end', 'The last day comes before the first.')
  return { start, end }
}

/** Where one tenant ends and the next begins, in a cell for several. */
const between = /\s*(?:\n|;|\/|\+|&|,|\s+and\s+)\s*/i
const titles = /^(mr|mrs|ms|miss|mx|dr|prof)\b\.?\s*/i

function readTenants(
  columns: readonly ColumnKind[],
  cells: readonly string[],
  context: ListContext,
  problems: CellProblem[],
): ReadRow['tenants'] {
  const inKind = (kind: ColumnKind) =>
    columns.flatMap((each, column) => (each === kind ? [{ column, text: cells[column] ?? '' }] : []))
  const named = inKind('name')
  const [firsts, lasts] = [inKind('firstName'), inKind('lastName')]
  const names =
    named.length > 0
      ? named
      : firsts.map(({ column, text }, index) => ({ column, text: withLast(text, lasts[index]?.text ?? '') }))
  const [emails, phones] = [inKind('email'), inKind('phone')]
  // A column for each tenant, or all of them in one.
  const isPaired = names.length > 1 && emails.length === names.length
  const groups = isPaired
    ? names.map((name, index) => ({
        name,
        email: emails[index],
        phone: phones.length === names.length ? phones[index] : undefined,
      }))
    : byLine(joined(names), joined(emails), joined(phones))
  const found = groups.flatMap(({ name, email, phone }) => pairUp(name, email, phone, problems))
  const nameless = names[0]?.column ?? null
  if (found.length === 0 && !problems.some(({ column }) => column === nameless))
    problems.push({ column: nameless, text: 'There is no tenant’s name.' })
  const guarantors = inKind('guarantor').flatMap(({ text }) => text.split(between).map(comparableEmail))
  for (const { email, at } of found) {
    const text = wrongAddress(email, guarantors, context)
    if (email !== '' && text !== undefined) problems.push({ column: at, text })
  }
  const byEmail = Map.groupBy(
    found.filter(({ email }) => email !== ''),
    ({ email }) => comparableEmail(email),
  )
  for (const [one, other] of byEmail.values())
    if (one !== undefined && other !== undefined)
      problems.push({
        column: one.at,
        text: `${one.name} and ${other.name} have one e-mail address. Each signs alone: give each their own, or leave one empty.`,
      })
  const swapped = found.find(({ name, email }) => !isOwn(name, email) && found.some((each) => isOwn(each.name, email)))
  if (swapped !== undefined && !problems.some(({ column }) => column === swapped.at))
    problems.push({ column: swapped.at, text: 'The addresses seem to be in another order than the names.' })
  return found
    .sort((one, other) => Number(other.isLead) - Number(one.isLead))
    .map(({ name, email, phone }) => ({ name, email, phone }))
}

interface Cell {
  column: number
  text: string
}

const joined = (all: readonly Cell[]): Cell | undefined =>
  all[0] && { ...all[0], text: all.flatMap(({ text }) => (all.length > 1 && text === '' ? [] : [text])).join('\n') }

/** Line by line, if names and addresses have as many lines: then somebody without an address is no puzzle. */
function byLine(name: Cell | undefined, email: Cell | undefined, phone: Cell | undefined) {
  const [lines = [], addresses = [], numbers = []] = [name, email, phone].map((cell) => cell?.text.split('\n'))
  if (lines.length < 2 || addresses.length !== lines.length) return [{ name, email, phone }]
  const lineOf = (cell: Cell | undefined, text: string | undefined) => cell && { ...cell, text: text ?? '' }
  return lines.map((text, index) => ({
    name: lineOf(name, text),
    email: lineOf(email, addresses[index]),
    phone: lineOf(phone, numbers.length === lines.length ? numbers[index] : ''),
  }))
}

/** Whether a name is part of an address. */
function isOwn(name: string, email: string): boolean {
  const [mailbox = ''] = comparableEmail(email).split('@')
  return name
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .some((part) => part.length > 2 && mailbox.includes(part))
}

/** The first and last names of a cell for several tenants each. */
function withLast(first: string, last: string): string {
  const lasts = last.split('\n')
  return first
    .split('\n')
    .map((each, index) => `${each} ${lasts[index] ?? ''}`.trim())
    .join('\n')
}

interface FoundTenant {
  name: string
  email: string
  phone: string
  isLead: boolean
  /** The column of the e-mail address. */
  at: number | null
}

/** The tenants of a cell with names and one with addresses, if it is certain whose is which. */
function pairUp(
  name: Cell | undefined,
  email: Cell | undefined,
  phone: Cell | undefined,
  problems: CellProblem[],
): FoundTenant[] {
  if (name === undefined || name.text === '') {
    if (email !== undefined && email.text !== '')
      problems.push({ column: name?.column ?? email.column, text: 'Whose address is this? Give the name.' })
    return []
  }
  // Names may bring their addresses, as pasted from an e-mail.
  const brought = name.text.match(/[^\s<>,;]+@[^\s<>,;]+/g) ?? []
  const writtenNames = namesIn(name.text.replaceAll(/<?[^\s<>,;]+@[^\s<>,;]+>?/g, '\n'))
  const written = (email?.text ?? '').split(/[\s;,/&<>]+/).filter((each) => each !== '' && !/^and$/i.test(each))
  const addresses = written.length > 0 ? written : brought
  const at = email?.column ?? name.column
  const phones = (phone?.text ?? '').split(/\s*[\n;/,&]\s*/).filter(Boolean)
  const bad = writtenNames.find((each) => !isPersonName(each.name))
  if (bad !== undefined || writtenNames.some((each) => /guarantor|landlord/i.test(each.name)))
    problems.push({
      column: name.column,
      text:
        bad === undefined
          ? 'Only tenants belong here. Leave out guarantors and landlords.'
          : 'Give the first and the last name of each person.',
    })
  const wrong = addresses.filter((each) => !isPlausibleEmail(each))
  if (wrong.length > 0)
    problems.push({
      column: at,
      text: 'This is not an e-mail address. Correct it, or leave it empty to hand over the link yourself.',
    })
  else if (addresses.length > 0 && addresses.length < writtenNames.length)
    problems.push({
      column: at,
      text: `There are more people than e-mail addresses. Give each their own, or leave all empty.`,
    })
  else if (addresses.length > writtenNames.length)
    problems.push({ column: at, text: 'There are more e-mail addresses than people. Give each person one.' })
  const hasPhones = phones.length === writtenNames.length && phones.every(isPossiblePhone)
  return writtenNames.map((each, index) => ({
    ...each,
    at,
    email: addresses[index] ?? '',
    phone: hasPhones ? (phones[index] ?? '') : '',
  }))
}

function namesIn(text: string): { name: string; isLead: boolean }[] {
  // A last name that comes first, as programs write it.
  const turned = /^[\p{L}'-]+,\s*[\p{L}'-]+$/u.test(text.trim()) ? text.split(',').reverse().join(' ') : text
  return turned
    .split(between)
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => ({
      name: part
        .replaceAll(/\*|\(lead[^)]*\)/gi, '')
        .trim()
        .replace(titles, '')
        .replaceAll(/\s+/g, ' '),
      isLead: /\*|\(lead/i.test(part),
    }))
}

const publicMailboxes =
  /^(gmail|googlemail|hotmail|outlook|live|msn|yahoo|icloud|aol|btinternet|sky|virginmedia|talktalk|me|mac|mail|proton|gmx)\.|\.ac\.uk$/

/** The domain of an agency, of its people's addresses; undefined for a mailbox that anybody can have. */
export function ownDomainOf(email: string): string | undefined {
  const domain = comparableEmail(email.slice(email.lastIndexOf('@') + 1))
  return publicMailboxes.test(domain) ? undefined : domain
}

function wrongAddress(email: string, guarantors: readonly string[], { ownDomain }: ListContext): string | undefined {
  const compared = comparableEmail(email)
  if (guarantors.includes(compared)) return 'This is the guarantor’s address. Give the tenant’s own.'
  if (ownDomain !== undefined && compared.endsWith(`@${ownDomain}`))
    return 'This is an address of your own agency. Give the tenant’s own.'
  return hasUnusualDomain(email) ? 'The part after the @ looks misspelt. Correct it.' : undefined
}

/** What is wrong with rows because of others of their list, by their index. */
export function problemsAmong(rows: readonly ReadRow[], columns: readonly ColumnKind[]): Map<number, CellProblem[]> {
  const found = new Map<number, CellProblem[]>()
  const add = (index: number, problem: CellProblem) => found.set(index, [...(found.get(index) ?? []), problem])
  const place = (kind: ColumnKind) => (columns.includes(kind) ? columns.indexOf(kind) : null)
  const firstWith = new Map<string, number>()
  const usedBy = new Map<string, number>()
  for (const [index, { address, postcode, start, tenants }] of rows.entries()) {
    const home = `${address} ${postcode} ${start}`.toLowerCase().replaceAll(/[^a-z\d]+/g, ' ')
    const earlier = address === '' ? undefined : firstWith.get(home)
    if (earlier !== undefined) {
      const text = `Row ${earlier + 1} is the same home from the same day. Leave one of them out.`
      add(index, { column: place('address'), text })
      continue
    }
    firstWith.set(home, index)
    for (const email of tenants.map((tenant) => comparableEmail(tenant.email)).filter(Boolean)) {
      const other = usedBy.get(email)
      const which = `Rows ${(other ?? 0) + 1} and ${index + 1} have one e-mail address.`
      const text = `${which} Is it the branch’s or a guarantor’s? Give the tenant’s own.`
      if (other !== undefined && other !== index)
        for (const each of [index, other]) add(each, { column: place('email'), text })
      usedBy.set(email, index)
    }
  }
  return found
}

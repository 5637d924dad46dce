import { createHash } from 'node:crypto'
import type { Static } from 'typebox'
import {
  cancelImportRoute,
  createImportRoute,
  getImportRoute,
  listImportsRoute,
  mostRows,
  updateImportRoute,
} from '../../onboarding/imports/imports.route.ts'
import { choiceField, dateField, longTextField, selectField, textField } from '../../pages/fields.ts'
import { Form, FormRejected, formOf, hiddenFields, keyField } from '../../pages/form.ts'
import type { Shown } from '../../pages/frame.ts'
import { type HtmlValue, html } from '../../pages/html.ts'
import { type Column, confirmPage, copyable, dataTable, reloadLink } from '../../pages/lists.ts'
import type { NoticeWords } from '../../pages/notices.ts'
import type { GoTo, SentFile } from '../../pages/page-set.ts'
import { byteOrderMark, csvLine } from '../../platform/kernel/csv-line.ts'
import { momentInWords } from '../../platform/kernel/in-words.ts'
import { serviceNames } from '../../quoting/packages/services.ts'
import type { AgencyPage, AgencyVisit } from './agency-visit.ts'
import { bodyOf, check, dayWritten, type JudgedRow, judge, type ListDraft, mayWriteTo } from './list-draft.ts'
import { type ColumnKind, columnKinds, readList } from './written-list.ts'

type Import = Static<(typeof getImportRoute)['reply']>

/** A choice of how tenants agreed, how, and when. */
const permissionFields = (form: Form) => html`${choiceField(form, {
  name: 'from',
  label: 'Did the tenants agree that you pass on their details, and that we write to them?',
  type: 'radio',
  options: [
    { value: 'all', label: 'All of them, but where the list says no' },
    { value: 'column', label: 'Those whose row says yes' },
    { value: 'nobody', label: 'No, or I do not know', hint: 'We e-mail nobody. You get links to hand over.' },
  ],
})}
${textField(form, { name: 'how', label: 'How they agreed', hint: 'Such as "application form". It is kept as evidence.' })}
${dateField(form, { name: 'agreedOn', label: 'On which day they agreed', hint: 'The latest day, if there were several.' })}`

function permissionIn(form: Form): ListDraft['permission'] {
  const from = (['all', 'column', 'nobody'] as const).find((each) => each === form.text('from'))
  if (from === undefined) throw rejected('from', 'Say whether they agreed')
  const [how, day] = [form.text('how'), form.date('agreedOn')]
  if (from === 'nobody') return { from, how: '', day: '' }
  if (how === '') throw rejected('how', 'Say how they agreed')
  if (day === null || day === 'wrong') throw rejected('agreedOn', 'Enter the day, such as 27 3 2026')
  return { from, how, day }
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`
const rejected = (field: string, text: string) => new FormRejected([{ field, text }])
const pathOf = ({ path, parameters }: AgencyVisit, page = '') => path(`sell-list/${parameters.importId}${page}`)

const listStates: Readonly<Record<Import['state'], string>> = {
  draft: 'Not sent',
  running: 'Is being sent',
  paused: 'Stopped: it asks you',
  finished: 'Sent',
}
const listHint =
  'Copy the rows with their headings from your spreadsheet, or choose a CSV file: names, e-mail addresses, the address, the first day, and what else you have.'
const servicesHint = 'A home without gas is offered the rest. Sell broadband by hand.'

/** Takes a list that was pasted or is in a file. */
export const sellListPage: AgencyPage = {
  name: 'sell-list',
  may: 'customers:onboard',
  menu: 'Sell a list',
  takesFiles: 'as spreadsheets save them',
  async show({ session, call, path }, form) {
    const services = serviceNames().filter((service) => service !== 'broadband')
    const shown =
      form.entered().length > 0 ? form : new Form(new URLSearchParams(services.map((each) => ['services', each])))
    const { data } = await call(listImportsRoute, { query: { limit: 10 } })
    const options = services.map((value) => ({ value, label: inWords(value) }))
    const fields = html`${keyField(shown)}
${longTextField(shown, { name: 'list', label: 'The list', hint: listHint })}
${choiceField(shown, { name: 'services', label: 'What you sell', type: 'checkbox', options, hint: servicesHint })}
${permissionFields(shown)}`
    const body = html`<h1>Sell a list</h1><p>Up to ${mostRows} tenancies at once. Nobody is written to before you have seen what will be sent.</p>
${formOf(session.formToken, fields, 'Check the list', { takesFiles: true })}
${dataTable(
  {
    caption: 'Your last lists',
    columns: [
      {
        heading: 'From',
        cell: ({ importId, createdAt }) =>
          html`<a href="${path(`sell-list/${importId}`)}">${momentInWords(new Date(createdAt))}</a>`,
      },
      { heading: 'State', cell: ({ state }) => listStates[state] },
    ],
  },
  data.filter(({ kind }) => kind === 'start'),
)}`
    return { title: 'Sell a list', body }
  },
  async submit(visit, form) {
    const list = readList(form.chosen('list')[0] ?? '')
    if (list.rows.length === 0) throw rejected('list', 'There are no rows. Paste the list, or choose its file')
    if (list.rows.length > mostRows) throw rejected('list', `There are more than ${mostRows} rows. Split the list`)
    if (list.columns.length > 60) throw rejected('list', 'There are more than 60 columns. Copy only those that matter')
    const services = serviceNames().filter((service) => form.chosen('services').includes(service))
    if (services.length === 0) throw rejected('services', 'Choose at least one')
    const rows = list.rows.map((cells) => ({ cells }))
    const draft = await check(
      { madeBy: 'sell-list', ...list, rows, services, permission: permissionIn(form), sent: [] },
      visit,
    )
    const body = { kind: 'start', draft: textOf(draft) } as const
    const { importId } = await visit.call(createImportRoute, { body, key: form.text('key') })
    return visit.path(`sell-list/${importId}`)
  },
}

function textOf(draft: ListDraft): string {
  const text = JSON.stringify(draft)
  if (text.length > 1_000_000)
    throw rejected('list', 'The list is too long. Split it, or copy only the columns that matter')
  return text
}

const inWords = (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`

/** The draft of an import; undefined if it was cancelled, or a program's own. */
function draftOf({ draft }: Import): ListDraft | undefined {
  try {
    const read = JSON.parse(draft ?? '') as ListDraft | null
    return read?.madeBy === 'sell-list' ? read : undefined
  } catch {
    return undefined
  }
}

const versionOf = ({ draft }: Import) =>
  createHash('sha256')
    .update(draft ?? '')
    .digest('base64url')

/** The import with all its rows. */
async function readAll({ call, parameters: { importId: id } }: AgencyVisit): Promise<Import> {
  const first = await call(getImportRoute, { id, query: { limit: 100 } })
  const data = [...first.data]
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const next = await call(getImportRoute, { id, query: { limit: 100, cursor } })
    data.push(...next.data)
    cursor = next.nextCursor
  }
  return { ...first, data }
}

/** A list on its way: what is known of each row, where it can be corrected, and then what came of it. */
export const listPage: AgencyPage = {
  name: 'list',
  path: 'sell-list/:importId',
  may: 'customers:onboard',
  takesFiles: 'as spreadsheets save them',
  async show(visit, form) {
    const found = await readAll(visit)
    const draft = draftOf(found)
    if (draft !== undefined && found.state === 'draft') return showCheck(visit, form, found, draft)
    if (found.state === 'draft') return noList(visit)
    if (visit.query.get('format') === 'csv') return whatIsLeft(visit, found, draft)
    return showResults(visit, found, draft)
  },
  async submit(visit, form) {
    const { call, parameters } = visit
    const id = parameters.importId
    switch (form.text('do')) {
      case 'cancel':
        await call(cancelImportRoute, { id })
        return { goTo: pathOf(visit), notice: 'list_cancelled' }
      case 'goOn':
        await call(updateImportRoute, { id, body: { goOn: true } })
        return pathOf(visit)
      default: {
        const [found, draft] = await requireDraft(visit, form)
        const permission = permissionIn(form)
        const checked = await check({ ...changed(draft, form), permission }, visit)
        if (versionOf(found) !== versionOf(await call(getImportRoute, { id })))
          return { goTo: pathOf(visit), notice: 'list_changed' }
        await call(updateImportRoute, { id, body: { draft: textOf(checked) } })
        return pathOf(visit, form.text('do') === 'send' ? '/send' : '')
      }
    }
  },
}

const noList = ({ path }: AgencyVisit): Shown => {
  const title = 'There is no list here'
  return {
    title,
    back: path('sell-list'),
    body: html`<h1>${title}</h1><p>It was thrown away, or a program of yours keeps something else here.</p>`,
  }
}

/** The draft that a form was made from. Throws `FormRejected` if somebody changed it meanwhile. */
async function requireDraft(
  { call, parameters: { importId: id } }: AgencyVisit,
  form: Form,
): Promise<[Import, ListDraft]> {
  const found = await call(getImportRoute, { id })
  const draft = draftOf(found)
  if (draft === undefined || found.state !== 'draft' || form.text('version') !== versionOf(found))
    throw rejected('rows', noticeTexts.list_changed)
  return [found, draft]
}

/** The draft with what was entered. A row that changes is matched and tried again. */
function changed(draft: ListDraft, form: Form): ListDraft {
  const columns = draft.columns.map((kind, index) => {
    const given = form.text(`column-${index}`, kind)
    return given in columnKinds ? (given as ColumnKind) : kind
  })
  const rows = draft.rows.map((row, index) => {
    const cells = row.cells.map((cell, column) => form.text(`cell-${index}-${column}`, cell).slice(0, 2_000))
    const { isOut: _, chosen: before, ...rest } = row
    const chosen = form.text(`home-${index}`, before)
    return {
      ...rest,
      cells,
      ...(chosen !== '' && { chosen }),
      ...(form.chosen('out').includes(String(index)) && { isOut: true }),
    }
  })
  return { ...draft, columns, rows }
}

const stateWords: Readonly<Record<JudgedRow['state'], string>> = {
  red: 'Correct this',
  choose: 'Choose the home',
  held: 'Held back',
  ready: 'Ready',
  there: 'Sent before',
  out: 'Left out',
}
const order = Object.keys(stateWords)

function showCheck(visit: AgencyVisit, form: Form, found: Import, draft: ListDraft): Shown {
  const rows = judge(draft, visit).sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
  const ready = rows.filter(({ state }) => state === 'ready')
  const { from, how, day } = draft.permission
  const [year = '', month = '', date = ''] = day.split('-')
  const stored = { from, how, 'agreedOn-day': date, 'agreedOn-month': month, 'agreedOn-year': year }
  const shown = form.entered().length > 0 ? form : new Form(new URLSearchParams(stored))
  const counts = order.flatMap((state) => {
    const some = rows.filter((row) => row.state === state).length
    return some === 0 ? [] : [html`<li>${stateWords[state as JudgedRow['state']]}: ${some}</li>`]
  })
  const fields = html`${hiddenFields([['version', versionOf(found)]])}
${ready.length > 0 && html`<p><button type="submit" name="do" value="send">Send ${count(ready.length, 'invitation')}</button> You see first what will be sent.</p>`}
<div id="rows">${dataTable<JudgedRow>({ caption: 'The rows', columns: tableOf(visit, draft, form) }, rows)}</div>
<details><summary>What the columns are</summary>${draft.columns.map((kind, column) =>
    selectField(shown, {
      ...{ name: `column-${column}`, label: draft.headings[column] || `Column ${column + 1}`, value: kind },
      hint: `Such as "${(draft.rows.find(({ cells }) => cells[column])?.cells[column] ?? '').slice(0, 40)}"`,
      options: Object.entries(columnKinds).map(([value, label]) => ({ value, label })),
    }),
  )}</details>
${permissionFields(shown)}`
  const body = html`<h1>Check the list</h1><ul>${counts}</ul>
${formOf(visit.session.formToken, fields, 'Save and check again', { takesFiles: true, look: 'second' })}
${formOf(visit.session.formToken, html`${hiddenFields([['do', 'cancel']])}`, 'Throw the list away', { look: 'plain' })}`
  return { title: 'Check the list', back: visit.path('sell-list'), body, isWide: true }
}

function tableOf(visit: AgencyVisit, draft: ListDraft, form: Form): Column<JudgedRow>[] {
  const used = draft.columns.flatMap((kind, column) => (kind === 'other' ? [] : [{ kind, column }]))
  const household = (quoteId: string) => html`<a href="${visit.path(`households/${quoteId}`)}">Look at it</a>`
  const stateOf = ({
    index,
    state,
    problems,
    checked,
    read,
    isOut,
  }: JudgedRow) => html`<strong>${stateWords[state]}</strong>
${state === 'ready' && html`<p class="hint">${mayWriteTo(draft, read) ? 'We e-mail the links.' : 'You hand over the links.'}</p>`}
${state === 'there' && checked?.quoteId && household(checked.quoteId)}
${problems.filter((each) => used.every(({ column }) => column !== each.column)).map(({ text }) => html`<p class="problem">${text}</p>`)}
${state === 'ready' && checked?.notes.map(({ text, quoteId }) => html`<p>${text} ${quoteId !== null && household(quoteId)}</p>`)}
<div class="option"><input id="out-${index}" name="out" type="checkbox" value="${index}"${isOut && html` checked`}>
<label for="out-${index}">Leave out row ${index + 1}</label></div>
${state !== 'out' && html`<a href="?edit=${index + 1}#cell-${index}-0">Change row ${index + 1}</a>`}`
  return [
    { heading: 'Row', cell: ({ index }) => index + 1, holds: 'figures' },
    { heading: 'State', cell: stateOf },
    ...used.map(({ kind, column }) => ({
      heading: draft.headings[column] || columnKinds[kind],
      cell: (row: JudgedRow) => cellOf(visit, row, { kind, column, form }),
    })),
  ]
}

/** A cell as text, or as a field if something in it is wrong or its row is being changed. */
function cellOf(
  { query }: AgencyVisit,
  row: JudgedRow,
  { kind, column, form }: { kind: ColumnKind; column: number; form: Form },
): HtmlValue {
  const { index, cells, problems, state, matched, chosen } = row
  const own = problems.filter((problem) => problem.column === column)
  const text = cells[column] ?? ''
  const isHome = kind === 'address' && state !== 'out'
  const home = isHome && row.home !== undefined && row.home[1] !== text && html`<p class="hint">${row.home[1]}</p>`
  const isEdited = state !== 'out' && (own.length > 0 || query.get('edit') === String(index + 1))
  const choice = isHome && row.home === undefined && (matched?.homes ?? []).length > 0
  if (!isEdited && !choice)
    return html`${text.split('\n').map((line, at) => html`${at > 0 && html`<br>`}${line}`)}${home}`
  const name = `cell-${index}-${column}`
  const [first] = own
  const told = first === undefined || first.isHeld ? [] : [{ field: name, text: first.text }]
  const hint = first?.isHeld && { hint: first.text }
  const shown = new Form(new URLSearchParams(form.entered()), told)
  const label = `${columnKinds[kind]}, row ${index + 1}`
  const field = text.includes('\n')
    ? longTextField(shown, { name, label, value: text, rows: 3, hasFile: false, ...hint })
    : textField(shown, { name, label, value: text, maxLength: 2_000, ...hint })
  const options = [
    { value: '', label: 'Choose one' },
    ...(matched?.homes ?? []).map(([value, address]) => ({ value, label: address })),
  ]
  const which =
    choice &&
    selectField(shown, {
      name: `home-${index}`,
      label: `Which home is row ${index + 1}?`,
      hint: 'If it is none of them, correct the address.',
      value: chosen ?? '',
      options,
    })
  return html`${which}${field}${own.slice(1).map(({ text: more }) => html`<p class="problem">${more}</p>`)}${home}`
}

/** Says what sending will do, and sends. */
export const sendListPage: AgencyPage = {
  name: 'send-list',
  path: 'sell-list/:importId/send',
  may: 'customers:onboard',
  async show(visit) {
    const found = await visit.call(getImportRoute, { id: visit.parameters.importId })
    const draft = draftOf(found)
    if (draft === undefined || found.state !== 'draft') return { goTo: pathOf(visit) }
    const rows = judge(draft, visit)
    const ready = rows.filter(({ state }) => state === 'ready')
    if (ready.length === 0) return { goTo: pathOf(visit), notice: 'nothing_to_send' }
    const tenants = ready.flatMap((row) => bodyOf(draft, visit, row).tenants)
    const mailed = tenants.filter(({ link }) => link === undefined).length
    const left = rows.length - ready.length
    const { how, day } = draft.permission
    const title = `Send ${count(ready.length, 'invitation')}?`
    const written = `We e-mail ${mailed} of the tenants their links, within minutes. You say that they agreed: ${how}, `
    const consequences = html`<ul>
<li>We quote ${count(ready.length, 'household')} with ${count(tenants.length, 'tenant')}. Nobody has a contract before they sign.</li>
<li>${mailed === 0 ? 'We e-mail nobody.' : `${written}${dayWritten(day)}.`}</li>
${mailed < tenants.length && html`<li>You get ${count(tenants.length - mailed, 'link')} to hand over.</li>`}
${left > 0 && html`<li>We do not send ${count(left, 'row')}. You can download them with the reasons afterwards.</li>`}
</ul>`
    return confirmPage(visit, {
      ...{ title, back: pathOf(visit), consequences, hidden: { version: versionOf(found) } },
      button: title.slice(0, -1),
      stay: { text: 'Send nothing yet', path: pathOf(visit) },
    })
  },
  async submit(visit, form): Promise<GoTo> {
    const { call, parameters } = visit
    const found = await call(getImportRoute, { id: parameters.importId })
    const draft = draftOf(found)
    // Also if it was sent twice.
    if (draft === undefined || found.state !== 'draft') return { goTo: pathOf(visit) }
    if (form.text('version') !== versionOf(found)) return { goTo: pathOf(visit), notice: 'list_changed' }
    const judged = judge(draft, visit)
    const ready = judged.filter(({ state }) => state === 'ready')
    const rest = judged.filter(({ state }) => state !== 'ready').map(({ index }) => draft.rows[index] ?? { cells: [] })
    const rows = ready.map((row) => ({ ...bodyOf(draft, visit, row) }))
    const left = { ...draft, rows: rest, sent: ready.map(({ home }) => home?.[1] ?? '') }
    await call(updateImportRoute, {
      id: parameters.importId,
      body: { kind: 'start', rows, draft: JSON.stringify(left) },
    })
    return { goTo: pathOf(visit), notice: 'list_begun' }
  },
}

type ImportRow = Import['data'][number]

const outcomeWords: Readonly<Record<ImportRow['outcome'], string>> = {
  pending: 'Waits',
  done: 'Invited',
  unchanged: 'Was there before',
  failed: 'Failed',
  cancelled: 'Called off',
}

const whyPaused =
  'More than 3 % of the tenants whom we e-mailed from your lists, and at least three, are not who was meant or have addresses that refuse e-mails. Look whether a column is shifted, or the list is an old one.'

function showResults(visit: AgencyVisit, { state, counts, data }: Import, draft: ListDraft | undefined): Shown {
  const { session, path } = visit
  const title = state === 'finished' ? 'What came of the list' : 'The list is being sent'
  const left = (draft?.rows.length ?? 0) + counts.failed + counts.cancelled
  const home = ({ row }: ImportRow) => draft?.sent[row - 1] ?? `Row ${row}`
  const result = ({ outcome, problem }: ImportRow) =>
    html`${outcomeWords[outcome]}${problem !== null && html`<p class="problem">${problem.detail}</p>`}`
  const links = ({ tenants, sent }: ImportRow) => {
    const byHand = (sent?.tenants as { link?: string }[] | undefined) ?? []
    return tenants.map(
      ({ name, url }, index) => byHand[index]?.link === 'returned' && html`<p>${name}: ${copyable(url)}</p>`,
    )
  }
  const form = (what: string, button: string) =>
    formOf(session.formToken, html`${hiddenFields([['do', what]])}`, button, { look: 'second', takesFiles: true })
  const body = html`<h1>${title}</h1>
<p>${counts.done + counts.unchanged} of ${data.length} are done, ${counts.failed} failed, ${counts.pending} wait.</p>
${state === 'running' && html`${reloadLink()}${form('cancel', 'Stop the rows that wait')}`}
${state === 'paused' && html`<p><strong>Sending has stopped.</strong> ${whyPaused}</p>${form('goOn', 'Go on sending')}${form('cancel', 'Stop the rows that wait')}`}
${left > 0 && state !== 'running' && html`<p><a href="?format=csv">Download what is left with the reasons: ${count(left, 'row')}</a>. Correct them, and <a href="${path('sell-list')}">sell that list</a>.</p>`}
${dataTable<ImportRow>(
  {
    caption: 'The households',
    columns: [
      {
        heading: 'Home',
        cell: (row) =>
          row.quoteId === null ? home(row) : html`<a href="${path(`households/${row.quoteId}`)}">${home(row)}</a>`,
      },
      { heading: 'Result', cell: result },
      { heading: 'Links to hand over', cell: links },
    ],
    empty: 'Nothing was sent.',
  },
  data,
)}`
  return { title, back: path('sell-list'), body, isWide: true }
}

/** The rows that were not done, under their own headings, each with its reason. */
function whatIsLeft(visit: AgencyVisit, { data }: Import, draft: ListDraft | undefined): SentFile {
  const { headings = [], columns = [] } = draft ?? {}
  const judged = draft === undefined ? [] : judge(draft, visit)
  const unsent = judged.map(({ cells, state, problems }) => [
    ...cells,
    [stateWords[state], ...problems.map(({ text }) => text)].join('. '),
  ])
  const undone = data
    .filter(({ outcome }) => outcome === 'failed' || outcome === 'cancelled')
    .map(({ row, sent, outcome, problem }) => {
      const cells = columns.map((kind, column) =>
        columns.indexOf(kind) === column ? cellOfSent(kind, sent ?? {}, draft?.sent[row - 1] ?? '') : '',
      )
      return [...cells, problem?.detail ?? outcomeWords[outcome]]
    })
  const named = columns.map((kind, column) => headings[column] || columnKinds[kind])
  const lines = [[...named, 'Reason'], ...unsent, ...undone]
  return {
    file: `${byteOrderMark}${lines.map(csvLine).join('')}`,
    type: 'text/csv; charset=utf-8',
    fileName: 'left-of-the-list.csv',
  }
}

/** What a row that was sent says under a heading. */
function cellOfSent(kind: ColumnKind, sent: Readonly<Record<string, unknown>>, home: string): string {
  const { tenants = [], ...row } = sent as Partial<ReturnType<typeof bodyOf>>
  const ofEach = (name: 'name' | 'email' | 'phone') => tenants.map((tenant) => tenant[name] ?? '').join('\n')
  const day = (date: string | undefined) => (date === undefined ? '' : dayWritten(date))
  const texts: Partial<Record<ColumnKind, string | undefined>> = {
    ...{
      address: home,
      name: ofEach('name'),
      firstName: ofEach('name'),
      email: ofEach('email'),
      phone: ofEach('phone'),
    },
    ...{ start: day(row.contractStartDate), end: day(row.contractEndDate), branch: row.branch, soldBy: row.soldBy },
    reference: row.reference?.startsWith('list-') ? '' : row.reference,
    permission: tenants.some(({ contactPermission }) => contactPermission) ? 'yes' : 'no',
  }
  return texts[kind] ?? ''
}

const noticeTexts = {
  import_begun: 'Somebody has sent the list already.',
  list_begun: 'The list is being sent. It takes some minutes: you can leave this page.',
  list_cancelled: 'What was not sent will not be sent.',
  list_changed: 'Somebody changed the list meanwhile. Look at it again.',
  nothing_to_send: 'No row is ready to be sent.',
}

/** What the pages tell has happened. */
export const listNotices: NoticeWords = noticeTexts

import { reportMeterReadingRoute } from '../../contracts/meter-readings/meter-readings.route.ts'
import { listMeterReadings, reportMeterReading } from '../../contracts/meter-readings/meter-readings.ts'
import { checkedBody, problemsIn } from '../../pages/checked-body.ts'
import { choiceField, dateField, textField } from '../../pages/fields.ts'
import { FormRejected, formOf } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { dataTable } from '../../pages/lists.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import type { TenantPage } from '../tenant-visit.ts'
import { words } from '../words.ts'

const text = words.readings

/** The meters on the first and the last day. */
export const meterReadingsPage: TenantPage = {
  name: 'meter-readings',
  needs: 'code',
  when: 'after signing',
  problems: problemsIn(reportMeterReadingRoute, {
    '/service': text.problems.service,
    '/readOn': text.problems.readOn,
    '/reading': text.problems.reading,
    '/meterSerial': text.problems.meterSerial,
  }),
  async show(visit, form) {
    const { deps, caller, customerId, session, path, contract } = visit
    if (contract === null || contract.effectiveAt === null) return { goTo: path('home') }
    const bought = new Set<string>((contract.price?.lines ?? []).map(({ type }) => type))
    const registers = visit.quote.meter?.registers ?? 'unknown'
    const options = meters
      .filter(
        ({ service, isFor }) =>
          bought.has(service) && (registers === 'unknown' || isFor.some((each) => each === registers)),
      )
      .map(({ value, label }) => ({ value, label }))
    const { meterReadings } = await listMeterReadings(deps, caller, customerId)
    const given = dataTable(
      {
        caption: text.given,
        columns: [
          { heading: words.payments.day, cell: ({ readOn }) => dayInWords(readOn) },
          { heading: text.service, cell: (given) => nameOf(given) },
          { heading: text.reading, cell: ({ reading }) => reading, holds: 'figures' },
        ],
      },
      meterReadings,
    )
    const fields = html`${choiceField(form, { name: 'service', label: text.service, type: 'radio', options })}
${dateField(form, { name: 'readOn', label: text.day, hint: text.dayHint })}
${textField(form, { name: 'reading', label: text.reading, hint: text.readingHint, inputMode: 'numeric', size: 'short', maxLength: 12 })}
${textField(form, { name: 'meterSerial', label: text.serial, hint: text.serialHint, size: 'short', maxLength: 20 })}`
    return {
      title: text.title,
      back: path('home'),
      body: html`<h1>${text.title}</h1><p>${text.intro}</p>${formOf(session.formToken, fields, text.button)}${given}`,
    }
  },
  async submit(visit, form) {
    const { deps, caller, customerId } = visit
    const readOn = form.date('readOn')
    const meter = meters.find(({ value }) => value === form.text('service'))
    const meterSerial = form.text('meterSerial')
    const digits = form.text('reading')
    const problems = [
      ...(meter === undefined ? [{ field: 'service', text: text.problems.service }] : []),
      ...(readOn === null || readOn === 'wrong' ? [{ field: 'readOn', text: text.problems.readOn }] : []),
      ...(/^\d{1,8}$/.test(digits) ? [] : [{ field: 'reading', text: text.problems.reading }]),
    ]
    if (problems.length > 0 || meter === undefined || readOn === null || readOn === 'wrong')
      throw new FormRejected(problems)
    const { service, register } = meter
    const given = { service, register, readOn, reading: Number(digits), ...(meterSerial === '' ? {} : { meterSerial }) }
    const body = checkedBody(reportMeterReadingRoute, given, visit)
    await reportMeterReading(deps, caller, customerId, { ...body, readOn })
    return { goTo: visit.path('meter-readings'), notice: 'reading_saved' }
  },
}

/** What can be read: each register of each meter, for the kinds of meter that have it. */
const meters = (
  [
    { service: 'electricity', register: 'single', isFor: ['single'] },
    { service: 'electricity', register: 'day', isFor: ['two_rate'] },
    { service: 'electricity', register: 'night', isFor: ['two_rate'] },
    { service: 'gas', register: 'single', isFor: ['single', 'two_rate'] },
  ] as const
).map((each) => ({
  ...each,
  value: each.register === 'single' ? each.service : `${each.service}/${each.register}`,
  label: nameOf(each),
}))

function nameOf({ service, register }: { service: string; register: string }): string {
  const name = text.services[service as keyof typeof text.services] ?? service
  return register === 'day' || register === 'night' ? `${name}, ${text.registers[register]}` : name
}

import { RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Count, DateOnly } from '../../platform/http/schemas/values.ts'
import { addDays, isoDate, startOfLondonDay } from '../../platform/kernel/dates.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import { retryGivenUp } from '../../webhooks/partner-mails/retry-given-up.ts'
import { operatorRoute } from '../http/operator-route.ts'

export const retryMailsRoute = operatorRoute({
  operationId: 'retryMails',
  method: 'POST',
  path: '/Mails/retry',
  tag: 'Customers',
  scope: 'support:write',
  summary: 'Retry e-mails that were given up',
  description:
    "Sends again every e-mail to tenants and to partners' contacts that was given up on these days, such as after a mail server rejected all. What is over is not sent. Repeating the call is harmless.",
  body: RequestObject('RetryMailsRequest', 'The days on which e-mails were given up.', {
    from: DateOnly('The first day.'),
    to: DateOnly('The last day.'),
  }),
  reply: ResponseObject('RetriedMails', 'How many e-mails are sent again.', {
    tenants: Count('To tenants.'),
    partners: Count("To partners' contacts."),
  }),
  errors: ['validation_failed'],
  handle: async ({ db }, { now }, { body: { from, to } }) => {
    const detail = 'The last day must not be before the first.'
    if (to < from) throw invalidFields([{ pointer: '/to', code: 'out_of_range', detail }])
    const period = { from: startOfLondonDay(isoDate(from)), before: startOfLondonDay(addDays(isoDate(to), 1)) }
    return retryGivenUp(db, { ...period, now })
  },
  present: (retried) => retried,
})

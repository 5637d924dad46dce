import { route } from '../../platform/http/route.ts'
import { RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id, Text, WholeNumber } from '../../platform/http/schemas/values.ts'
import { changePrices, highestPercent, lowestPercent } from './change-prices.ts'

export const changePricesRoute = route({
  operationId: 'sandboxChangePrices',
  method: 'POST',
  path: '/Sandbox/price-change',
  tag: 'Sandbox',
  summary: 'Change the prices of packages',
  description:
    'Publishes your default quoting tool version again, for you only, with rates, standing charges and set-up fees that are this much higher or lower. New quotes use it at once, and expired ones when they are repriced. It takes the place of an earlier price change, whose prices it builds on. Prices of broadband products stay.',
  scope: 'sandbox:steer',
  sandboxOnly: true,
  body: RequestObject('ChangePricesRequest', 'How much prices change.', {
    percent: WholeNumber({
      minimum: lowestPercent,
      maximum: highestPercent,
      description: 'How many percent prices rise; below zero if they fall.',
    }),
  }),
  reply: ResponseObject('ChangedPrices', 'The quoting tool version with the new prices.', {
    quotingToolVersionId: Id('The id of the quoting tool version.'),
    name: Text(200, 'The name of the quoting tool version.'),
  }),
  errors: ['validation_failed', 'service_unavailable'],
  handle: (deps, { caller, body }) => changePrices(deps, caller, body.percent),
  present: ({ id, name }) => ({ quotingToolVersionId: id, name }),
})
